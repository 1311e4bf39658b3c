"""Scores become tables."""
