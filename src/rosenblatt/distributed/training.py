"""`fit`: a learner of one machine, trained on a cluster; and a fit of a table, whose files are those of a fit here."""

import os
import time
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import Any, Literal, NamedTuple

import numpy as np
from sklearn.base import _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets

from distributed import Client
from rosenblatt.arrays import Floats
from rosenblatt.blocks import Blocks, DataWanted, DealtBlocks, ShardSurvey, Site, deal_rows, reach, read, shard
from rosenblatt.context import SILENT, Context, Progress
from rosenblatt.data import Encoding
from rosenblatt.data.numbers import as_rows
from rosenblatt.data.tables import Table
from rosenblatt.distributed import passes
from rosenblatt.distributed.all_rows import begin_on_all_rows
from rosenblatt.distributed.mixing import MixedRun
from rosenblatt.distributed.passes import ShardedExamples
from rosenblatt.distributed.prediction import blocks
from rosenblatt.learners.least_squares import LeastSquares
from rosenblatt.learners.logistic import Logistic
from rosenblatt.learners.runs import BatchRun, Interrupted, Settings, finish_all
from rosenblatt.learners.runs import Progress as Callbacks
from rosenblatt.learners.runs.ending import PROVED, of_rounded
from rosenblatt.learners.shared import checks
from rosenblatt.learners.shared.base import LinearClassifier
from rosenblatt.learners.shared.classifier import Classifier
from rosenblatt.learners.shared.foundation import with_callbacks
from rosenblatt.learners.shared.online import OnlineClassifier
from rosenblatt.learners.shared.table_fit import Judged, TableFit, written_labels
from rosenblatt.models import RunState
from rosenblatt.models.run_state import Checkpoint

__all__ = ["ShardedTableFit", "fit", "fit_coded"]


_SIDE_BY_SIDE = 8  # classes learned at a time

Mixing = Literal["mistakes", "uniform"]


def fit(
    estimator: Any,
    X: Any,
    y: Any = None,
    client: Client | None = None,
    *,
    mixing: Mixing = "mistakes",
    deal: bool | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_every: int = 10,
    sample_weight: Any = None,
    progress: Progress | None = None,
) -> Any:
    """Train a learner on a cluster: by iterative parameter mixing over shards (see `distributed.mixing`), or by sums.

    `LeastSquares`, and `Logistic` with mode="newton", go by sums of whole numbers over all rows: their weights have the
    same bits however the rows are cut into shards, and are those of the local fit to nine digits or more, where columns
    do not nearly depend on each other. Their checkpoint is written after every step.

    Everything a fit on one machine leaves is there: `outcome_` (SEPARATED only with every sign certified on its
    worker, CYCLING only with an exact witness), `mistakes_per_pass_`, `witness_`, callbacks, and besides
    `mistakes_per_shard_`. The weights depend on the shards, never on the workers; one shard gives the local fit's.

    Parameters
    ----------
    estimator : Perceptron, PassiveAggressive, LeastSquares, Logistic with mode="newton" or "incremental", or Adaline
        The learner; it is fitted in place and returned. `n_jobs` does not matter: the workers' threads do the work.
    X : Dask array, Dask dataframe, Parquet files, list of stores, or list of (X, y) pairs
        A chunk, partition, file, store or pair is a shard. Files are a folder, a pattern ("rows/*.parquet") or a list.
        Pairs, which may have row weights as a third member, hold arrays, sparse matrices, tables or paths of .npy
        files; files and stores must be seen by the workers. Text and categorical columns of dataframes and files become
        0/1 columns as `rb.data.open_table` makes them; `encoding_` then says how.
    y : labels in the same shards, or the name of a column
        Not with stores and pairs.
    client : distributed.Client or "here", optional
        See `connect`; by default the client in force. "here": this process goes through the shards one after the other,
        to the bits that a cluster would give.
    mixing : {"mistakes", "uniform"}
        Weigh a shard's weights by the corrections it made, or all alike.
    deal : bool, optional
        Whether rows are dealt across the shards before they are mixed. By default where shards differ in their classes
        beyond chance, as they do where rows are sorted by class: every row travels once, and the mixture is as good as
        that of shuffled rows. Row numbers are those of the data as given.
    checkpoint : path, optional
        Written every `checkpoint_every` passes. Where the file exists the fit goes on from it, bit for bit.
    checkpoint_every : int
        Passes.
    sample_weight : weights in the same shards, or the name of a column, optional
        They scale the steps; a row of weight zero is absent. Stores and pairs have theirs with them.
    progress : callable, optional
        Called with what is being done, how many shards have answered, and how many there are (None: not known).

    Examples
    --------
    >>> import rosenblatt as rb, dask.array as da
    >>> from distributed import Client
    >>> data = rb.datasets.margin_cloud(400, 3, margin=0.3, random_state=0)
    >>> X, y = da.from_array(data.X, chunks=(100, -1)), da.from_array(data.y, chunks=100)
    >>> with Client(processes=False, dashboard_address=":0") as client:  # threads; else rb.distributed.connect(address)
    ...     model = rb.distributed.fit(rb.Perceptron(), X, y, client)
    >>> str(model.outcome_), model.mistakes_per_shard_.shape[1], float(model.score(data.X, data.y))
    ('SEPARATED', 4, 1.0)
    """
    if mixing not in ("mistakes", "uniform"):
        raise ValueError(f"mixing is {mixing!r}; it must be 'mistakes' or 'uniform'.")
    if checkpoint_every < 1:
        raise ValueError(f"checkpoint_every is {checkpoint_every}; it must be at least 1.")
    _refuse_other_learners(estimator)
    asked = _HowToFit(mixing, deal, checkpoint, checkpoint_every, sample_weight, Context(progress=progress))
    return _fit(estimator, X, y, reach(client), asked)


def fit_coded(estimator: Any, shards: list[Any], client: Client, classes: Any, checkpoint: Any) -> Any:
    """`fit` for rows whose labels are codes: places of their classes in `classes`, or −1 and +1 for two classes."""
    _refuse_other_learners(estimator)
    return _fit(estimator, shards, None, reach(client), _HowToFit("mistakes", None, checkpoint, 10, classes=classes))


class _HowToFit(NamedTuple):
    """How the fit is to be made."""

    mixing: Mixing
    deal: bool | None
    checkpoint: Any
    every: int
    weights: Any = None
    context: Context = SILENT
    classes: Any = None  # what the labels stand for, where they are codes


@with_callbacks
@_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
def _fit(estimator: Any, X: Any, y: Any, place: Site, asked: _HowToFit) -> Any:
    estimator._refuse_contradictions()
    wanted = DataWanted(y, asked.weights)
    raw, surveys, encoding = read(place, X, wanted, estimator.fit_intercept, context=asked.context)
    everything = _MergedSurveys(estimator, surveys)
    everything.describe(estimator, asked.classes, encoding)
    summed = _looks_at_all_rows(estimator)
    raw = raw if summed else deal_rows(raw, surveys, everything.classes, asked.deal)
    common = {"factors": everything.factors, "bias": estimator.fit_intercept, "radius_sq": everything.radius_sq}
    shards = raw.become(shard.prepare, "reading the data", positive=everything.positive, **common)
    del raw  # the workers drop what only the reading needed
    examples = [everything.examples(shards, k, estimator.fit_intercept) for k in range(len(everything.positive))]
    keeper = Keeper(asked.checkpoint, asked.every, everything.about(estimator, asked.mixing, shards))
    earlier = [keeper.earlier(k) for k in range(len(examples))]
    if summed:
        runs: list[Any] = begin_on_all_rows(estimator, examples, any(one.sparse for one in surveys), earlier)
    else:
        runs = _begin(estimator, examples, asked.mixing, earlier, keeper.note)
    look = keeper.note if summed else None
    callbacks = Callbacks(estimator, len(runs), estimator.max_passes, X, y, asked.weights, look)
    _finish(runs, callbacks, keeper)
    if any(run.outcome in PROVED for run in runs) and any(shards.map(passes.is_rounded, "looking at the numbers")):
        for run in runs:
            run.outcome = of_rounded(run.outcome) if run.outcome in PROVED else run.outcome
    estimator._keep(runs)
    estimator._report(runs)
    if not summed:
        _report_mixing(estimator, runs, len(shards))
    callbacks.close()
    return estimator


def _finish(runs: list[Any], callbacks: Callbacks, keeper: "Keeper") -> None:
    """All runs to their ends; broken off, they leave a checkpoint."""
    try:
        finish_all(runs, 1 if callbacks.watched else min(len(runs), _SIDE_BY_SIDE), callbacks)
    except ConnectionError as why:
        raise ConnectionError(f"{why}{keeper.write()}") from why
    except BaseException:
        keeper.write()
        raise


def _report_mixing(estimator: Any, runs: list[MixedRun], shards: int) -> None:
    """What a mixed fit leaves besides the attributes of any fit."""
    for state in estimator._states:  # a fit that goes on from here on one machine has no shards
        state.books = {}
        for name in ("traced_rows", "traced_steps", "traced_times") if shards > 1 else ():
            setattr(state, name, getattr(state, name)[:0])
    tables = [np.array(run.mistakes_per_shard, dtype=np.int64) for run in runs]
    estimator.mistakes_per_shard_ = tables if len(tables) > 1 else tables[0]


def _begin(
    estimator: Any,
    examples: list[ShardedExamples],
    mixing: str,
    earlier: list[RunState | None],
    note: Callable[[MixedRun], None],
) -> list[MixedRun]:
    """One run per class, as the local fit would begin them, or where each stood in a checkpoint."""
    runs = []
    for at in estimator._beginnings(examples, earlier):
        plan = estimator._begin(at)  # as on one machine, in units of its own
        settings = limits_left(plan.settings, plan.earlier)
        more = {"goal": plan.goal, "mixing": mixing, "at_pass_end": note, "units": plan.units}
        runs.append(MixedRun(at.examples, plan.rule, settings, plan.start, earlier=plan.earlier, **more))
    return runs


class _MergedSurveys:
    """The surveys of all shards as one: rows, columns, classes, weights."""

    def __init__(self, estimator: Any, surveys: list[ShardSurvey]) -> None:
        self.surveys, self.p, self.names = surveys, surveys[0].p, surveys[0].names
        self.n = sum(one.n for one in surveys)
        self.radius_sq = max(one.radius_sq for one in surveys)
        labels = np.concatenate([one.classes for one in surveys])
        check_classification_targets(labels)
        self.classes = checks.classes_of(labels, positive=estimator.positive)
        places = np.array([self.classes.tolist().index(label) for label in labels.tolist()])
        self.counts = np.bincount(places, weights=np.concatenate([one.counts for one in surveys]))
        self.weighted = np.bincount(places, weights=np.concatenate([one.weighted for one in surveys]))
        self.heaviest = max((one.heaviest for one in surveys if one.heaviest is not None), default=None)
        self.factors = self._class_weights(estimator.class_weight)

    @property
    def positive(self) -> list[Any]:
        """The label of each run that is told from the rest."""
        return list((self.classes[1:] if len(self.classes) == 2 else self.classes).tolist())

    def describe(self, estimator: Any, classes: Any, encoding: Encoding | None) -> None:
        """The attributes that every fit sets from its data; `classes` are what its labels stand for."""
        if classes is not None and len(classes) != len(self.classes):
            raise ValueError(f"the rows have {len(self.classes)} of the {len(classes)} classes.")
        estimator.classes_ = self.classes if classes is None else np.asarray(classes)
        estimator.n_features_in_ = self.p
        for name in ("feature_names_in_", "encoding_"):
            estimator.__dict__.pop(name, None)
        if encoding is not None:
            estimator.encoding_ = encoding
        elif self.names is not None:
            estimator.feature_names_in_ = np.array(self.names, dtype=object)

    def examples(self, shards: Blocks, k: int, bias: bool) -> ShardedExamples:
        """What run k learns from; no row is here."""
        factors = np.array(list(self.factors.values())) if self.factors else np.ones(len(self.classes))
        present = int(self.weighted[factors > 0].sum())
        weighted = self.heaviest is not None or self.factors
        weights = np.array([(self.heaviest or 1.0) * factors.max()] if weighted else [])  # of all only the heaviest
        names = None if self.names is None else tuple(map(str, self.names))
        nothing, no_labels = as_rows(np.empty((0, self.p))), np.empty(0, dtype=np.int8)
        return ShardedExamples(nothing, no_labels, weights, bias, self.radius_sq, shards, k, present, names=names)

    def about(self, estimator: Any, mixing: str, shards: Blocks) -> dict[str, Any]:
        """What must be the same where a fit goes on from a checkpoint; limits may differ."""
        limits = ("max_passes", "max_updates", "patience", "n_jobs", "warm_start")
        parameters = {name: repr(v) for name, v in estimator.get_params().items() if name not in limits}
        how = {"mixing": mixing} | ({"deal": shards.deal.groups} if isinstance(shards, DealtBlocks) else {})
        return {
            "learner": type(estimator).__name__,
            "parameters": parameters,
            "the shards' rows": [one.n for one in self.surveys],
            "the content of the shards": [one.digest for one in self.surveys],
            **how,
        }

    def _class_weights(self, class_weight: Any) -> dict[Any, float]:
        if class_weight is None:
            return {}
        if class_weight == "balanced":  # as scikit-learn computes it from all labels
            factors: Floats = self.counts.sum() / (len(self.classes) * self.counts)
        else:
            factors = compute_class_weight(class_weight, classes=self.classes, y=self.classes)
        if (factors < 0).any() or not factors.any():
            raise ValueError("class_weight must be weights ≥ 0, not all zero.")
        return dict(zip(self.classes.tolist(), factors.tolist(), strict=True))


# ---------------------------------------------------------------------------------------------------------- checkpoints


class Keeper:
    """Writes the checkpoint every so many passes, at the end, and when the fit is broken off.

    Without a path it does nothing. `about` says which fit the checkpoint belongs to.
    """

    def __init__(self, path: str | os.PathLike[str] | None, every: int, about: dict[str, Any]) -> None:
        self._file = None if path is None else Checkpoint(Path(path), lambda: about)
        self._every, self._lock = every, Lock()  # classes learn side by side
        self._earlier = {} if self._file is None else self._file.load()
        self._latest = dict[int, RunState]()

    def earlier(self, k: int) -> RunState | None:
        """Where run k stood in the checkpoint; the limits are those of the fit that goes on."""
        return replace(self._earlier[k], goal=None) if k in self._earlier else None

    def note(self, run: MixedRun | BatchRun) -> None:
        """A pass has ended, or a step over all rows, which is always written."""
        if self._file is None or (isinstance(run, MixedRun) and run.clock.in_pass):  # a pass cut short is made again
            return
        assert isinstance(run.examples, ShardedExamples)
        with self._lock:
            self._latest[run.examples.k] = state = run.state()
            due = isinstance(run, BatchRun) or len(state.mistakes_per_pass) % self._every == 0
            if due or run.outcome is not None:
                self._file.save(self._earlier | self._latest)

    def write(self) -> str:
        """Write the latest states; returns a sentence for the person who was interrupted."""
        with self._lock:
            if self._file is None or not self._latest:
                return ""
            self._file.save(self._earlier | self._latest)
        passes = max(len(state.mistakes_per_pass) for state in self._latest.values())
        return f" The checkpoint {self._file.path} holds {passes} passes: the same call goes on from there."


def limits_left(settings: Settings, state: RunState | None) -> Settings:
    """The limits, less what was used up before."""
    if state is None:
        return settings
    updates = None if settings.max_updates is None else settings.max_updates - state.corrections
    return replace(settings, max_passes=settings.max_passes - state.passes, max_updates=updates)


# ------------------------------------------------------------------------------------------------------- which learners


def _looks_at_all_rows(estimator: Any) -> bool:
    """Whether the learner goes by sums over all rows, not by mixing."""
    return isinstance(estimator, LeastSquares) or (isinstance(estimator, Logistic) and estimator.mode == "newton")


def _refuse_other_learners(estimator: Any) -> None:
    if not isinstance(estimator, LinearClassifier):
        kind = type(estimator).__name__
        if isinstance(estimator, Classifier):
            raise TypeError(f"{kind} keeps rows, not one weight for each column: it learns on one machine.")
        raise TypeError(f"estimator must be one of rosenblatt's learners, not a {kind}.")
    if _looks_at_all_rows(estimator):
        return
    if not isinstance(estimator, OnlineClassifier) or getattr(estimator, "mode", "incremental") != "incremental":
        raise ValueError(
            f"{type(estimator).__name__} as configured looks at all rows before it moves, and mixing is for learners "
            f"that correct row by row: Perceptron, PassiveAggressive, Adaline or Logistic with mode='incremental'. "
            f"LeastSquares, and Logistic with mode='newton', go by sums over all shards."
        )
    if getattr(estimator, "multiclass", "") == "kesler":
        raise ValueError('multiclass="kesler" is for one machine; on a cluster use multiclass="ovr".')
    if getattr(estimator, "average", False) is True and getattr(estimator, "order", "") == "random":
        raise ValueError("average=True with order='random' may end within a pass; on a cluster use order='shuffled'.")


class ShardedTableFit(TableFit):
    """A `TableFit` whose rows are in shards; `loaded` may have only their labels."""

    def __init__(
        self, loaded: Table, shards: list[Any], client: Any, model: Any, output: Path, validation: Table | None
    ) -> None:
        super().__init__(loaded, model, output, validation)
        self.shards, self.client = shards, client

    def run_on_shards(self) -> float:
        """Learn, or go on learning, and write the model; returns the seconds it took."""
        began = time.monotonic()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # the outcome says it
            try:
                classes = written_labels(self.loaded.classes)
                fit_coded(self.model, self.shards, self.client, classes, self.checkpoint.path)
            except KeyboardInterrupt:
                if not self.checkpoint.path.exists():  # not one pass was made
                    raise
                raise Interrupted(self.checkpoint.path) from None
        seconds = time.monotonic() - began
        self.model.__dict__.pop("feature_names_in_", None)  # the encoding has them
        self._write_all()
        return seconds

    def judge_training(self) -> Judged:
        """How the model does on the rows it learned from, worked out by the workers."""
        said = np.concatenate(list(blocks(self.model, self.shards, self.client)))
        mistaken = said != self.labels(self.loaded)
        return Judged(len(mistaken), int(np.count_nonzero(mistaken)))
