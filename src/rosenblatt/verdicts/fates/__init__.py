"""What becomes of each coefficient of a logistic regression, and why."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
