"""All probes in one call: data in, splits and controls, training in portions, measurements out."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.probes import cpu, gpu
from rosenblatt.probes.activations import RowsOnDemand, layers_of
from rosenblatt.probes.labels import Labels, read_labels
from rosenblatt.probes.measuring import Score, final_weights, score
from rosenblatt.probes.result import Probes
from rosenblatt.probes.splits import group_numbers, shuffled_signs, split
from rosenblatt.probes.training import Deal, Tick, Trained

__all__ = ["fit"]

Progress = Callable[[str, int, int, int], None]

_BUDGET = {"cpu": 1 << 28, "cuda": 1 << 33}  # bytes of labels and weights at work at a time
_FITS = 0.4  # the part of a GPU's free memory that a layer may take


def fit(
    X: Any,
    Y: Any,
    *,
    passes: int = 50,
    order: str = "cyclic",
    average: bool = False,
    controls: int = 0,
    validation: Any = None,
    groups: Any = None,
    device: str = "auto",
    random_state: Any = None,
    progress: Progress | None = None,
) -> Probes:
    """Train one perceptron for each column of Y on the same rows, all at once, each with its null beside it.

    Every probe starts from zero, is corrected after each mistake (y·s ≤ 0), and ends with its first pass without one.
    On data whose sums float carries exactly it makes the corrections of `rb.Perceptron`; elsewhere it is equal to
    rounding. Products are made in the precision of X on the CPU, in float32 (not TF32) on a GPU. SEPARATED is claimed
    on the values as given, each sign certified.

    Parameters
    ----------
    X : array, memory map, torch tensor or table of shape (n, p), or (L, n, p)
        Activations, or a stack of L layers of them; every layer gets every probe.
    Y : array, torch tensor or table of shape (n, B), or n labels
        −1 and +1, with 0 for no label; or Booleans. Labels in one dimension: one probe for two classes, one against the
        rest for more. In a table, or a dict of columns, each is read by itself.
    passes : int, default 50
        The most passes.
    order : {"cyclic", "shuffled"}, default "cyclic"
        Rows in turn, or in a new permutation each pass, the same for all probes.
    average : bool, default False
        Return the mean of the weights over all presentations: steadier on overlapping data.
    controls : int, default 0
        Copies of each probe with shuffled labels, trained in the same call.
    validation : float, Boolean array or pair (X, Y), optional
        Rows held out to judge the probes on: a part of the rows, those of a mask, or data of their own.
    groups : array of n names, optional
        Rows of one group are related: they are held out together, and controls exchange labels between groups.
    device : {"auto", "cpu", "cuda"}, default "auto"
        Where to train; "auto" is a GPU where there is one.
    random_state : int, RandomState or None
        Seeds order, split and controls.
    progress : callable, optional
        Called after each pass with what is at work (text), passes made, passes at most, and probes still at work.

    Examples
    --------
    >>> import numpy as np, rosenblatt as rb
    >>> random = np.random.default_rng(0)
    >>> X = random.integers(-8, 9, (2000, 16)) / 4
    >>> Y = np.column_stack([X[:, 0] > 0, random.random(2000) > 0.5])      # a planted concept, and chance
    >>> probes = rb.probes.fit(X, Y, controls=5, validation=0.25, random_state=0)
    >>> probes.selectivity.round(1)
    array([ 0.5, -0. ])
    >>> print(probes.says(1))
    no better on new rows than labels at random: 49.8 % right (95 %: 45.4 % to 54.2 %), shuffled labels 50.8 %.
    """
    from sklearn.utils import check_random_state

    device = _device(device)
    _check(passes, order, controls)
    layers, stacked = layers_of(X, device == "cuda")
    labels = read_labels(Y, int(layers[0].shape[0]))
    if not isinstance(random_state, (int, np.integer)):
        random_state = check_random_state(random_state).randint(2**31)
    random = np.random.RandomState(random_state)
    seed = int(random.randint(0, 2**63, size=1, dtype=np.int64)[0])  # what a Perceptron of this random_state draws
    learn, test = _sides(layers, labels, validation, groups, random, device)
    salt = int(random.randint(2**31))
    deal = _dealer(order, len(learn.signs), seed)
    train = partial(gpu.train if device == "cuda" else cpu.train, passes=passes, deal=deal, average=average)
    found = []
    for number in range(len(layers)):
        X_learn, X_test = learn.on(device, number), test.on(device, number) if test else None
        distinct = _row_numbers(X_learn)
        for cut in _portions(len(labels.names), len(learn.signs), X_learn.shape[1], controls, device):
            Y_learn = learn.with_controls(cut, controls, [salt, 0])
            several = f"probes {cut.start + 1}–{cut.stop}" if cut.stop - cut.start > 1 else f"probe {cut.stop}"
            where = (f"layer {number + 1} of {len(layers)}: " if stacked else "") + several
            trained = train(X_learn, Y_learn, tick=_tick(progress, where, passes))
            weights, made = final_weights(trained, X_learn, Y_learn, average, passes)
            Y_test = test.with_controls(cut, controls, [salt, 1]) if test else None
            found.append(
                _measured(
                    labels.names[cut], number, weights, made, trained, (X_learn, Y_learn), (X_test, Y_test), distinct
                )
            )
    settings = {"passes": passes, "order": order, "average": average, "device": device}
    settings["random_state"] = int(random_state)
    return Probes.join(found, settings, learn)


# ----------------------------------------------------------------------------------------------------------- data


@dataclass(frozen=True)
class Side:
    """Rows to learn from, or to be judged on: every layer of them, their signs, and which belong together."""

    layers: list[Any]
    signs: npt.NDArray[np.int8]
    groups: npt.NDArray[np.int64] | None

    def on(self, device: str, number: int) -> Any:
        """A layer; on the GPU where it fits there."""
        X = self.layers[number]
        if device == "cpu" or hasattr(X, "is_cuda"):
            return X
        import torch

        if X.shape[0] * X.shape[1] * X.dtype.itemsize > _FITS * torch.cuda.mem_get_info()[0]:
            return X
        return torch.from_numpy(np.ascontiguousarray(X[0 : X.shape[0]])).to("cuda")

    def with_controls(self, cut: slice, copies: int, salt: list[int]) -> npt.NDArray[np.int8]:
        """Signs of some probes, and to their right `copies` times the same with labels shuffled."""
        signs = np.ascontiguousarray(self.signs[:, cut].T)
        shuffled = [
            shuffled_signs(y, self.groups, np.random.default_rng([*salt, copy, cut.start + k]))
            for copy in range(copies)
            for k, y in enumerate(signs)
        ]
        return np.ascontiguousarray(np.vstack([signs, *shuffled]).T)


def _sides(
    layers: list[Any], labels: Labels, validation: Any, groups: Any, random: np.random.RandomState, device: str
) -> tuple[Side, Side | None]:
    """What to learn from, and what to be judged on, if anything."""
    n = len(labels.signs)
    group_of = group_numbers(groups, n)
    if isinstance(validation, tuple):
        return Side(layers, labels.signs, group_of), _own_data(validation, layers, labels, device)
    held = split(validation, n, group_of, random)
    if not held.any():
        return Side(layers, labels.signs, group_of), None
    return _side(layers, labels.signs, group_of, ~held), _side(layers, labels.signs, group_of, held)


def _side(
    layers: list[Any],
    signs: npt.NDArray[np.int8],
    group_of: npt.NDArray[np.int64] | None,
    mask: npt.NDArray[np.bool_],
) -> Side:
    rows = np.flatnonzero(mask)
    some = [X[mask] if hasattr(X, "is_cuda") else RowsOnDemand(X, rows) for X in layers]
    return Side(some, signs[rows], None if group_of is None else group_of[rows])


def _own_data(validation: tuple[Any, Any], layers: list[Any], labels: Labels, device: str) -> Side:
    if len(validation) != 2:
        raise ValueError(f"validation must be a pair (X, Y); it is a tuple of {len(validation)}.")
    others, _ = layers_of(validation[0], device == "cuda")
    signs = read_labels(validation[1], int(others[0].shape[0])).signs
    if (len(others), others[0].shape[1], signs.shape[1]) != (len(layers), layers[0].shape[1], labels.signs.shape[1]):
        raise ValueError(
            f"validation has {len(others)} layers, {others[0].shape[1]} columns and {signs.shape[1]} probes; "
            f"X and Y have {len(layers)}, {layers[0].shape[1]} and {labels.signs.shape[1]}."
        )
    return Side(others, signs, None)


def _row_numbers(X: Any) -> npt.NDArray[np.int64] | None:
    """Equal numbers for equal rows; None where all differ, or where finding out would take long (bounds still hold)."""
    n, p = X.shape
    if n * p > 1 << 24 or hasattr(X, "is_cuda"):
        return None
    numbers: dict[bytes, int] = {}
    found = np.array([numbers.setdefault(row.tobytes(), len(numbers)) for row in np.asarray(X[0:n]) + 0.0])
    return None if len(numbers) == n else found


def _portions(probes: int, n: int, p: int, controls: int, device: str) -> list[slice]:
    """Probes that are trained together with their controls, so that labels and weights stay within the budget."""
    each = (1 + controls) * (2 * n + 24 * (p + 1))
    size = max(1, min(probes, _BUDGET[device] // each))
    return [slice(first, min(probes, first + size)) for first in range(0, probes, size)]


# ------------------------------------------------------------------------------------------------------------ training


def _device(device: str) -> str:
    if device not in ("auto", "cpu", "cuda"):
        raise ValueError(f"device={device!r} must be 'auto', 'cpu' or 'cuda'.")
    if device == "cuda" and gpu.missing():
        raise ValueError(f"device='cuda' needs a GPU with torch and Triton: {gpu.missing()}.")
    return "cuda" if device == "cuda" or (device == "auto" and gpu.available()) else "cpu"


def _check(passes: int, order: str, controls: int) -> None:
    if order not in ("cyclic", "shuffled"):
        raise ValueError(f"order={order!r} must be 'cyclic' or 'shuffled'.")
    for name, value, least in (("passes", passes, 1), ("controls", controls, 0)):
        if not isinstance(value, (int, np.integer)) or value < least:
            raise ValueError(f"{name}={value!r} must be a whole number from {least} on.")


def _dealer(order: str, n: int, seed: int) -> Deal | None:
    """The permutations that a Perceptron with this seed makes."""
    if order == "cyclic":
        return None
    from rosenblatt.kernels.orders import Shuffled, deal_pass

    shuffled = Shuffled(n, np.uint64(seed), np.empty(n, dtype=np.uint32))

    def deal(number: int) -> npt.NDArray[np.int64]:
        deal_pass(shuffled, number * n)
        return np.asarray(shuffled.permutation, dtype=np.int64)

    return deal


def _tick(progress: Progress | None, where: str, passes: int) -> Tick | None:
    return None if progress is None else lambda made, left: progress(where, made, passes, left)


# ----------------------------------------------------------------------------------------------------------- measuring


def _measured(
    names: list[str],
    layer: int,
    weights: npt.NDArray[np.float64],
    passes: npt.NDArray[np.int64],
    trained: Trained,
    learned: tuple[Any, npt.NDArray[np.int8]],
    tested: tuple[Any, npt.NDArray[np.int8] | None],
    distinct: npt.NDArray[np.int64] | None,
) -> Probes:
    """The first columns are probes, all others their controls, copy after copy."""
    B = len(names)
    seen, null = _scores(*learned, weights, B, certify=True)
    held, held_null = (None, null[:0]) if tested[1] is None else _scores(tested[0], tested[1], weights, B)
    nothing = np.zeros(B, dtype=np.int64)
    counts = _counts(learned[1][:, :B], seen, distinct)
    worths = [_worth(*one, len(weights)) for one in counts]
    return Probes(
        names=names,
        layer=np.full(B, layer),
        weights=weights[:, :B],
        mistakes_per_pass=trained.mistakes[:, :B],
        passes=passes[:B],
        labelled=seen.labelled,
        positive=seen.positive,
        different=np.array([different for _, _, different in counts], dtype=np.int64),
        wrong=seen.wrong,
        hidden=seen.hidden,
        margin=seen.margin,
        held_labelled=held.labelled if held else nothing,
        held_positive=held.positive if held else nothing,
        held_wrong=held.wrong if held else nothing,
        log10_fair=np.array([worth[0] for worth in worths]),
        log10_sizes=np.array([worth[1] for worth in worths]),
        control_training=null,
        control_validation=held_null,
    )


def _scores(
    X: Any, Y: npt.NDArray[np.int8], weights: npt.NDArray[np.float64], B: int, certify: bool = False
) -> tuple[Score, npt.NDArray[np.float64]]:
    """The probes' score, and the accuracy of each control, copies × probes."""
    controls = score(X, Y[:, B:], weights[:, B:]).accuracy if Y.shape[1] > B else np.zeros(0)
    return score(X, Y[:, :B], weights[:, :B], certify), controls.reshape(-1, B)


def _counts(Y: npt.NDArray[np.int8], seen: Score, distinct: npt.NDArray[np.int64] | None) -> list[tuple[int, int, int]]:
    """Labelled, positive and different rows of each probe."""
    different = (
        seen.labelled if distinct is None else np.array([np.unique(distinct[y != 0]).size for y in Y.T], dtype=int)
    )
    return list(zip(seen.labelled.tolist(), seen.positive.tolist(), different.tolist(), strict=True))


@lru_cache(maxsize=1 << 16)
def _worth(labelled: int, positive: int, different: int, d: int) -> tuple[float, float]:
    """Cover's log10 probabilities: labels by fair coins, and with these class sizes."""
    from rosenblatt.verdicts.worth import Worth

    if not labelled:
        return 0.0, 0.0
    worth = Worth.of(labelled, positive, different, d)
    return worth.log10_fair, worth.log10_sizes
