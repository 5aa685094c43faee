"""Rows in blocks, wherever they are."""
