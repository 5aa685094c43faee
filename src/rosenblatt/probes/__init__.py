"""Thousands of linear probes in one call, each an honest perceptron, each with its null beside it."""

from rosenblatt.probes.fitting import fit
from rosenblatt.probes.result import Probes

__all__ = ["Probes", "fit"]
