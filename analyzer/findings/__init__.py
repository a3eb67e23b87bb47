"""What a rule reports, as values: findings, evidence, witnesses, suppressions, identities."""
