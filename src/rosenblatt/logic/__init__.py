"""Perceptrons as logic: threshold gates, networks of them, and which Boolean functions need how many."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
