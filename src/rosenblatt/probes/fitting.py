"""All probes in one call: data in, sides and controls, training in portions, measurements out."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.probes import gpu
from rosenblatt.probes.activations import layers_of
from rosenblatt.probes.chance import Shuffles
from rosenblatt.probes.judging import confusions, judge
from rosenblatt.probes.labels import Labels, read_labels
from rosenblatt.probes.measures import MEASURES, Findings
from rosenblatt.probes.measuring import Score, count_columns, score
from rosenblatt.probes.methods import METHODS, FittedProbes, Trainer
from rosenblatt.probes.result import Probes
from rosenblatt.probes.sides import Side, sides
from rosenblatt.probes.splits import split
from rosenblatt.probes.training import Deal, Tick

__all__ = ["fit"]

Progress = Callable[[str, int, int, int], None]

_BUDGET = {"cpu": 1 << 28, "cuda": 1 << 33}  # bytes of labels and weights at work at a time
_FEW = 20  # rows: fewer are all learned from, nothing is chosen on a part of them


def fit(
    X: Any,
    Y: Any,
    *,
    method: str | Sequence[str] = "perceptron",
    test: Any = None,
    validation: Any = 0.2,
    groups: Any = None,
    controls: int = 0,
    control: str = "labels",
    types: Any = None,
    regress: bool | Sequence[str] = False,
    bins: int | None = None,
    scale: bool = True,
    l2: float | None = None,
    passes: int = 50,
    order: str = "shuffled",
    average: bool = True,
    names: Sequence[str] | None = None,
    device: str = "auto",
    random_state: Any = None,
    progress: Progress | None = None,
) -> Probes:
    """Train one linear probe for each column of Y on the same rows, all at once, and judge each on rows it never saw.

    A perceptron starts from zero, is corrected after each mistake (y·s ≤ 0), and ends with its first pass without one.
    With `scale=False`, on data whose sums float carries exactly, it makes the corrections of `rb.Perceptron`; elsewhere
    it is equal to rounding. Training is in the precision of X on the CPU, in float32 (not TF32) on a GPU. Measures are
    made in float64, and SEPARATED is claimed on the values as given, each sign certified.

    Parameters
    ----------
    X : array, memory map, torch tensor or table of shape (n, p), or (L, n, p)
        Activations, or a stack of L layers of them; every layer gets every probe.
    Y : array, torch tensor or table of shape (n, B), or n labels
        −1 and +1, with 0 for no label; or Booleans. Labels in one dimension: one probe for two classes, one against the
        rest for more. In a table, or a dict of columns, each is read by itself.
    method : str or list of str, default "perceptron"
        "perceptron", "logistic", "mean-difference", "least-squares", or several, side by side.
    test : float, Boolean array or tuple (X, Y) or (X, Y, groups), optional
        Rows held out to judge the probes on: a part of the rows, those of a mask, or data of their own.
    validation : float or Boolean array (a mask of the n rows), default 0.2
        Rows to choose on, of those that are not `test`: λ of a penalised method, and the layer of each concept
        (`Probes.best`). Probes are trained without them first, and with them once all is chosen. None: no choice.
    groups : array of n names, optional
        Rows of one group are related: they are held out together, intervals and p-values count groups, and controls
        exchange labels between groups.
    controls : int, default 0
        Control tasks for each probe, trained in the same call.
    control : {"labels", "type"}, default "labels"
        What a control learns: shuffled labels, or, as Hewitt and Liang (2019) do it, a random answer for each of
        `types` that holds on new rows too.
    types : array of n names, optional
        The type of each row, for instance its word.
    regress : bool or list of str, default False
        Columns of Y (True: all) that are numbers to be predicted, by least squares.
    bins : int, optional
        Cut columns of many different numbers into so many classes of about equal size.
    scale : bool, default True
        Train on columns with mean 0 and deviation 1 (of the rows learned from). Weights are given for the columns as
        they are.
    l2 : float, optional
        λ of logistic (mean loss + λ/2·‖w‖²) and least-squares (mean loss + λ·‖w‖²); None: chosen on `validation`.
    passes, order, average : int, {"cyclic", "shuffled"}, bool; default 50, "shuffled", True
        Of perceptrons: the most passes; rows in turn or in a new order each pass, the same for all probes; whether the
        answer is the mean of the weights over all presentations, which is steadier on overlapping data.
    names : list of str, optional
        What the layers are called.
    device : {"auto", "cpu", "cuda"}, default "auto"
        Where to train; "auto" is a GPU where there is one.
    random_state : int, RandomState or None
        Seeds order, splits, controls and permutations.
    progress : callable, optional
        Called with what is at work (text), passes made, passes at most, and probes (controls among them) still at work.

    Examples
    --------
    >>> import numpy as np, rosenblatt as rb
    >>> random = np.random.default_rng(0)
    >>> X = random.integers(-8, 9, (2000, 16)) / 4
    >>> Y = np.column_stack([X[:, 0] > 0, random.random(2000) > 0.5])      # a planted concept, and chance
    >>> probes = rb.probes.fit(X, Y, test=0.25, random_state=0)
    >>> probes.auc.round(1)
    array([1. , 0.5])
    """
    from sklearn.utils import check_random_state

    device, methods = _device(device), _methods(method)
    _check(passes, order, controls, control, types, l2)
    layers, stacked = layers_of(X, device == "cuda")
    labels = read_labels(Y, int(layers[0].shape[0]), _listed(regress), bins)
    if not isinstance(random_state, (int, np.integer)):
        random_state = check_random_state(random_state).randint(2**31)
    random = np.random.RandomState(random_state)
    seed = int(random.randint(0, 2**63, size=1, dtype=np.int64)[0])  # what a Perceptron of this random_state draws
    learn, rows, judges = sides(layers, labels, test, groups, types if control == "type" else None, random, device)
    salt = int(random.randint(2**31))
    aside = _aside(validation, rows, learn, random) if _chooses(methods, labels, l2, len(layers)) else None
    how = {"passes": passes, "deal": _dealer(order, len(rows), seed), "average": average, "l2": l2, "scale": scale}
    call = _Call(labels, learn, judges, methods, device, controls, salt, aside, how, progress)
    titles = _titles(names, len(layers))
    found = [part for number in range(len(layers)) for part in call.layer(number, titles[number] if stacked else "")]
    settings = {"passes": passes, "order": order, "average": average, "scale": scale, "l2": l2, "device": device}
    settings |= {"control": control, "random_state": int(random_state), "layers": titles if stacked else []}
    return Probes.join(found, settings, learn, call.confusions)


# ------------------------------------------------------------------------------------------------------- layer by layer


@dataclass(frozen=True)
class _Call:
    """What all layers and portions have in common."""

    labels: Labels
    learn: Side
    judges: Side | None
    methods: list[str]
    device: str
    controls: int
    salt: int
    aside: npt.NDArray[np.bool_] | None
    how: dict[str, Any]
    progress: Progress | None
    confusions: list[dict[str, Any]] = field(default_factory=list)

    @cached_property
    def shuffles(self) -> Shuffles:
        """Arrangements of groups; as many as the smallest p-value of this many probes needs."""
        columns = len(self.methods) * len(self.labels.names) + len(self.labels.number_names)
        return Shuffles(self.salt, columns * len(self.learn.layers))

    def layer(self, number: int, title: str) -> list[Probes]:
        """All probes of a layer, method by method."""
        X_learn = self.learn.on(self.device, number)
        X_test = self.judges.on(self.device, number) if self.judges else None
        trainer = Trainer(X_learn, self.device, aside=self.aside, **self.how)
        distinct = _row_numbers(X_learn)
        found = []
        for method in self.methods if self.labels.names else []:
            mine = []
            for cut in _portions(len(self.labels.names), X_learn.shape, self.controls, self.device):
                where = f"{title}: " * bool(title) + f"{method}, {_counted(cut)}"
                mine.append(self._classes(trainer, X_test, method, cut, number, distinct, self._tick(where)))
            if self.judges is not None:
                weights = np.concatenate([part.weights for part in mine], axis=1)
                told = confusions(X_test, self.labels, self.judges.signs, weights, self.judges.groups)
                self.confusions.extend({"layer": number, "method": method, **one} for one in told)
            found += mine
        return found + ([self._numbers(trainer, X_test, number)] if self.labels.number_names else [])

    def _classes(
        self, trainer: Trainer, X_test: Any, method: str, cut: slice, number: int, distinct: Any, tick: Tick | None
    ) -> Probes:
        learn, judges, names = self.learn, self.judges, self.labels.names[cut]
        Y = np.ascontiguousarray(learn.signs[:, cut])
        others = learn.controls(cut, self.controls, [self.salt, 0], learn, self.device)
        fitted, copies = trainer.fit_with_controls(method, Y, others, tick)
        seen = score(trainer.X, Y, fitted.weights, certify=True)
        null = score(trainer.X, others, copies).accuracy.reshape(self.controls, len(names))
        held, held_null = None, null[:0]
        if judges is not None:
            held = judge(
                X_test, judges.signs[:, cut], fitted.weights, judges.groups, self.shuffles, method == "logistic"
            )
            new = judges.controls(cut, self.controls, [self.salt, 1], learn, self.device)
            held_null = score(X_test, new, copies).accuracy.reshape(self.controls, len(names))
        return _record(
            names,
            method,
            number,
            fitted,
            held,
            held_null,
            null,
            seen,
            Y,
            None if judges is None else judges.signs[:, cut],
            distinct,
        )

    def _numbers(self, trainer: Trainer, X_test: Any, number: int) -> Probes:
        Y = self.learn.numbers
        fitted = trainer.fit("least-squares", Y)
        held = None
        if self.judges is not None:
            held = judge(X_test, self.judges.numbers, fitted.weights, self.judges.groups, self.shuffles, False)
        B, known = Y.shape[1], ~np.isnan(Y)
        nothing = np.full((self.controls, B), np.nan)
        counted = known.sum(axis=0)
        blank = np.zeros(B, dtype=np.int64)
        seen = Score(counted, blank, counted, np.full(B, np.nan), np.ones(B), blank)
        return _record(
            self.labels.number_names,
            "least-squares",
            number,
            fitted,
            held,
            nothing if held else nothing[:0],
            nothing,
            seen,
            known.astype(np.int8),
            None if self.judges is None else ~np.isnan(self.judges.numbers),
            None,
            numeric=True,
        )

    def _tick(self, where: str) -> Tick | None:
        progress, passes = self.progress, self.how["passes"]
        return None if progress is None else lambda made, left: progress(where, made, passes, left)


def _record(
    names: list[str],
    method: str,
    layer: int,
    fitted: FittedProbes,
    held: Findings | None,
    held_null: npt.NDArray[np.float64],
    null: npt.NDArray[np.float64],
    seen: Score,
    Y: npt.NDArray[np.int8],
    Y_test: npt.NDArray[Any] | None,
    distinct: npt.NDArray[np.int64] | None,
    numeric: bool = False,
) -> Probes:
    B = len(names)
    counts = _counts(Y, seen, distinct)
    worths = [_worth(*one, len(fitted.weights)) for one in counts]
    nothing = np.zeros(B, dtype=np.int64)
    return Probes(
        names=names,
        method=[method] * B,
        layer=np.full(B, layer),
        numeric=np.full(B, numeric),
        weights=fitted.weights,
        mistakes_per_pass=fitted.mistakes,
        passes=fitted.passes,
        gradient=fitted.gradient,
        strength=fitted.strength,
        choice=fitted.choice,
        labelled=seen.labelled,
        positive=seen.positive,
        different=np.array([different for _, _, different in counts], dtype=np.int64),
        wrong=seen.wrong,
        hidden=seen.hidden,
        margin=seen.margin,
        held_labelled=nothing if Y_test is None else count_columns(Y_test != 0),
        held_positive=nothing if Y_test is None else count_columns(Y_test > 0),
        measures=np.full((len(MEASURES), 3, B), np.nan) if held is None else held.values,
        p=np.full(B, np.nan) if held is None else held.p,
        log10_fair=np.array([worth[0] for worth in worths]),
        log10_sizes=np.array([worth[1] for worth in worths]),
        control_training=null,
        control_test=held_null,
    )


# ------------------------------------------------------------------------------------------------------------ arguments


def _methods(method: str | Sequence[str]) -> list[str]:
    methods = [method] if isinstance(method, str) else list(method)
    for one in methods:
        if one not in METHODS:
            raise ValueError(f"method={one!r} must be one of {', '.join(map(repr, METHODS))}.")
    if not methods or len(set(methods)) < len(methods):
        raise ValueError("method names no method, or one twice.")
    return methods


def _listed(names: bool | Sequence[str]) -> bool | list[str]:
    return names if isinstance(names, bool) else [names] if isinstance(names, str) else list(names)


def _titles(names: Sequence[str] | None, layers: int) -> list[str]:
    if names is None:
        return [f"layer {number}" for number in range(layers)]
    if len(names) != layers:
        raise ValueError(f"names has {len(names)} names for {layers} layers.")
    return [str(name) for name in names]


def _device(device: str) -> str:
    if device not in ("auto", "cpu", "cuda"):
        raise ValueError(f"device={device!r} must be 'auto', 'cpu' or 'cuda'.")
    if device == "cuda" and gpu.missing():
        raise ValueError(f"device='cuda' needs a GPU with torch and Triton: {gpu.missing()}.")
    return "cuda" if device == "cuda" or (device == "auto" and gpu.available()) else "cpu"


def _check(passes: int, order: str, controls: int, control: str, types: Any, l2: float | None) -> None:
    if order not in ("cyclic", "shuffled"):
        raise ValueError(f"order={order!r} must be 'cyclic' or 'shuffled'.")
    for name, value, least in (("passes", passes, 1), ("controls", controls, 0)):
        if not isinstance(value, (int, np.integer)) or value < least:
            raise ValueError(f"{name}={value!r} must be a whole number from {least} on.")
    if control not in ("labels", "type"):
        raise ValueError(f"control={control!r} must be 'labels' or 'type'.")
    if (control == "type") != (types is not None):
        raise ValueError("control='type' and types go together: the type of each row, for instance its word.")
    if l2 is not None and not 0 < l2 < np.inf:
        raise ValueError(f"l2={l2!r} must be a number above 0.")


def _chooses(methods: list[str], labels: Labels, l2: float | None, layers: int) -> bool:
    """Whether there is anything to choose: the layer, or λ."""
    penalised = bool(labels.number_names) or {"logistic", "least-squares"} & set(methods)
    return layers > 1 or (bool(penalised) and l2 is None)


def _aside(
    validation: Any, rows: npt.NDArray[np.int64], learn: Side, random: np.random.RandomState
) -> npt.NDArray[np.bool_] | None:
    """Which of the rows learned from are to choose on; None where they are too few to be parted."""
    if validation is None or len(rows) < _FEW or (learn.groups is not None and np.unique(learn.groups).size < 2):
        return None
    groups = None if learn.groups is None else np.unique(learn.groups, return_inverse=True)[1]
    if np.ndim(validation):
        validation = np.asarray(validation)
        if validation.ndim == 1 and len(validation) > len(rows):  # a mask of all rows; those of `test` stay there
            validation = validation[rows]
    return split(validation, len(rows), groups, random, "validation")


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


# ------------------------------------------------------------------------------------------------------------- portions


def _portions(probes: int, shape: tuple[int, int], controls: int, device: str) -> list[slice]:
    """Probes that are trained together with their controls, so that labels and weights stay within the budget."""
    each = (1 + controls) * (2 * shape[0] + 24 * (shape[1] + 1))
    size = max(1, min(probes, _BUDGET[device] // each))
    return [slice(first, min(probes, first + size)) for first in range(0, probes, size)]


def _counted(cut: slice) -> str:
    return f"probes {cut.start + 1}–{cut.stop}" if cut.stop - cut.start > 1 else f"probe {cut.stop}"


def _row_numbers(X: Any) -> npt.NDArray[np.int64] | None:
    """Equal numbers for equal rows; None where all differ, or where finding out would take long (bounds still hold)."""
    n, p = X.shape
    if n * p > 1 << 24 or hasattr(X, "is_cuda"):
        return None
    numbers: dict[bytes, int] = {}
    found = np.array([numbers.setdefault(row.tobytes(), len(numbers)) for row in np.asarray(X[0:n]) + 0.0])
    return None if len(numbers) == n else found


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
