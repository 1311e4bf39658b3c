"""Predictions are compared with what was really run."""
