"""Where files are: folders, patterns, addresses, packed files; from a path to its source of columns."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
