"""One algorithm per file: configuration and `fit`.

Learners load when they are first used: the verdicts need `examples.py` alone, and no scikit-learn.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
