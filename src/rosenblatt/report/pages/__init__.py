"""Pages about several classes and about probes; they share their shell with the report about two."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
