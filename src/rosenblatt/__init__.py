"""rosenblatt: perceptrons that prove what they say.

Names load when they are first used, so that `import rosenblatt` stays fast: no Numba, no scikit-learn, no matplotlib.
"""

import lazy_loader

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
