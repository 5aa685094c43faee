"""Public functions with arguments that make no sense: a ValueError or a TypeError that says why, and nothing else."""

import signal
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any

import numpy as np
import pytest

import rosenblatt as rb

CALLS = 4000
SECONDS = 20
JUNK: list[Any] = [None, True, 0, 1, 2, -1, 0.5, -0.5, 1e308, 10**30, float("nan"), float("inf"), "", "no", "x0", "\0"]
JUNK += [b"x", 1j, Fraction(1, 3), (), [], {}, set(), [None], [[]], [[1.0]], ["a"], {"a": 1}, (1, 2), object(), int]
JUNK += [np.array([]), np.array([[np.nan]]), np.array(["a", "b"]), np.zeros((2, 2, 2)), np.float32(3), np.int64(-7)]
JUNK += [range(3), lambda *_: None, "0110", [0, 1] * 6, np.arange(12) % 3, np.full((12, 2), 1e300), 1 << 70, "a and b"]

R = np.random.default_rng(0)
X = R.normal(size=(12, 2)).round(2)
Y = np.arange(12) % 2
COUNTS = np.arange(12) % 4
SIGNAL = R.normal(size=64)


def fitted(**parameters: Any) -> rb.Perceptron:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return rb.Perceptron(max_passes=20, **parameters).fit(X, Y)


def refit(kind: Any) -> Callable[..., Any]:
    def fit(X: Any = X, y: Any = Y, **parameters: Any) -> Any:
        return kind(**parameters).fit(X, y)

    return fit


def filtered(kind: Any) -> Callable[..., Any]:
    def run(u: Any = SIGNAL, d: Any = SIGNAL, **parameters: Any) -> Any:
        return kind(**({"taps": 4} | parameters)).run(u, d)

    return run


def predicted(X: Any) -> Any:
    return fitted().predict(X)


def table(**options: Any) -> Any:
    frame = {"a": X[:, 0], "b": X[:, 1], "n": np.array([*"uvw"] * 4, dtype=object), "y": Y}
    return rb.data.open_table(**({"frame": frame, "target": "y"} | options)).arrays()


LEARNERS = [rb.Perceptron, rb.Adaline, rb.LeastSquares, rb.Logistic, rb.PassiveAggressive, rb.KernelPerceptron]
LEARNERS += [rb.RescaledPerceptron, rb.BatchPerceptron]
FILTERS = [rb.filters.LMS, rb.filters.NLMS, rb.filters.RLS, rb.filters.BlockLMS, rb.filters.LeakyLMS]
FUNCTIONS: list[tuple[Callable[..., Any], dict[str, Any]]] = [
    (rb.separability, {"X": X, "y": Y, "fit_intercept": True, "margin": True, "coefficients": False}),
    (rb.separability, {"X": X, "y": Y, "time_limit": 5, "sample_weight": None, "numbers": "decimal", "groups": None}),
    (rb.existence, {"X": X, "y": Y, "model": "logistic", "fit_intercept": True, "coefficients": True}),
    (rb.existence, {"X": X, "y": COUNTS, "model": "poisson", "offset": None, "fixed_effects": None, "time_limit": 5}),
    (rb.existence, {"X": X, "y": COUNTS, "model": "multinomial", "classes": None, "levels": None}),
    (rb.existence, {"X": X, "model": "cox", "time": COUNTS, "event": Y, "entry": None, "ties": None, "groups": None}),
    (rb.estimate, {"X": X, "y": Y, "model": None, "level": 0.95, "firth": True, "exact": False, "missing": "refuse"}),
    (rb.estimate, {"X": X, "y": COUNTS, "model": "poisson", "exposure": None, "exponentiate": False, "time_limit": 5}),
    (rb.screen, {"X": X, "Y": np.array([Y, Y[::-1]]).T, "features": None, "outcomes": None, "jobs": 1, "level": 0.9}),
    (rb.compare, {"X": X, "y": Y, "learners": ["perceptron"], "max_passes": 10, "random_state": 0}),
    (rb.cross_validate, {"model": rb.Perceptron(max_passes=5), "X": X, "y": Y, "folds": 2, "random_state": 0}),
    (rb.separability_matrix, {"X": X, "y": np.arange(12) % 3, "fit_intercept": True}),
    (rb.cover.count, {"P": 10, "N": 3}),
    (rb.cover.capacity, {"N": 3}),
    (rb.cover.log10_count, {"P": 10, "N": 3}),
    (rb.cover.probability, {"P": 10, "N": 3}),
    (rb.cover.regime, {"P": 10, "N": 3}),
    (rb.cover.dichotomies, {"X": X[:5], "fit_intercept": True}),
    (rb.cover.general_position, {"X": X[:5], "fit_intercept": True}),
    (rb.cover.permutation_test, {"X": X, "y": Y, "n": 5, "random_state": 0, "n_jobs": 1, "groups": None}),
    (rb.theory.mistake_bound, {"X": X, "y": Y, "w_star": [1.0, 1.0, 0.0], "eta": 1.0, "fit_intercept": True}),
    (rb.theory.perceptron_criterion, {"X": X, "y": Y, "w": [1.0, 1.0, 0.0], "fit_intercept": True}),
    (rb.theory.perceptron_gradient, {"X": X, "y": Y, "w": [1.0, 1.0, 0.0], "fit_intercept": True}),
    (rb.theory.convergence, {"trace": None, "X": X, "y": Y, "w_star": [1.0, 1.0, 0.0]}),
    (rb.logic.synthesize, {"f": "a and b", "variables": None, "time_limit": 5.0}),
    (rb.logic.is_threshold, {"f": "0110"}),
    (rb.logic.chow_parameters, {"f": "0110"}),
    (rb.logic.AT_LEAST, {"k": 2, "n": 3}),
    (rb.logic.Gate, {"weights": (1, 1), "threshold": 2}),
    (rb.datasets.margin_cloud, {"n": 10, "p": 2, "margin": 0.1, "fit_intercept": True, "random_state": 0}),
    (rb.datasets.shapes, {"n": 4, "random_state": 0}),
    (rb.filters.delay_line, {"u": SIGNAL, "taps": 3, "before": None}),
    (rb.filters.max_step, {"u": SIGNAL, "taps": 3, "sense": "mean square", "leak": 0.0}),
    (rb.probes.fit, {"X": X, "Y": Y * 2 - 1, "method": "perceptron", "passes": 3, "test": None, "controls": 0}),
    (rb.save, {"model": None, "path": "m"}),
    (rb.load, {"path": "m"}),
    (predicted, {"X": X}),
    (table, {"missing": "refuse", "positive": None, "features": None, "drop": (), "categorical": (), "na": ()}),
    (table, {"degree": 1, "intercept": True, "weights": None, "counts": None, "max_levels": 100, "hash_buckets": 8}),
    (table, {"dates": None, "factors": None, "numbers": (), "id": None, "decimal": None, "thousands": None}),
    *((refit(kind), {"X": X, "y": Y, "fit_intercept": True, "random_state": 0}) for kind in LEARNERS),
    *((refit(kind), kind().get_params()) for kind in LEARNERS),
    *((filtered(kind), {"u": SIGNAL, "d": SIGNAL, "taps": 4}) for kind in FILTERS),
    *((filtered(kind), {name: getattr(kind(taps=4), name) for name in kind(taps=4).get_params()}) for kind in FILTERS),
    (rb.plot.BoundaryDisplay.from_estimator, {"estimator": None, "X": X, "y": Y}),
    (rb.plot.MarginDisplay.from_estimator, {"estimator": None, "X": X, "y": Y}),
    (rb.plot.animate, {"trace": None, "X": X, "y": Y, "frames": 3, "max_points": 10, "fps": 5.0}),
]


SIZES = [2**30 + 1, 10**12, 2**62, 2**63, 10**30]
SIZED: list[tuple[str, Callable[[int], Any]]] = [
    ("inputs", lambda n: rb.logic.AT_LEAST(2, n)),
    ("inputs", rb.logic.NOR),
    ("log10_count|out of reach", lambda n: rb.cover.count(n, n // 2)),
    ("out of reach", lambda n: rb.cover.log10_count(n * 10**6, n * 5 * 10**5)),
    ("too many", lambda n: rb.cover.permutation_test(X, Y, n=n)),
    ("take fewer", lambda n: rb.datasets.margin_cloud(n, 2, 0.1)),
    ("take fewer", lambda n: rb.datasets.margin_cloud(10, n, 0.1)),
    ("goes up to 2", lambda n: rb.datasets.margin_cloud(10, 2, n)),
    ("taps", lambda n: rb.filters.delay_line(SIGNAL, n)),
    *(("taps", lambda n, kind=kind: kind(taps=n).run(SIGNAL, SIGNAL)) for kind in FILTERS),
    ("taps", lambda n: rb.filters.LeastSquaresFilter(taps=n).run(SIGNAL, SIGNAL)),
    ("order", lambda n: rb.filters.AffineProjection(taps=4, order=n).run(SIGNAL, SIGNAL)),
    ("block", lambda n: rb.filters.BlockLMS(taps=4, block=n).run(SIGNAL, SIGNAL)),
    ("budget", lambda n: rb.KernelPerceptron(budget=n).fit(X, Y)),
]


@pytest.mark.parametrize("at", range(len(SIZED)))
def test_a_size_that_no_machine_has_memory_for_is_refused_in_a_sentence(at: int) -> None:
    words, call = SIZED[at]
    for size in SIZES:
        with at_most(SECONDS), pytest.raises(ValueError, match=words):
            call(size)


MET: list[tuple[str, Callable[[], Any]]] = [  # what random calls have met
    ("a row for each of the 12 labels", lambda: rb.cross_validate(rb.Perceptron(), ["a"], Y)),
    ("model must be a classifier", lambda: rb.cross_validate([], X, Y)),
    ("y has no labels", lambda: rb.separability_matrix(X, [])),
    ("test", lambda: rb.probes.fit(X, Y * 2 - 1, test=[])),
    ("counts names two columns", lambda: table(counts=[])),
    ("diverged", lambda: rb.filters.LMS(taps=4, eta=1e30).run(SIGNAL, SIGNAL)),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("at", range(len(MET)))
def test_arguments_that_were_met_are_named(at: int) -> None:
    words, call = MET[at]
    with pytest.raises((ValueError, TypeError), match=words):
        call()


class TooLate(BaseException):
    """A call took longer than it may."""


@contextmanager
def at_most(seconds: int) -> Iterator[None]:
    def late(signum: int, frame: FrameType | None) -> None:
        raise TooLate

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def usual(name: str, value: Any) -> Any:
    """The argument of a call that would be right."""
    if name == "estimator":
        return fitted()
    return fitted(trace=True).trace_ if name == "trace" and value is None else value


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("at", range(len(FUNCTIONS)))
def test_arguments_are_taken_or_refused(
    at: int,
    request: pytest.FixtureRequest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    function, arguments = FUNCTIONS[at]
    calls = (CALLS if request.config.getoption("--soak") else CALLS // 10) // len(FUNCTIONS) + 1
    name = str(getattr(function, "__qualname__", function))
    request.node.user_properties.append((name, calls))  # for a report with --junitxml
    random, others = Random(at), []
    for _ in range(calls):
        chosen = random.sample(sorted(arguments), min(len(arguments), random.choice([1, 1, 1, 2])))
        given = {name: usual(name, value) for name, value in arguments.items()}
        given |= {name: random.choice(JUNK) for name in chosen}
        said = f"{getattr(function, '__qualname__', function)} with { ({name: given[name] for name in chosen})!r}"
        try:
            with at_most(SECONDS):
                function(**given)
        except (ValueError, TypeError):
            pass
        except (OSError, MemoryError) as error:  # of a path that is none; of more rows than there is memory for
            if not {"path", "output", "n", "p"} & set(chosen):
                others.append(f"{said}: {error!r}")
        except (Exception, TooLate) as error:
            others.append(f"{said}: {error!r}")
    assert not others, "\n".join(others)
