"""What filters are made of: signals in, memory, sample by sample or block by block, several channels, double talk."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
