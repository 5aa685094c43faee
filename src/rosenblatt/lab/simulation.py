"""Everything the page shows about some points: one run of a learner, the verdict, the theorem's numbers, the rivals.

Nothing is worked out here that another part can be asked; the page gets the mistake sequence and replays it.
"""

import time
import warnings
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from rosenblatt.data.rows import as_rows
from rosenblatt.lab.features import MAPS, expand
from rosenblatt.lab.packing import pack, unpack
from rosenblatt.lab.settings import LabSettings
from rosenblatt.learners import Adaline, LeastSquares, Logistic
from rosenblatt.learners.base import LinearClassifier
from rosenblatt.learners.examples import Examples
from rosenblatt.learners.run import Run
from rosenblatt.theory import Extremes, convergence, mistake_bound
from rosenblatt.verdicts.decision import Verdict, separability

__all__ = ["LabPoints", "answer", "simulate"]

_MOST_POINTS = 20_000
_MOST_VALUES = 2_000_000
_FARTHEST = 1e30  # squares of squares of it are still float64
_LARGEST_BOUND = 10**300  # that the page can still write
_VERDICT_SECONDS = 5.0
_DRAFT_SECONDS = 0.2
_SAMPLES = 300  # of a curve
_DRAWN_WITNESS = 64  # rows


@dataclass(frozen=True)
class LabPoints:
    """n points with p features and a class, −1 or +1, each."""

    X: npt.NDArray[np.float64]
    y: npt.NDArray[np.int8]

    @classmethod
    def read(cls, header: dict[str, Any], columns: dict[str, npt.NDArray[Any]]) -> "LabPoints":
        """From a message; what cannot be learned from is refused in a sentence."""
        n, p = header.get("n"), header.get("p")
        if type(n) is not int or type(p) is not int or n < 0 or p < 1:
            raise ValueError("the message must say how many points there are, and how many features.")
        if n > _MOST_POINTS or max(n, 1) * p > _MOST_VALUES:
            raise ValueError(
                f"{n:,} points with {p:,} features are too many for the lab, which takes {_MOST_POINTS:,} points and "
                f"{_MOST_VALUES:,} values; rb.separability and rb.Perceptron take them."
            )
        X, y = columns.get("X"), columns.get("y")
        if X is None or y is None or X.dtype != np.float64 or X.size != n * p or y.size != n:
            raise ValueError(f"the message must hold {n} × {p} numbers and {n} classes.")
        X = X.reshape(n, p)
        bad = np.argwhere(~np.isfinite(X))
        if bad.size:
            raise ValueError(f"point {bad[0][0] + 1} has no finite value for feature {bad[0][1] + 1}.")
        far = np.argwhere(np.abs(X) > _FARTHEST)
        if far.size:
            raise ValueError(
                f"point {far[0][0] + 1} has a value above {_FARTHEST:g} in feature {far[0][1] + 1}, too far out for "
                f"the lab; rb.separability takes it."
            )
        wrong = np.flatnonzero(np.abs(y) != 1)
        if wrong.size:
            raise ValueError(f"the class of point {wrong[0] + 1} must be −1 or +1; it is {int(y[wrong[0]])}.")
        return cls(X, y.astype(np.int8))


def answer(message: bytes) -> bytes:
    """Bytes in, bytes out: what the server and the notebook do with a message from the page."""
    header, columns = unpack(message)
    settings = header.get("settings", {})
    if not isinstance(settings, dict):
        raise ValueError("settings must be an object.")
    return simulate(LabPoints.read(header, columns), LabSettings.read(settings))


def simulate(points: LabPoints, settings: LabSettings) -> bytes:
    """The run and all that is known about these points, packed for the page.

    >>> X, y = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array([-1, 1, 1, -1], dtype=np.int8)
    >>> header, columns = unpack(simulate(LabPoints(X, y), LabSettings()))
    >>> header["verdict"]["kind"], header["outcome"]["name"], header["witness"]["point"]
    ('overlap', 'CYCLING', [0.5, 0.5])
    """
    began = time.perf_counter()
    Z = expand(points.X, settings.phi)
    header: dict[str, Any] = {"n": len(Z), "p": points.X.shape[1], "d": Z.shape[1] + 1, "added": [*MAPS[settings.phi]]}
    if len(Z) == 0:
        empty: dict[str, npt.NDArray[Any]] = {
            "rows": np.empty(0, np.int32),
            "steps": np.empty(0),
            "start": np.zeros(Z.shape[1] + 1),
        }
        return pack({**header, "verdict": None, "outcome": None}, empty)
    two = len(np.unique(points.y)) == 2  # one class alone is separable, but by no line worth drawing
    run = record(Z, points.y, settings)
    limit = _DRAFT_SECONDS if settings.draft else _VERDICT_SECONDS
    verdict = separability(Z, points.y, time_limit=limit, numbers="binary")  # as the run has them
    header |= {
        "outcome": {"name": str(run.outcome), "sentence": run.outcome.sentence if run.outcome else ""},
        "seed": hex(run.settings.seed),
        "eta": float(getattr(run.rule, "eta", 0.0)),
        "mistakes": run.mistakes_per_pass[:2000],
        "passes": len(run.mistakes_per_pass),
        "verdict": _verdict(verdict, two),
        "witness": _witness(verdict, points, Z),
        "rivals": [] if settings.draft or not two else _rivals(Z, points.y, settings),
    }
    columns = _columns(run)
    theorem, curves = _theorem(run, verdict if two else None, Z, points.y, settings)
    header["theorem"] = theorem
    header["seconds"] = time.perf_counter() - began
    return pack(header, columns | curves)


def record(X: npt.NDArray[np.float64], y: npt.NDArray[np.int8], settings: LabSettings) -> Run:
    """One run of the chosen learner with every step written down, as `fit` would make it."""
    model, rows = settings.model(len(X)), as_rows(X)
    random = check_random_state(settings.seed)
    start = model._starts(1, rows.p, random)[0]
    seed = int(random.randint(0, 2**63, size=1, dtype=np.int64)[0])
    examples = Examples(rows, y, np.empty(0), True, rows.radius_sq(True))
    model.classes_ = np.array([-1, 1])
    plain = model._begin(examples, start, seed, None)
    assert isinstance(plain, Run)
    names = tuple(f"x{j + 1}" for j in range(rows.p)) if rows.p != 2 + len(MAPS[settings.phi]) else None
    names = names or ("x1", "x2", *MAPS[settings.phi])
    goal = None if plain.goal is None else replace(plain.goal, names=names)
    return Run(examples, plain.rule, replace(plain.settings, trace=True), start, goal=goal).finish()


def _columns(run: Run) -> dict[str, npt.NDArray[Any]]:
    trace = run.trace
    assert trace is not None
    return {
        "rows": trace.rows.astype(np.int32),
        "steps": trace.steps,
        "start": trace.start,
        "end": run.running,
        "pass_ends": trace.pass_ends.astype(np.int32),
    }


def _verdict(verdict: Verdict, two: bool) -> dict[str, Any]:
    plane, street = verdict.hyperplane, verdict.street
    drawn = None
    if street is not None and two:
        middle = street.hyperplane
        drawn = {"lower": street.lower, "upper": street.upper, "w": [*middle.w.tolist(), middle.b]}
    return {
        "kind": verdict.kind,
        "sentence": verdict.sentence,
        "proved": verdict.certificate is not None,
        "w": None if plane is None or not two else [*plane.w.tolist(), plane.b],
        "street": drawn,
        "margin": verdict.margin,
        "limits": verdict.limits,
        "radius": verdict.radius,
        "bound": verdict.mistake_bound,
        "worth": None if verdict.cover is None else verdict.cover.sentence(verdict.kind),
        "plane": len(verdict.rows["plane"]) if verdict.rows else 0,
    }


def _witness(verdict: Verdict, points: LabPoints, Z: npt.NDArray[np.float64]) -> dict[str, Any] | None:
    """The rows whose mixtures coincide, their parts of one, and where: a point in both classes' hulls."""
    mixture = verdict.witness
    if mixture is None:
        return None
    total = sum(m for i, m in mixture.items() if points.y[i] > 0)
    rows = sorted(mixture)
    if len(rows) > _DRAWN_WITNESS or total == 0:
        return None
    parts = [float(Fraction(mixture[i], total)) for i in rows]
    mine = [k for k, i in enumerate(rows) if points.y[i] > 0]
    point = sum((parts[k] * Z[rows[k]] for k in mine), np.zeros(Z.shape[1]))
    return {"rows": rows, "parts": parts, "point": point.tolist()}


def _rivals(X: npt.NDArray[np.float64], y: npt.NDArray[np.int8], settings: LabSettings) -> list[dict[str, Any]]:
    """The regressions' hyperplanes, and how many points each has on the wrong side."""
    models: dict[str, LinearClassifier] = {
        "least squares": LeastSquares(),
        "LMS": Adaline(max_passes=200),
        "logistic": Logistic(),
    }
    found = []
    for name in settings.rivals:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = models[name].fit(X, y)
        w = [*model.coef_[0].tolist(), float(model.intercept_[0])]
        wrong = int(np.sum(y * model.decision_function(X) <= 0))
        found.append({"name": name, "w": w, "wrong": wrong, "sentence": model.outcome_.sentence})
    return found


def _theorem(
    run: Run, verdict: Verdict | None, X: npt.NDArray[np.float64], y: npt.NDArray[np.int8], settings: LabSettings
) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    """‖w(k)‖² and the angle to w* at some k, and the four numbers that give the theorem's bounds at every k.

    The lower bound is max(0, ahead + k·gain)², the upper one begin + k·growth.
    """
    trace = run.trace
    assert trace is not None
    K = len(trace)
    k = np.unique(np.concatenate([np.linspace(0, K, _SAMPLES), np.geomspace(1, max(1, K), _SAMPLES)]).astype(np.int64))
    k = k[k <= K]
    begin = float(run.start @ run.start)
    numbers: dict[str, Any] = {"begin": begin, "growth": None, "ahead": None, "gain": None, "bound": None}
    if settings.learner == "perceptron":
        longest = 1.0 if getattr(run.rule, "normalize", False) else run.examples.radius_sq
        numbers["growth"] = float(run.rule.eta**2 * longest)
        if K and verdict is not None and verdict.kind == "complete":
            w_star = _exact(verdict)
            curve = convergence(trace, X, y, w_star)
            eta, normalize = run.rule.eta, bool(run.rule.normalize)
            bound = mistake_bound(X, y, w_star, run.start, eta, normalize=normalize)
            least = Extremes(as_rows(X), y, w_star, True, normalize=normalize).delta()  # over all rows, as the bound is
            length = curve.bounds.w_star_sq**0.5
            numbers |= {"ahead": curve.bounds.along / length, "gain": eta * float(least) / length}
            numbers["bound"] = bound if bound < _LARGEST_BOUND else None
            return numbers, {"k": k.astype(np.int32), "norm_sq": curve.norm_sq[k], "cos": curve.cos[k]}
    weights = trace.weights_at(k)
    return numbers, {"k": k.astype(np.int32), "norm_sq": np.sum(weights * weights, axis=1), "cos": np.empty(0)}


def _exact(verdict: Verdict) -> list[Fraction]:
    """The proof's w, about one in size and not rounded: a float next to it need not separate."""
    assert verdict.certificate is not None
    whole = [int(v, 16) for v in verdict.certificate.content["w"]]
    size = 1 << max(abs(v).bit_length() for v in whole)
    return [Fraction(v, size) for v in whole]
