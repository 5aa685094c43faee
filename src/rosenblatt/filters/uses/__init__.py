"""What filters are for: four tasks, decisions, files and recordings, lines and sound cards as they come."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
