"""Adaptive filters: the linear neuron on a stream. Filter, compare, adapt.

Conventions: y = w·x without a conjugate, so that the weights of a temporal filter are the impulse response it has
learned; e = d − y; the step is η everywhere. A 1-D input is a signal: the filter weighs its last `taps` values. The
rows of a 2-D input are regressors, one value for each tap. Sums are float64 whatever the signal's precision.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
