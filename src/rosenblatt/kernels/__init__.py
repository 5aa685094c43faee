"""Compiled loops, one self-contained file per family."""
