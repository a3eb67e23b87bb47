"""Facts about a kernel that every rule stands on."""
