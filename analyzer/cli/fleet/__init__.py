"""`warplint fleet ...`: check many repositories, and ask what was found."""
