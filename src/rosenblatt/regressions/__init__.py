"""Regressions: one file a model. What models share is one door further, in `machinery`.

>>> from rosenblatt.regressions import REGRESSIONS
>>> "poisson" in REGRESSIONS
True
>>> REGRESSIONS["poisson"].words.ratio
'rate ratio'
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
