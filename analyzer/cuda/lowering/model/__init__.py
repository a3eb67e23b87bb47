"""What the lowering speaks of: C++ types, values, places, scopes, and what names are bound to."""
