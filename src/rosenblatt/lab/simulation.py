"""What the page asks about more points than it proves itself: a run, the verdict, the theorem's numbers, the rivals.

Nothing is worked out here that another part can be asked; the page gets the mistake sequence and replays it.
"""

import time
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import Floats, Signs
from rosenblatt.comparison.experiments import fit_rival
from rosenblatt.lab.packing import pack, unpack
from rosenblatt.lab.settings import MAPS, LabSettings, expand
from rosenblatt.learners.runs.run import Run
from rosenblatt.learners.shared.online import record_run
from rosenblatt.models import Hyperplane
from rosenblatt.verdicts import Verdict, separability, theorem_of
from rosenblatt.verdicts.margins import meeting_of

__all__ = ["FARTHEST", "LabPoints", "answer", "read_message", "record", "simulate"]

Columns = dict[str, npt.NDArray[Any]]

_MOST_POINTS = 500_000
_MOST_VALUES = 6_000_000
FARTHEST = 1e30  # the fourth power of such a number is still a float64
_LARGEST_BOUND = 10**300  # that the page can still write
_VERDICT_SECONDS = 5.0
_SAMPLES = 300  # of a curve
_DRAWN_WITNESS = 64  # rows


@dataclass(frozen=True)
class LabPoints:
    """n points with p features and a class, −1 or +1, each."""

    X: Floats
    y: Signs

    @classmethod
    def read(cls, header: dict[str, Any], columns: Columns) -> "LabPoints":
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
        far = np.argwhere(np.abs(X) > FARTHEST)
        if far.size:
            raise ValueError(
                f"point {far[0][0] + 1} has a value above {FARTHEST:g} in feature {far[0][1] + 1}, too far out for "
                f"the lab; rb.separability takes it."
            )
        wrong = np.flatnonzero(np.abs(y) != 1)
        if wrong.size:
            raise ValueError(f"the class of point {wrong[0] + 1} must be −1 or +1; it is {int(y[wrong[0]])}.")
        return cls(X, y.astype(np.int8))


def read_message(message: bytes) -> tuple[dict[str, Any], LabPoints, LabSettings]:
    """The header, the points and the settings of a message from the page."""
    header, columns = unpack(message)
    settings = header.get("settings", {})
    if not isinstance(settings, dict):
        raise ValueError("settings must be an object.")
    return header, LabPoints.read(header, columns), LabSettings.read(settings)


def answer(message: bytes) -> bytes:
    """Bytes in, bytes out: what the server and the notebook do with a message from the page."""
    _, points, settings = read_message(message)
    return simulate(points, settings)


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
        empty: Columns = {"rows": np.empty(0, np.int32), "steps": np.empty(0), "start": np.zeros(header["d"])}
        return pack({**header, "verdict": None, "outcome": None}, empty)
    two = len(np.unique(points.y)) == 2  # one class alone is separable, but by no line worth drawing
    run = record(Z, points.y, settings)
    verdict = separability(Z, points.y, time_limit=_VERDICT_SECONDS, numbers="binary")  # as the run has them
    rivals = settings.rivals if two else ()
    header |= {
        "outcome": {"name": str(run.outcome), "sentence": run.outcome.sentence if run.outcome else ""},
        "seed": hex(run.settings.seed),
        "eta": _eta(run),
        "mistakes": run.mistakes_per_pass[:2000],
        "passes": len(run.mistakes_per_pass),
        "verdict": _verdict(verdict, two),
        "witness": _witness(verdict, points, Z),
        "rivals": [fit_rival(name, Z, points.y)._asdict() for name in rivals],
    }
    header["theorem"], curves = _theorem_drawn(run, verdict if two else None, Z, points.y, settings)
    header["seconds"] = time.perf_counter() - began
    return pack(header, _columns_of_run(run) | curves)


def record(X: Floats, y: Signs, settings: LabSettings) -> Run:
    """One run of the chosen learner with every step written down."""
    added = MAPS[settings.phi]
    plane = X.shape[1] == 2 + len(added)
    names = ("x1", "x2", *added) if plane else tuple(f"x{j + 1}" for j in range(X.shape[1]))
    return record_run(settings.model(len(X)), X, y, names)


def _eta(run: Run) -> float:
    """The step, in the units of w; the run counts in units of its own. 0 where there is none."""
    assert run.trace is not None
    return float(Fraction(getattr(run.rule, "eta", 0.0)) * run.trace.units.unit)


def _columns_of_run(run: Run) -> Columns:
    trace = run.trace
    assert trace is not None
    rows, pass_ends = trace.rows.astype(np.int32), trace.pass_ends.astype(np.int32)
    return {"rows": rows, "steps": trace.steps, "start": trace.start, "end": run.running, "pass_ends": pass_ends}


def _verdict(verdict: Verdict, two: bool) -> dict[str, Any]:
    reason = next(iter(verdict.because), None) if verdict.kind == "complete" else None
    plane, street = (verdict.hyperplane, verdict.street) if two else (None, None)
    return {
        "kind": verdict.kind,
        "sentence": verdict.sentence,
        "proved": verdict.certificate is not None,
        "w": plane and _weights_of_plane(plane),
        "street": street and {"lower": street.lower, "upper": street.upper, "w": _weights_of_plane(street.hyperplane)},
        "margin": verdict.margin,
        "limits": verdict.limits,
        "radius": verdict.radius,
        "bound": verdict.mistake_bound,
        "worth": None if verdict.cover is None else verdict.cover.sentence(verdict.kind),
        "plane": len(verdict.rows["plane"]) if verdict.rows else 0,
        "because": {"columns": [*reason.columns], "smallest": reason.smallest} if reason else None,
    }


def _weights_of_plane(plane: Hyperplane) -> list[float]:
    return [*plane.w.tolist(), plane.b]


def _witness(verdict: Verdict, points: LabPoints, Z: Floats) -> dict[str, Any] | None:
    """Where the classes' hulls meet, by few enough rows to be drawn."""
    found = meeting_of(verdict.witness, Z, points.y)
    if found is None or len(found.rows) > _DRAWN_WITNESS:
        return None
    return {**found._asdict(), "point": found.point.tolist()}


def _theorem_drawn(
    run: Run, verdict: Verdict | None, X: Floats, y: Signs, settings: LabSettings
) -> tuple[dict[str, Any], Columns]:
    """The theorem's numbers and curves."""
    assert run.trace is not None
    eta, normalize = run.eta, bool(getattr(run.rule, "normalize", False))
    longest = 1.0 if normalize else run.examples.radius_sq
    growth = float(eta**2 * longest) if settings.learner == "perceptron" else None
    found = theorem_of(run.trace, X, y, verdict, growth, eta, normalize, _SAMPLES)
    numbers = {name: getattr(found, name) for name in ("begin", "growth", "ahead", "gain", "bound")}
    if found.bound is not None and found.bound >= _LARGEST_BOUND:
        numbers["bound"] = None
    cos = np.empty(0) if found.cos is None else found.cos
    return numbers, {"k": found.k.astype(np.int32), "norm_sq": found.norm_sq, "cos": cos}
