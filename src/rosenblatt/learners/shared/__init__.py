"""What learners share: taking data in, classes against the rest, streams, warnings, fits that are watched and saved."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
