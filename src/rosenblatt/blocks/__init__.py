"""Rows in blocks, wherever they are: one question to every block, and sums that do not depend on who adds them up."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
