"""Thousands of linear probes in one call, each with what chance would have done beside it."""

from rosenblatt.probes.erasure import Erasure, erased
from rosenblatt.probes.fitting import fit
from rosenblatt.probes.result import Probes

__all__ = ["Erasure", "Probes", "erased", "fit"]
