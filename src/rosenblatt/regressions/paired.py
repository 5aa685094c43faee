"""Paired comparisons (Bradley and Terry 1952): who won against whom.

With x = x_a − x_b, z is x_winner − x_loser, and a draw is an equality. There is no intercept. Where each item has its
own weight (that of the first is 0), x is 1 at a and −1 at b.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from rosenblatt.arrays import Places
from rosenblatt.regressions.machinery.counts import one_z_a_row
from rosenblatt.regressions.machinery.given import Given, ModelColumns, given_numbers, grouped, refuse_where
from rosenblatt.regressions.machinery.regression import ModelWords, Regression, taking
from rosenblatt.regressions.machinery.rows import ModelRows, Values
from rosenblatt.regressions.machinery.terms import Outcomes

__all__ = ["REGRESSION", "Paired"]


class Paired(Regression):
    """P(a wins) = 1/(1 + e^(−x·w)); a draw is half a win and half a loss."""

    name = "paired"
    roles = taking(target="number", offset="number", items="groups")
    words = ModelWords("who won", certain="are won with certainty", every="every comparison is won with certainty.")

    def read(self, given: Given) -> ModelColumns:
        """Who won: 1 for a, 0 for b, ½ for a draw."""
        y = given_numbers(given.columns["y"], "y")
        refuse_where(~np.isin(y, (0, 0.5, 1)), y, "y", "say 1 where a won, 0 where b won, 0.5 for a draw")
        if "items" not in given.columns:
            return ModelColumns({"y": y}, tuple(given.names), {"columns": {}})
        if given.rows.p:
            raise ValueError("items have weights of their own: leave X out, as X=None.")
        if len(given.columns["items"]) != 2:
            raise ValueError("items must be two columns: who is a, and who is b.")
        both, items = grouped(np.concatenate([np.asarray(column) for column in given.columns["items"]]), "items")
        entry = {"items": items, "columns": {"items": ["a", "b"]}}
        return ModelColumns({"y": y, "items": both.reshape(2, -1).T}, tuple(items[1:]), entry)

    def rows(self, values: Values, columns: ModelColumns) -> ModelRows:
        """One z a comparison."""
        if "items" in columns.arrays:
            X = _item_differences(columns.arrays["items"], len(columns.weights) + 1)
            values = Values(X, (1,) * X.shape[1])
        return replace(one_z_a_row(values, columns), equal=columns.arrays["y"] == 0.5)

    def outcomes(self, rows: ModelRows, columns: ModelColumns) -> Outcomes:
        """One outcome a comparison."""
        y = columns.arrays["y"][rows.row]
        return Outcomes("binomial", np.where(y > 0, 1.0, -1.0), y, np.ones(len(y)))

    def constants(self, p: int, columns: ModelColumns) -> Places:
        """None: items are what is to be explained."""
        return np.empty(0, dtype=np.int64)


def _item_differences(both: Places, items: int) -> Any:
    """The x of items, a row for each (a, b): +1 at a, −1 at b, 0 where a is b; the first item has no column."""
    n = len(both)
    places = (np.tile(np.arange(n), 2), both.T.ravel())
    X = sp.csr_array(sp.coo_array((np.repeat([1.0, -1.0], n), places), shape=(n, items)))
    X.eliminate_zeros()
    return sp.csr_array(X[:, 1:])


REGRESSION = Paired()
