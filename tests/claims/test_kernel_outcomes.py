"""How a perceptron in a kernel's features ended, and how many corrections it can make: read back and checked."""

import warnings
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
from sklearn.exceptions import ConvergenceWarning

import rosenblatt as rb
from tests.claims.book import Reader
from tests.claims.shown import number
from tests.claims.tables import Table, table

outcomes, advice, bounds = Reader("kernel"), Reader("retry"), Reader("corrections")

LEARNERS: dict[str, Any] = {
    "rbf": lambda: rb.KernelPerceptron(max_passes=30),
    "rbf last": lambda: rb.KernelPerceptron(average=False, order="cyclic", max_passes=30),
    "poly": lambda: rb.KernelPerceptron("poly", max_passes=30),
    "poly last": lambda: rb.KernelPerceptron("poly", degree=2, average=False, max_passes=30),
    "linear": lambda: rb.KernelPerceptron("poly", gamma=1.0, degree=1, average=False, order="cyclic", max_passes=50),
    "budget": lambda: rb.KernelPerceptron(budget=4, max_passes=10),
    "few": lambda: rb.KernelPerceptron(max_updates=2, average=False),
    "own": lambda: rb.KernelPerceptron(lambda A, B: (A @ B.T + 1.0) ** 2, average=False, max_passes=10),
}


@dataclass
class Fit:
    """A model, and its f on the rows that count, worked out in another way."""

    table: Table
    name: str
    model: Any

    def __repr__(self) -> str:
        return f"{self.name} on {self.table!r}"

    def k(self, x: Any, z: Any) -> Any:
        """Fractions for polynomials, 400 digits for exponentials."""
        gamma = Fraction(self.model.gamma_)
        if self.model.kernel == "rbf":
            sq = sum((Fraction(a) - Fraction(b)) ** 2 for a, b in zip(x, z, strict=True)) * gamma
            return mpmath.exp(-mpmath.mpf(sq.numerator) / sq.denominator)
        dot = sum(Fraction(a) * Fraction(b) for a, b in zip(x, z, strict=True))
        if callable(self.model.kernel):
            return (dot + 1) ** 2
        return (gamma * dot + Fraction(self.model.coef0)) ** self.model.degree

    def agreement(self) -> list[Any]:
        X = self.table.X.tolist()
        m = self.model
        number = Fraction if m.kernel != "rbf" else (lambda v: mpmath.mpf(float(v)))
        found = []
        for i in self.table.present:
            f = sum(
                (number(a) * self.k(X[i], X[j]) for j, a in zip(m.support_, m.dual_coef_[0], strict=True)), number(0)
            )
            found.append(f * int(self.table.y[i]))
        return found

    def wrong(self, wrong: str, n: str) -> None:
        assert int(n) == len(self.table.present)
        rows = self.table.present
        answers = self.model.predict(self.table.given)[rows] != self.table.labels[rows]
        near = sum(abs(s) < 1e-9 for s in self.agreement())
        assert abs(int(wrong) - int(np.sum(answers))) <= near


@outcomes.of("separated")
def _separated(fit: Fit, n: str, corrections: str) -> None:
    assert fit.model.outcome_ == "SEPARATED"
    assert int(n) == len(fit.table.present)
    assert number(corrections) == fit.model.n_updates_
    if not callable(fit.model.kernel):  # its own numbers are rounded, and are the truth
        assert all(s > 0 for s in fit.agreement())


@outcomes.of("cycling")
def _cycling(fit: Fit, passes: str, m: str, wrong: str, n: str, plane: str | None = None) -> None:
    assert fit.model.outcome_ == "CYCLING"
    fit.wrong(wrong, n)
    witness, X, y = fit.model.witness_, fit.table.X.tolist(), fit.table.y
    assert int(m) == len(witness.rows)
    assert min(witness.multipliers) > 0
    factors = [int(y[i]) * k for i, k in zip(witness.rows, witness.multipliers, strict=True)]
    pairs = [
        (a, X[i], b, X[j])
        for a, i in zip(factors, witness.rows, strict=True)
        for b, j in zip(factors, witness.rows, strict=True)
    ]
    total = sum(a * b * fit.k(x, z) for a, x, b, z in pairs)
    assert total == 0 or (fit.model.kernel == "rbf" and abs(total) < mpmath.mpf(10) ** -390)


@outcomes.of("budget")
def _budget(
    fit: Fit,
    wrong: str,
    n: str,
    passes: str,
    plane: str | None = None,
    fewest: str | None = None,
    reason: str | None = None,
) -> None:
    assert fit.model.outcome_ == "BUDGET"
    fit.wrong(wrong, n)
    assert number(passes) == fit.model.n_passes_


@outcomes.of("rounding")
def _rounding(fit: Fit, hidden: str, n: str) -> None:
    assert fit.model.outcome_ == "BUDGET"
    assert any(s <= 0 for s in fit.agreement())


@advice.of("another", "more")
def _advice(fit: Fit) -> None:
    assert fit.model.outcome_ in ("CYCLING", "BUDGET")


def runs(fit: Fit, orders: int = 3) -> list[Any]:
    """The run of the sentence in other orders, without an average."""
    made = []
    for seed in range(orders):
        other = rb.KernelPerceptron(
            **(
                fit.model.get_params()
                | {"average": False, "order": "shuffled", "random_state": seed, "max_updates": None}
            )
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            made.append(other.fit(fit.table.given, fit.table.labels, sample_weight=fit.table.weights))
    return made


def _is_radius(fit: Fit, radius: str) -> None:
    lengths = (
        [fit.k(x, x) * Fraction(w) ** 2 for x, w in zip(fit.table.X.tolist(), fit.table.all_weights, strict=True) if w]
        if fit.model.kernel != "rbf"
        else [Fraction(w) ** 2 for w in fit.table.all_weights]
    )
    assert number(radius) >= float(max(lengths)) ** 0.5 * (1 - 1e-5)


@bounds.of("separable")
def _separable(fit: Fit, bound: str, radius: str, margin: str, nothing: str | None = None) -> None:
    _is_radius(fit, radius)
    for run in runs(fit):
        assert run.n_updates_ <= number(bound)
        assert run.outcome_ != "CYCLING"
    assert (nothing is None) == (not fit.model.average)


@bounds.of("first pass")
def _first_pass(fit: Fit, bound: str, radius: str, margin: str, slack: str, nothing: str | None = None) -> None:
    _is_radius(fit, radius)
    assert fit.model.outcome_ != "SEPARATED" or fit.model.average
    assert all(run.mistakes_per_pass_[0] <= number(bound) for run in runs(fit))


@bounds.of("forgets", "a function", "none")
def _no_bound(fit: Fit) -> None:
    assert fit.model.budget is not None or callable(fit.model.kernel) or fit.model.outcome_ != "SEPARATED"


@bounds.of("too many")
def _too_many(fit: Fit, n: str, most: str) -> None:
    assert number(n) ** 2 > number(most)


def test_how_kernel_runs_end_is_true(tables: range) -> None:
    names = list(LEARNERS)
    with mpmath.workdps(400):
        for i in tables[::5]:
            made, name = table(i), names[i // 5 % len(names)]
            if not made.two_classes:
                continue
            model = LEARNERS[name]()
            with warnings.catch_warnings(record=True) as warned:
                warnings.simplefilter("always")
                try:
                    model.fit(made.given, made.labels, sample_weight=made.weights)
                except ValueError as refused:
                    assert "scale X" in str(refused)  # noqa: PT017
                    continue
            fit = Fit(made, name, model)
            outcomes.read(model.outcome_.sentence, fit)
            for one in warned:
                if issubclass(one.category, ConvergenceWarning):
                    advice.read(str(one.message).removeprefix(model.outcome_.sentence).strip(), fit)
            bounds.read(str(model.mistake_bound(made.given, made.labels, sample_weight=made.weights)), fit)
    outcomes.finish(rare={"rounding": "needs coefficients that only rounding keeps on their side"})
    advice.finish(rare={})
    bounds.finish(rare={"too many": "needs 2049 rows; tests/learners/test_kernel_perceptron.py has them"})
