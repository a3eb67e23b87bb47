"""Doubts about what an access costs: it may be executed once, or its numbers may be kinder."""
