"""Arrays, tables and files in, one canonical layout out; labels as −1/+1."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
