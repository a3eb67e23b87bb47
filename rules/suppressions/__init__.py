"""Rules about the comments that suppress findings."""
