"""What kernels k(x, x') need: runs in dual form, the Gram matrix, the bound on corrections; random features."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
