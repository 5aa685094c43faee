"""Pictures of real runs, as lectures draw them on the board. matplotlib loads when the first one is drawn.

Each Display follows scikit-learn's pattern: `from_…` computes, `plot(ax=None)` draws and sets `ax_` and `figure_`. The
positive class (the second in sorted order) is a blue disc, the negative one an orange square, here and in every report.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
