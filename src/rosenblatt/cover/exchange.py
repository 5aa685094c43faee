"""Which exchanges of labels are fair where rows are related: groups change places as wholes.

Rows of one group (a patient, a document) have something in common, in their numbers and in their labels. If labels tell
nothing of the rows, a group's labels might as well have been those of another group.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import Places, Signs

__all__ = ["arrangements", "exchanged_labels"]


def arrangements(sizes: Places, count: int, random: np.random.Generator) -> npt.NDArray[np.int32]:
    """Where the label of each row goes, count × rows; groups of these sizes lie side by side.

    Groups change places with groups of their size, and their rows are turned round (the last become the first): that is
    fair if neighbours in a group are alike, too.

    >>> arrangements(np.array([1, 1, 3]), 2, np.random.default_rng(0)).tolist()
    [[1, 0, 2, 3, 4], [1, 0, 2, 3, 4]]
    """
    starts = np.cumsum(sizes) - sizes
    block = np.empty((count, int(sizes.sum())), dtype=np.int32)
    for size in np.unique(sizes[sizes > 0]).tolist():
        mine = starts[sizes == size]
        to = mine[np.argsort(random.random((count, mine.size), dtype=np.float32), axis=1)]
        turned = (random.integers(size, size=to.shape)[..., None] + np.arange(size)) % size if size > 1 else 0
        block[:, (mine[:, None] + np.arange(size)).ravel()] = (to[..., None] + turned).reshape(count, -1)
    return block


def exchanged_labels(signs: Signs, groups: Any, count: int, random: np.random.Generator) -> Signs:
    """Labels exchanged between groups, count × rows; where every group has one label, whatever its size."""
    names = np.asarray(groups)
    if names.shape != signs.shape:
        raise ValueError(f"groups must name the group of each of {len(signs)} rows; it has shape {names.shape}.")
    _, of_row, sizes = np.unique(names.astype(str), return_inverse=True, return_counts=True)
    order = np.argsort(of_row, kind="stable")
    first = signs[order][np.cumsum(sizes) - sizes]
    if np.array_equal(first[of_row], signs):
        return np.asarray(random.permuted(np.tile(first, (count, 1)), axis=1)[:, of_row])
    made = np.empty((count, len(signs)), dtype=signs.dtype)
    made[np.arange(count)[:, None], order[arrangements(sizes, count, random)]] = signs[order]
    return made
