"""What arithmetic costs, and where its types are wider or narrower than they should be."""
