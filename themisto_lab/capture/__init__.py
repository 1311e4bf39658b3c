"""The kernel's messages become steps."""
