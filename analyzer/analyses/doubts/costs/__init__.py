"""Doubts about what accesses that are reported together cost: once executed, or kinder numbers."""
