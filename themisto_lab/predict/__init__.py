"""Contexts become predictions."""
