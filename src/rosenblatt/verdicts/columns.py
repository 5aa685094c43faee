"""Data with fewer rows than weights, decided on a few columns that span the others.

What separates on some columns separates on all. What proves on some columns that nothing separates is a mixture of
rows; it must vanish in every column, so those in which it does not join, and the search goes on.
"""

import numpy as np
import numpy.typing as npt
from scipy.linalg import qr

from rosenblatt.data.rows import as_rows
from rosenblatt.verdicts.points import Places, Points
from rosenblatt.verdicts.search import Proof, Search, TooWide, Unfinished

__all__ = ["prove"]

_SMALLEST_SKETCH = 64
_LARGEST = 1 << 26  # values of sparse rows when written out: half a gigabyte


def prove(points: Points, deadline: float | None, spread: bool = False, pairs: Places | None = None) -> Proof:
    """The proof, whatever the shape of the data; `spread` and `pairs` as a search has them."""
    try:
        return Search(points, deadline, spread, pairs).prove()
    except TooWide:
        return _on_columns(points, deadline, pairs)


def _on_columns(points: Points, deadline: float | None, pairs: Places | None) -> Proof:
    if points.rows.sparse and points.n * points.d > _LARGEST:
        raise Unfinished(
            f"least squares did not separate it, and {points.n} × {points.rows.p} values written out are too many"
        )
    columns = _spanning_columns(points)
    while columns.size + points.bias <= points.n:
        X = points.rows.take(np.arange(points.n))[:, columns]
        decimals = points.decimals and tuple(points.decimals[j] for j in columns)
        search = Search(Points(as_rows(X), points.y, points.bias, decimals), deadline, True, pairs)
        proof = search.prove()
        if proof.w:
            proof.w = _widened(proof.w, columns, points.d)
        residual = points.mixed(proof.mixture, proof.base, np.flatnonzero(search.closed))
        if not any(residual):
            if proof.witness and any(points.mixed(proof.witness)):  # it vanished in the chosen columns only
                proof.witness = {}
            return proof
        sizes = np.array([min(float(abs(v)), 1e300) for v in residual[: points.rows.p]])
        worst = np.argsort(-sizes, kind="stable")[: max(_SMALLEST_SKETCH, columns.size)]
        columns = np.union1d(columns, worst[sizes[worst] > 0])
    raise Unfinished(f"{points.n} rows in {points.rows.p} columns are too close to dependent for float arithmetic")


def _widened(w: list[int], columns: npt.NDArray[np.int64], d: int) -> list[int]:
    """Weights for all columns; the bias, where there is one, stays last."""
    out = [0] * d
    for j, v in zip(columns.tolist(), w, strict=False):
        out[j] = v
    if len(w) > columns.size:
        out[-1] = w[-1]
    return out


def _spanning_columns(points: Points) -> npt.NDArray[np.int64]:
    """Columns that span all others as far as floats can tell: pivots of random mixtures of the rows."""
    rng = np.random.default_rng(0)
    size = _SMALLEST_SKETCH
    while True:
        sketch = np.zeros((size, points.rows.p))
        for first, stop, block in points.blocks():
            signs = rng.choice([-1.0, 1.0], size=(size, stop - first))
            sketch += signs @ (block.toarray() if hasattr(block, "toarray") else block)[:, : points.rows.p]
        _, r, order = qr(sketch, mode="economic", pivoting=True)
        diagonal = np.abs(np.diag(r))
        rank = int(np.count_nonzero(diagonal > 1e-9 * max(diagonal[0], 1e-300)))
        if rank < size or size >= points.n:
            return np.sort(order[:rank])
        size = min(points.n, 2 * size)
