"""One algorithm per file: configuration and `fit`.

Learners load when they are first used. What they share is in `shared/`, the machinery of a run (loop, clock, threads,
endings) in `runs/`, what kernels k(x, x') need in `duals/`.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
