"""A task from file to file: what `rosenblatt filter` does."""

import os
from pathlib import Path
from typing import Any

import numpy as np

from rosenblatt import filters
from rosenblatt.context import Progress
from rosenblatt.filters.machinery.base import AdaptiveFilter
from rosenblatt.filters.machinery.stepping import SteppingFilter
from rosenblatt.filters.uses.files import SignalFile, read_signals, write_signals
from rosenblatt.filters.uses.tasks import Filtered, cancel, equalize, identify, predict, refuse_other_roles

__all__ = ["ALGORITHMS", "filter_file", "make_filter"]

ALGORITHMS: dict[str, type[AdaptiveFilter]] = {
    "lms": filters.LMS,
    "nlms": filters.NLMS,
    "leaky": filters.LeakyLMS,
    "sign": filters.SignLMS,
    "projection": filters.AffineProjection,
    "rls": filters.RLS,
    "block": filters.BlockLMS,
    "pbfdaf": filters.PartitionedLMS,
    "kalman": filters.PartitionedKalman,
    "least-squares": filters.LeastSquaresFilter,
}
_POINTS = 400  # moments of the weights that are kept for a picture


def make_filter(algorithm: str, taps: int, **settings: object) -> AdaptiveFilter:
    """The filter of that name; a setting of None is left at its default, one it does not have is refused.

    >>> make_filter("rls", 8, forgetting=0.99, eta=None)
    RLS(forgetting=0.99)
    """
    kind = ALGORITHMS[algorithm]
    given = {name: value for name, value in settings.items() if value is not None}
    for name in given:
        if name not in kind._parameter_constraints:
            known = ", ".join(n for n in kind._parameter_constraints if n not in ("taps", "start"))
            raise ValueError(f"{name} is not a setting of {algorithm}; it has {known}.")
    learner = kind(taps=taps, **given)
    learner._validate_params()
    return learner


def filter_file(
    path: str | os.PathLike[str],
    task: str,
    filter: AdaptiveFilter,  # noqa: A002
    inputs: list[str] | None = None,
    desired: str | None = None,
    *,
    shift: int = 0,
    output: str | os.PathLike[str] | None = None,
    history: bool = False,
    progress: Progress | None = None,
) -> tuple[Filtered, SignalFile]:
    """Read signals, do the task, write the result.

    Parameters
    ----------
    path : path
        CSV, TSV, Parquet, NPY or WAV.
    task : {"identify", "cancel", "predict", "equalize"}
        As in `rosenblatt.filters.uses.tasks`.
    filter : a filter
        Learns, and goes on from what it has learned so far.
    inputs, desired : column names, or numbers counted from 0
        The input u and the desired signal d; by default the first and the second signal of the file. "predict" has one
        input, which is the desired signal too.
    shift : int, default 0
        `ahead` of "predict" (at least 1) or `delay` of "equalize"; the other tasks have none.
    output : path, optional
        Tables get the columns y and e, NPY and WAV files the result alone.
    history : bool, default False
        Keep enough of the weights to draw them.
    progress : callable, optional
        Called now and then with the number of samples done and of all.
    """
    refuse_other_roles(task, inputs, desired, shift)
    file = read_signals(path)
    names = file.signals
    left_out = f"; {', '.join(file.others)}: times, numbers of rows or texts" if file.others else ""
    if not names and not inputs:
        raise ValueError(f"{path}: there is no signal in it{left_out}.")
    if task != "predict" and desired is None and len(names) < 2:
        there = f"one signal, {names[0]!r}" if names else "no signal"
        raise ValueError(f"{path}: there is {there}; {task} needs two, an input and a desired one{left_out}.")
    u = np.column_stack([file[name] for name in inputs or names[:1]])
    d = u[:, 0] if task == "predict" else file[names[1] if desired is None else desired]
    options: dict[str, Any] = {"progress": progress}
    if history and isinstance(filter, SteppingFilter):
        options["history"] = max(1, len(d) // _POINTS)
    if task == "predict":
        result = predict(d, filter, ahead=max(1, shift), **options)
    elif task == "equalize":
        result = equalize(u, d, filter, delay=shift, **options)
    else:
        result = cancel(d, u, filter, **options) if task == "cancel" else identify(u, d, filter, **options)
    if output is not None:
        alone = Path(output).suffix.lower() in (".wav", ".npy")
        write_signals(output, {"output": result.output} if alone else {"y": result.y, "e": result.e}, file.rate)
    return result, file
