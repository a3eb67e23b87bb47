"""What a rule reports: findings, evidence, fixes, fingerprints."""
