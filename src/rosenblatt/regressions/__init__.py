"""Regressions: one file a model. What models share is one door further, in `machinery`."""
