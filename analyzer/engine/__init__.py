"""One run: reading inputs, applying rules, collecting findings."""
