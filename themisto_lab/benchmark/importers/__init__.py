"""Readers of other programs' records, one kind a file; `registry` finds which one a source needs."""
