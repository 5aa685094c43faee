"""Exact arithmetic on float64 data: every finite float is an integer times a power of two."""

from rosenblatt.exact.dyadic import dot, fraction, integers, vanishes
from rosenblatt.exact.signs import row_signs

__all__ = ["dot", "fraction", "integers", "row_signs", "vanishes"]
