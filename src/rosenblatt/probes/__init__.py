"""Thousands of linear probes in one call, each compared with what chance alone would do."""

from rosenblatt.probes.erasure import Erasure, erased
from rosenblatt.probes.fitting import fit
from rosenblatt.probes.result import Probes

__all__ = ["Erasure", "Probes", "erased", "fit"]
