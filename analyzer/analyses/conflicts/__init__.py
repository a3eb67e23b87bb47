"""Two threads at the same bytes, one of them writing, and nothing that orders them; facts that
doubts ask for: equal values stored, updates in place, reads that nobody uses.
"""
