"""`fit`, all probes in one call: it reads the data, holds rows out, trains layer by layer, and measures."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rosenblatt.arguments import checked
from rosenblatt.context import Progress
from rosenblatt.probes.arguments import check_numbers, chooses, dealer, device_of, methods_of, rows_aside, titles_of
from rosenblatt.probes.layer_fits import LayerFits
from rosenblatt.probes.reading.activations import layers_of
from rosenblatt.probes.reading.labels import read_labels
from rosenblatt.probes.result import Probes
from rosenblatt.probes.sides import sides

__all__ = ["fit"]


@checked
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
        Activations, or a stack of L layers of them; every layer gets every probe. A list of layers is a stack, and so
        is a dict, whose keys name the layers.
    Y : array, torch tensor or table of shape (n, B), or n labels
        −1 and +1, with 0 for no label; or Booleans. Labels in one dimension: one probe for two classes, one against the
        rest for more. In a table, or a dict of columns, each is read by itself.
    method : str or list of str, default "perceptron"
        "perceptron", "logistic", "mean-difference", "least-squares", or several, side by side.
    test : float, Boolean array or tuple (X, Y) or (X, Y, groups), optional
        Rows held out to judge the probes on: a part of the rows, those of a mask, or data of their own, whose columns
        and classes are those of Y.
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
    settings |= {"control": control, "random_state": int(random_state), "layers": titles if stacked else []}
    return Probes.join(parts, settings, learn, call.confusions)
