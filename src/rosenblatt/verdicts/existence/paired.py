"""Paired comparisons (Bradley and Terry 1952): who won against whom.

z is x_winner − x_loser; a draw is an equality. There is no intercept. X has the differences x_a − x_b; or each item has
a weight of its own, the first 0: x is then 1 at a and −1 at b.
"""

from typing import Any

import numpy as np
import scipy.sparse as sp

from rosenblatt.verdicts.existence.rows import Floats, ModelRows, Places, Values

__all__ = ["item_differences", "rows"]


def rows(values: Values, y: Floats, names: tuple[str, ...]) -> ModelRows:
    """One z a comparison; y is 1 where a won, 0 where b won, ½ for a draw."""
    signs = np.where(y == 0, -1.0, 1.0)[:, None]
    Z = sp.csr_array(values.X.multiply(signs)) if sp.issparse(values.X) else values.X * signs
    return ModelRows(Z, y == 0.5, np.arange(len(y)), np.full(len(y), -1), names, values.tens)


def item_differences(a: Places, b: Places, items: int) -> Any:
    """The x of items: +1 at a, −1 at b, without the first item; 0 where an item meets itself."""
    n = len(a)
    both = sp.coo_array(
        (np.repeat([1.0, -1.0], n), (np.tile(np.arange(n), 2), np.concatenate([a, b]))), shape=(n, items)
    )
    X = sp.csr_array(both)
    X.eliminate_zeros()
    return sp.csr_array(X[:, 1:])
