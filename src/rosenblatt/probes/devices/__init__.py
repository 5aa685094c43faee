"""Where probes learn: passes on the CPU and on a GPU, and the few functions that NumPy and torch share."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
