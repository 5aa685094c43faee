"""What a number is: the readings of columns, arrays as canonical rows, their exact values and their hash; labels."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
