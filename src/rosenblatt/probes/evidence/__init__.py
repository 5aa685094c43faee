"""How probes are judged: measures on new rows with their intervals, and how likely chance alone does as well."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
