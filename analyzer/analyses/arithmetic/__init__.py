"""What arithmetic costs, and sums whose types are wider or narrower than what they are made of."""
