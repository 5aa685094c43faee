"""`fit`, all probes in one call: it reads the data, holds rows out, trains layer by layer, and measures."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rosenblatt.arguments import checked
from rosenblatt.arrays import Places
from rosenblatt.context import Progress
from rosenblatt.probes.devices import gpu
from rosenblatt.probes.devices.arrays import RowSource, is_tensor
from rosenblatt.probes.devices.training import Deal
from rosenblatt.probes.layer_fits import LayerFits
from rosenblatt.probes.learning.trainer import METHODS
from rosenblatt.probes.reading.activations import layers_of
from rosenblatt.probes.reading.copies import copies
from rosenblatt.probes.reading.labels import Labels, read_labels
from rosenblatt.probes.reading.sides import Side, sides, split
from rosenblatt.probes.result import Probes

__all__ = ["check_numbers", "chooses", "dealer", "device_of", "fit", "methods_of", "rows_aside", "titles_of"]

_FEW = 20  # with fewer rows all are learned from, and none is set aside to choose on
_SPREAD = 16  # so many concepts are spread evenly over the parts of a cross-validation


def methods_of(method: str | Sequence[str]) -> list[str]:
    """The names of the methods; an unknown one, or one named twice, is refused."""
    methods = [method] if isinstance(method, str) else list(method)
    for name in methods:
        if name not in METHODS:
            raise ValueError(f"method={name!r} must be one of {', '.join(map(repr, METHODS))}.")
    if not methods or len(set(methods)) < len(methods):
        raise ValueError("method names no method, or one twice.")
    return methods


def titles_of(names: Sequence[str] | None, layers: int) -> list[str]:
    """The name of each layer."""
    if names is None:
        return [f"layer {number}" for number in range(layers)]
    if len(names) != layers:
        raise ValueError(f"names has {len(names)} names for {layers} layers.")
    return [str(name) for name in names]


def device_of(device: str) -> str:
    """The device to train on, "cpu" or "cuda"; a GPU that cannot be used is refused."""
    if device not in ("auto", "cpu", "cuda"):
        raise ValueError(f"device={device!r} must be 'auto', 'cpu' or 'cuda'.")
    if device == "cuda" and gpu.missing():
        raise ValueError(f"device='cuda' needs a GPU with torch and Triton: {gpu.missing()}.")
    return "cuda" if device == "cuda" or (device == "auto" and gpu.available()) else "cpu"


def check_numbers(passes: int, order: str, controls: int, control: str, types: object, l2: float | None) -> None:
    """Refuse numbers out of range and choices that do not exist."""
    if order not in ("cyclic", "shuffled"):
        raise ValueError(f"order={order!r} must be 'cyclic' or 'shuffled'.")
    for name, value, least in (("passes", passes, 1), ("controls", controls, 0)):
        if not isinstance(value, (int, np.integer)) or value < least:
            raise ValueError(f"{name}={value!r} must be a whole number from {least} on.")
    if control not in ("labels", "type"):
        raise ValueError(f"control={control!r} must be 'labels' or 'type'.")
    if (control == "type") != (types is not None):
        raise ValueError("control='type' and types go together: the type of each row, for instance its word.")
    if l2 is not None and not (isinstance(l2, (int, float, np.number)) and 0 < l2 < np.inf):
        raise ValueError(f"l2={l2!r} must be a number above 0.")


def chooses(methods: list[str], labels: Labels, l2: float | None, layers: int) -> bool:
    """Whether there is anything to choose: the layer, or λ."""
    penalised = bool(labels.number_names) or {"logistic", "least-squares"} & set(methods)
    return layers > 1 or (bool(penalised) and l2 is None)


def rows_aside(validation: Any, rows: Places, learn: Side, random: np.random.RandomState) -> Places | None:
    """The part of each training row in a cross-validation, −1 where it is never set aside; None: nothing to choose on.

    Rows of a group are in one part. A few concepts are spread evenly over the parts.
    """
    if validation is None or len(rows) < _FEW or (learn.groups is not None and np.unique(learn.groups).size < 2):
        return None
    groups = None if learn.groups is None else np.unique(learn.groups, return_inverse=True)[1]
    if np.ndim(validation):
        validation = np.asarray(validation)
        if validation.ndim == 1 and len(validation) > len(rows):  # a mask of all rows; those of `test` stay there
            validation = validation[rows]
    if not isinstance(validation, (int, np.integer)) or isinstance(validation, bool) or validation < 2:
        return np.where(split(validation, len(rows), groups, random, "validation"), 0, -1)
    if groups is not None:
        return random.permutation(int(groups.max()) + 1)[groups] % validation
    order = random.permutation(len(rows))
    if learn.signs.shape[1] <= _SPREAD:
        kinds = np.unique(learn.signs, axis=0, return_inverse=True)[1].ravel()
        order = order[np.argsort(kinds[order], kind="stable")]
    part = np.empty(len(rows), dtype=np.int64)
    part[order] = np.arange(len(rows)) % validation
    return part


def dealer(order: str, n: int, seed: int) -> Deal | None:
    """The permutations that a Perceptron with this seed makes."""
    if order == "cyclic":
        return None
    from rosenblatt.kernels.kinds import Shuffled
    from rosenblatt.kernels.orders import deal_pass

    shuffled = Shuffled(n, np.uint64(seed), np.empty(n, dtype=np.uint32))

    def deal(number: int) -> Places:
        deal_pass(shuffled, number * n)
        return np.asarray(shuffled.permutation, dtype=np.int64)

    return deal


@checked
def fit(
    X: Any,
    Y: Any,
    *,
    method: str | Sequence[str] = "logistic",
    test: Any = None,
    validation: Any = 3,
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

    The default, logistic regression whose penalty is chosen for each probe by cross-validation, reads as well as a
    tuned one. A perceptron starts from zero, is corrected after each mistake (y·s ≤ 0), and ends with its first pass
    without one. With `scale=False`, on data whose sums float carries exactly, it makes the corrections of
    `rb.Perceptron`; elsewhere it is equal to rounding. Training is in the precision of X on the CPU, in float32 (not
    TF32) on a GPU. Measures are made in float64, and SEPARATED is claimed on the values as given, each sign certified.

    Parameters
    ----------
    X : array, memory map, torch tensor or table of shape (n, p), or (L, n, p)
        Activations, or a stack of L layers of them; every layer gets every probe. A list of layers is a stack, and so
        is a dict, whose keys name the layers.
    Y : array, torch tensor or table of shape (n, B), or n labels
        −1 and +1, with 0 for no label; or Booleans. Labels in one dimension: one probe for two classes, one against the
        rest for more. In a table, or a dict of columns, each is read by itself.
    method : str or list of str, default "logistic"
        "perceptron", "logistic", "mean-difference", "least-squares", or several, side by side.
    test : float, Boolean array or tuple (X, Y) or (X, Y, groups), optional
        Rows held out to judge the probes on: a part of the rows, those of a mask, or data of their own, whose columns
        and classes are those of Y.
    validation : int, float or Boolean array (a mask of the n rows), default 3
        Rows to choose on, of those that are not `test`: λ of a penalised method, and the layer of each concept
        (`Probes.best`). Three parts, say, are set aside in turn; or a part of the rows, or those of a mask, once. (A
        perceptron's run takes long: of three parts it is made without the first.) Then probes learn from all rows.
        None: no choice.
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
        Called with a text (which probes are trained, and how many of them and their controls still learn), the passes
        made, and the most passes.

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

    device, methods = device_of(device), methods_of(method)
    check_numbers(passes, order, controls, control, types, l2)
    names = list(X) if names is None and isinstance(X, Mapping) else names
    layers, stacked = layers_of(X, device == "cuda")
    labels = read_labels(Y, int(layers[0].shape[0]), regress, bins)
    if not isinstance(random_state, (int, np.integer)):
        random_state = check_random_state(random_state).randint(2**31)
    random = np.random.RandomState(random_state)
    seed = int(random.randint(0, 2**63, size=1, dtype=np.int64)[0])  # what a Perceptron of this random_state draws
    learn, rows, judges = sides(layers, labels, test, groups, types if control == "type" else None, random, device)
    salt = int(random.randint(2**31))
    aside = rows_aside(validation, rows, learn, random) if chooses(methods, labels, l2, len(layers)) else None
    how = {"passes": passes, "deal": dealer(order, len(rows), seed), "average": average, "l2": l2, "scale": scale}
    call = LayerFits(labels, learn, judges, methods, device, controls, salt, aside, how, progress)
    titles = titles_of(names, len(layers))
    parts = [part for number in range(len(layers)) for part in call.layer(number, titles[number] if stacked else "")]
    settings = {"passes": passes, "order": order, "average": average, "scale": scale, "l2": l2, "device": device}
    if judges is not None:
        settings["copies"] = _shared_rows(layers[0], rows, judges, isinstance(test, (tuple, list)))
    settings |= {"control": control, "random_state": int(random_state), "layers": titles if stacked else []}
    return Probes.join(parts, settings, learn, call.confusions)


def _shared_rows(X: RowSource, rows: Places, judges: Side, own: bool) -> str:
    """What is to be said of rows that were learned and are judged, in the first layer; "" where there are none."""
    if not own:
        side = np.ones(X.shape[0], dtype=np.int64)
        side[rows] = 0
        return copies(X, side).sentence
    other = judges.layers[0]
    if any(is_tensor(one) for one in (X, other)):
        return ""
    both = np.concatenate([X[0 : X.shape[0]], other[0 : other.shape[0]]])
    found = copies(both, (np.arange(len(both)) >= X.shape[0]) * 1).sentence
    return found and f"{found} Rows of test are counted on from those of X."
