"""A trajectory and an arm become a context."""
