"""The search for a proof: columns made clear, candidates by floats, one exact solve a side."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
