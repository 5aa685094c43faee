"""Does the maximum-likelihood estimate exist? Each model is a list of rows z, and the engine decides them."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
