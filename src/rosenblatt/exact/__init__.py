"""Exact arithmetic on float64 data: every finite float is an integer times a power of two."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
