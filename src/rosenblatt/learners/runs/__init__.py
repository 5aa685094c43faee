"""The machinery: one run of the compiled loop from its start to its outcome, its clock, threads and ending."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
