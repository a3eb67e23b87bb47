"""Rules about local memory."""
