"""What a doubt is, and what it is asked about."""
