"""What a verdict is worth: Cover's count, the dichotomies of given points, shuffled labels, capacity.

Names load when they are first used: counting needs none of the libraries that decide separability.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
