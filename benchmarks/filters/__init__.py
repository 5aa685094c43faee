"""Adaptive filters."""
