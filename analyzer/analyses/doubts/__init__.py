"""What speaks against reporting a conflict as a race."""
