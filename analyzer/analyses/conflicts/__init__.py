"""Two threads at the same bytes, one of them writing, and nothing that orders them."""
