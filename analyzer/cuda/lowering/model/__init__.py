"""What the lowering speaks of: C++ types, values, places, scopes."""
