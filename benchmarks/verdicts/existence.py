"""Does the estimate exist? Verdicts beside a float program of the same question, and beside what fits say."""

import resource
import warnings
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

import rosenblatt as rb
from benchmarks.timing import benchmark, print_table, ratio, seconds, some
from benchmarks.verdicts.programs import strict_rows

_LARGEST_PROGRAM = 10_000_000  # values other than zero that the float program is given


class _Question(NamedTuple):
    name: str
    X: Any
    y: Any
    model: str
    effects: list[Any] | None = None


@benchmark("existence")
def existence() -> None:
    """Does the estimate exist: verdicts with certificates, of models other than two classes.

    *Float program*: max Σ t with z·w ≥ t, 0 ≤ t ≤ 1 and the equalities, by HiGHS on all rows; it tells the same rows
    apart, to a tolerance, and proves nothing. *Proof costs* is the verdict's time by the float program's, so below 1
    the proof comes sooner. *A fit says*: what a program that fits the model answers (statsmodels; with effects
    pyfixest, where it is installed), and its time by the verdict's. The peak of memory is the process's, by the end of
    the line.
    """
    rb.existence([[0.0], [1.0], [2.0]], [0, 1, 2], "poisson", fixed_effects=[[1, 1, 2]])  # compile
    header = ["data", "strict", "time", "proof costs", "a fit says", "memory"]
    print_table(header, [_measured(make()) for make in some(_QUESTIONS)])


def _gravity() -> _Question:
    """All ordered pairs of 35 countries in 5 years; exporter-year, importer-year and pair effects, many pairs zero."""
    rng = np.random.default_rng(0)
    one, other, year = (v.ravel() for v in np.indices((35, 35, 5)))
    one, other, year = one[one != other], other[one != other], year[one != other]
    pair = one * 35 + other
    y = rng.poisson(2.0, size=one.size) * (rng.random(35 * 35) > 0.3)[pair]
    effects = [one * 5 + year, other * 5 + year, pair]
    return _Question(
        "Poisson, gravity: 5,950 rows, 1,541 effects", rng.normal(size=(one.size, 1)), y, "poisson", effects
    )


def _panel() -> _Question:
    """A million rows of 10,000 firms in 500 months."""
    rng = np.random.default_rng(0)
    n = 1_000_000
    firm, month = rng.integers(10_000, size=n), rng.integers(500, size=n)
    level = np.exp(1.5 * rng.normal(size=10_000)) * (rng.random(10_000) > 0.03)
    X = rng.normal(size=(n, 2)).round(3)
    effects = [firm, month]
    return _Question("Poisson, 1,000,000 rows, 10,000 + 500 effects", X, rng.poisson(level[firm]), "poisson", effects)


def _classes(separated: bool) -> _Question:
    """Five classes that overlap; where separated, a column is large in the last of them only."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100_000, 50)).round(3)
    y = (X @ (0.3 * rng.normal(size=(50, 5))) + rng.gumbel(size=(100_000, 5))).argmax(axis=1)
    if separated:
        X[:, 0] = np.where(y == 4, 9.0, X[:, 0].round())
    told = "one set apart" if separated else "overlapping"
    return _Question(f"multinomial, 100,000 × 50, 5 classes, {told}", X, y, "multinomial")


_QUESTIONS: list[Callable[[], _Question]] = [_gravity, _panel, lambda: _classes(False), lambda: _classes(True)]


def _measured(asked: _Question) -> list[str]:
    found: list[Any] = []
    runs = 2 if len(asked.y) < 10_000 else 1
    took = min(
        seconds(lambda: found.append(rb.existence(asked.X, asked.y, asked.model, fixed_effects=asked.effects)))
        for _ in range(runs)
    )
    verdict = found[-1]
    pairs = len(verdict.model.pairs)
    told = _beside_program(asked, took, pairs)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6  # Linux counts kilobytes
    says = _fitted(asked, took)
    return [asked.name, f"{pairs:,} of {verdict.model.comparisons:,}", f"{took:.1f} s", told, says, f"{memory:.1f} GB"]


def _beside_program(asked: _Question, took: float, pairs: int) -> str:
    """Our time by the float program's, and how many rows are strict to it where that is another number."""
    from rosenblatt.regressions.machinery.given import Given
    from rosenblatt.verdicts.existence.decision import Question

    columns = {"y": asked.y, "fixed_effects": asked.effects}
    rows = Question.of(asked.model, Given.of(asked.X, columns, {}, None)).sides.rows
    A, E = (sp.csr_array(rows.Z[at]) for at in (np.flatnonzero(~rows.equal), np.flatnonzero(rows.equal)))
    if A.nnz + E.nnz > _LARGEST_PROGRAM:
        return "not tried"
    found: list[Any] = []
    program = seconds(lambda: found.append(strict_rows(A, E)))
    if found[0] is None:
        return f"< {took / program:.2f}"
    return ratio(took / program) + ("" if found[0] == pairs else f" ({found[0]:,} strict)")


def _fitted(asked: _Question, took: float) -> str:
    """What a program that fits the model says, and its time by ours."""
    if asked.effects is not None:
        return _by_pyfixest(asked, took) if find_spec("pyfixest") else "pyfixest is not installed"
    import statsmodels.api as sm

    said: list[str] = []

    def fit() -> None:
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            result = sm.MNLogit(asked.y, sm.add_constant(asked.X)).fit(disp=False)
        words = ", ".join(sorted({one.category.__name__ for one in heard})) or "no warning"
        said.append(f"converged {result.mle_retvals['converged']}, {words}")

    slower = seconds(fit) / took
    return f"{said[0]} ({ratio(slower)})"


def _by_pyfixest(asked: _Question, took: float) -> str:
    import pandas as pd
    import pyfixest

    names = [f"f{k}" for k in range(len(asked.effects or []))]
    frame = pd.DataFrame(dict(zip(names, asked.effects or [], strict=True)) | {"y": asked.y})
    frame["x"] = asked.X[:, 0]
    said: list[str] = []

    def fit() -> None:
        try:
            result = pyfixest.fepois(f"y ~ x | {' + '.join(names)}", frame)
            said.append(f"{result.n_separation_na or 0:,} rows separated")
        except Exception as why:
            said.append(f"{type(why).__name__}")

    slower = seconds(fit) / took
    return f"{said[0]} ({ratio(slower)})"
