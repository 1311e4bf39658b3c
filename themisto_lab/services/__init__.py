"""Thin HTTP handlers, one file a resource."""
