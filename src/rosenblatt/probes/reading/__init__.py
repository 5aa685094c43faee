"""What probes are given: activations and labels, from arrays and files, and which rows are held out."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
