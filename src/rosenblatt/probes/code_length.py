"""How many bits the labels take, given the rows: minimum description length, coded online (Voita and Titov 2020)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rosenblatt.arguments import checked
from rosenblatt.arrays import Floats, Places
from rosenblatt.probes.fitting import fit
from rosenblatt.probes.reading.activations import layers_of
from rosenblatt.probes.reading.labels import read_labels
from rosenblatt.probes.reading.sides import group_numbers

__all__ = ["CodeLength", "code_length"]

_PARTS = (0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.0625, 0.125, 0.25, 0.5, 1.0)  # those of the paper


@dataclass(frozen=True)
class CodeLength:
    """What the labels of each concept take.

    Attributes
    ----------
    names : list of str
    bits : array
        Length of the code, in bits.
    rows : array
        Labelled rows: the bits that labels by fair coins take.
    """

    names: list[str]
    bits: Floats
    rows: Places

    @property
    def compression(self) -> Floats:
        """How many times shorter the code is than one bit a label; 1 and less: nothing was learned that pays."""
        return np.asarray(self.rows / self.bits)

    def __str__(self) -> str:
        each = zip(self.names, self.bits, self.rows, self.compression, strict=True)
        return "\n".join(f"{name}: {bits:,.0f} bits for {n:,} labels ({times:.2f}×)" for name, bits, n, times in each)


@checked
def code_length(
    X: Any,
    Y: Any,
    *,
    groups: Any = None,
    parts: Sequence[float] = _PARTS,
    l2: float | None = None,
    random_state: int | None = 0,
) -> CodeLength:
    """The length of the labels' code if whoever reads it has the rows, and learns as the labels come.

    The labels of the first part of the rows take a bit each. A logistic probe learns from them and codes those of the
    next part, −log₂ of the probability it gave each; then it learns from both parts, and so on. A concept that is read
    from few rows has a short code, so effort counts, and not only how well the probe does in the end.

    Parameters
    ----------
    X : array, memory map, tensor or table of shape (n, p)
    Y : labels of classes
        As in `rb.probes.fit`.
    groups : array of n names, optional
        Rows of one group follow each other in the code.
    parts : increasing numbers up to 1
        Where a probe learns anew, in parts of the rows.
    l2 : float, optional
        λ; by default each probe chooses its own from the rows it has by then.
    random_state : int, optional
        Seeds the order of the rows, and the choice of λ.

    Examples
    --------
    >>> import numpy as np, rosenblatt as rb
    >>> random = np.random.default_rng(0)
    >>> X = random.normal(size=(2000, 8))
    >>> found = rb.probes.code_length(X, {"sign": X[:, 0] > 0, "coin": random.random(2000) > 0.5})
    >>> found.compression.round(1)
    array([19.4,  1. ])
    """
    if not parts or list(parts) != sorted(set(parts)) or not parts[0] > 0 or parts[-1] != 1:
        raise ValueError(f"parts={parts!r} must be increasing numbers above 0, the last of them 1.")
    layers, stacked = layers_of(X)
    if stacked:
        raise ValueError("X is a stack of layers: ask for the code length of one layer at a time.")
    n = layers[0].shape[0]
    labels = read_labels(Y, n)
    if labels.number_names:
        raise ValueError("a code length is of labels of classes, not of numbers.")
    random = np.random.default_rng(random_state)
    of_row = group_numbers(groups, n)
    order = random.permutation(n) if of_row is None else np.argsort(random.permutation(n)[of_row], kind="stable")
    ends = np.unique([max(1, int(np.ceil(part * n))) for part in parts])
    first = labels.signs[order[: ends[0]]]
    bits = np.count_nonzero(first, axis=0).astype(np.float64)
    for begin, end in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True):
        known, coded = order[:begin], order[begin:end]
        seen, y = labels.signs[known], labels.signs[coded]
        both = np.flatnonzero((seen > 0).any(axis=0) & (seen < 0).any(axis=0))
        scores = np.zeros(y.shape)
        if both.size:
            some = None if of_row is None else of_row[known]
            weights = fit(layers[0][known], seen[:, both], groups=some, l2=l2, random_state=random_state).weights
            scores[:, both] = np.asarray(layers[0][coded], dtype=np.float64) @ weights[:-1] + weights[-1]
        bits += (np.logaddexp(0.0, -(y * scores)) / np.log(2.0) * (y != 0)).sum(axis=0)
    return CodeLength(labels.names, bits, np.count_nonzero(labels.signs, axis=0))
