"""How probes learn: perceptron, logistic, mean difference, least squares, on scaled rows in their principal axes."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
