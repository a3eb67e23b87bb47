"""SUP: the comments that suppress findings."""
