"""Exact arithmetic on float64 data: every finite float is an integer times a power of two."""

from rosenblatt.exact.dyadic import fraction, integers
from rosenblatt.exact.signs import row_signs
from rosenblatt.exact.sums import vanishes

__all__ = ["fraction", "integers", "row_signs", "vanishes"]
