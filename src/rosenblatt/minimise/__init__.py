"""Losses, one damped Newton's method, and proofs of how far a loss is from its minimum."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
