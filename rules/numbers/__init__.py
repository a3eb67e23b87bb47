"""NUM: numbers: what their types cost, and what they lose."""
