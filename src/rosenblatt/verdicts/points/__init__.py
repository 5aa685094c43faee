"""The vectors z = y·(x, 1) of all rows, in floats and in whole numbers."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
