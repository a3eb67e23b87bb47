"""Doubts about order: something other than a barrier may order the two accesses."""
