"""The theorem's margin and the widest street, against brute force in fractions and an optimiser that knows nothing."""

from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

import rosenblatt as rb
from rosenblatt.verdicts import checker


def fractions(X: Any, y: Any) -> list[list[Fraction]]:
    return [[int(t) * Fraction(float(v)) for v in [*x, 1.0]] for x, t in zip(X, y, strict=True)]


def solved(A: list[list[Fraction]], b: list[Fraction]) -> list[Fraction] | None:
    """Gauss, in fractions; None where it is singular."""
    rows = [[*row, value] for row, value in zip(A, b, strict=True)]
    for j in range(len(rows)):
        at = next((i for i in range(j, len(rows)) if rows[i][j]), None)
        if at is None:
            return None
        rows[j], rows[at] = rows[at], rows[j]
        rows[j] = [v / rows[j][j] for v in rows[j]]
        for i in range(len(rows)):
            if i != j and rows[i][j]:
                rows[i] = [a - rows[i][j] * c for a, c in zip(rows[i], rows[j], strict=True)]
    return [row[-1] for row in rows]


def exact_square(X: Any, y: Any, street: bool) -> Fraction:
    """The squared margin: every set of rows is tried as the one that holds the hyperplane in place."""
    Z = fractions(X, y)
    p = len(Z[0]) - 1
    counted = [z[:p] for z in Z] if street else Z
    for size in range(1 + street, p + 2):
        for some in combinations(range(len(Z)), size):
            gram = [[sum(a * b for a, b in zip(counted[i], counted[k], strict=True)) for k in some] for i in some]
            right = [Fraction(1)] * size
            if street:
                gram = [[*row, Z[i][p]] for row, i in zip(gram, some, strict=True)]
                gram.append([*(Z[i][p] for i in some), Fraction(0)])
                right = [*right, Fraction(0)]
            found = solved(gram, right)
            if found is None or min(found[:size]) < 0:
                continue
            u = [sum(m * counted[i][j] for m, i in zip(found, some, strict=False)) for j in range(len(counted[0]))]
            u = [*u, found[-1]] if street else u
            if all(sum(a * b for a, b in zip(z, u, strict=True)) >= 1 for z in Z):
                return 1 / sum(v * v for v in (u[:p] if street else u))
    raise AssertionError("not separable")


def assert_both(X: Any, y: Any, digits: int = 6, store: Any = None) -> rb.Verdict:
    """Both intervals hold the exact value, are narrow, and the certificate proves them to the independent checker."""
    X = np.asarray(X, dtype=np.float64)
    verdict = rb.separability(X if store is None else store, y)
    assert verdict.kind == "complete"
    assert not verdict.limits
    content = verdict.certificate.content
    assert content["format"] == "rosenblatt-certificate/3"
    said = checker.check(content, X.tolist(), np.asarray(y).tolist())
    assert "the theorem's margin lies between" in said
    assert "half the width of the widest street lies between" in said
    for name, street in (("margin", False), ("street", True)):
        square = exact_square(X, y, street)
        lower, upper = (Fraction(*(int(v, 16) for v in content[name][end].split("/"))) for end in ("lower", "upper"))
        assert lower**2 <= square <= upper**2, name
        assert upper - lower <= upper / 10**digits, name
    return verdict


GAPS = [2.0**-k for k in (1, 10, 17, 24, 26, 33, 40, 45, 50)]


@pytest.mark.parametrize("gap", GAPS)
def test_thin_gaps_are_proved_to_six_digits(gap: float) -> None:
    """0, 1, 1 + g, 2: with g = 2^-24 the bound was 64 times too large, with g ≤ 2^-26 there was none, and no word."""
    verdict = assert_both([[0.0], [1.0], [1.0 + gap], [2.0]], [-1, -1, 1, 1], digits=7)
    assert verdict.street.lower == pytest.approx(gap / 2, rel=1e-12)
    assert verdict.street.lower <= gap / 2 <= verdict.street.upper
    nearest = Fraction(1) + Fraction(gap) / 2  # w = (1, −(1 + g/2)), about
    assert verdict.margin[0] == pytest.approx(float(Fraction(gap) / 2 / nearest) / np.sqrt(2), rel=0.5)


@pytest.mark.parametrize("gap", [2.0**-12, 2.0**-26, 2.0**-40, 2.0**-50])
@pytest.mark.parametrize("p", [2, 3, 4, 5])
def test_thin_gaps_in_more_dimensions(gap: float, p: int) -> None:
    """Exactly rotated by whole numbers, moved by 1e6 where that loses nothing, in tiny units, twice the same row."""
    rng = np.random.default_rng(p)
    turn = rng.integers(-3, 4, size=(p, p)) + 4 * np.eye(p)
    for offset, unit in ((0.0, 1.0), (2.0**20, 1.0), (0.0, 2.0**-1030)):
        X = rng.integers(-3, 4, size=(7, p)).astype(float)
        X[:, 0] = [0, -1, -2, 0, 1, 2, 3]
        X[3] = X[0]
        y = np.array([-1, -1, -1, -1, 1, 1, 1])
        shift = max(gap, 2.0**-20) if offset or unit < 1 else gap
        X[4] = 0.0
        X[4, 0] = shift
        X = ((X @ turn) + offset) * unit
        verdict = rb.separability(X, y)
        if verdict.kind == "complete" and unit == 1:  # products of a tiny gap may round to nothing
            assert_both(X, y)
        elif verdict.kind == "complete":  # decimals such as 3.2e-310, of which floats hold few digits
            assert set(verdict.limits) == {"margin", "street"}
            assert checker.check(verdict.certificate.content, X.tolist(), y.tolist()).startswith("complete")


def test_wide_sparse_and_short_floats() -> None:
    rng = np.random.default_rng(3)
    X = rng.integers(-4, 5, size=(5, 9)).astype(float)
    y = np.array([-1, 1, -1, 1, 1])
    assert_both(X, y)  # fewer rows than columns
    X = rng.integers(-4, 5, size=(8, 3)) / 4
    y = np.where(X @ [1, 2, -1] + 0.125 > 0, 1, -1)
    plain = assert_both(X, y)
    sparse = assert_both(X, y, store=sp.csr_array(X))
    short = assert_both(X, y, store=X.astype(np.float32))
    for other in (sparse, short):
        assert other.margin == pytest.approx(plain.margin, rel=1e-12)
        assert other.street[:2] == pytest.approx(plain.street[:2], rel=1e-12)


@st.composite
def separable(draw: Any) -> Any:
    p = draw(st.integers(1, 3))
    n = draw(st.integers(2, 8))
    grid = st.integers(-6, 6).map(lambda k: k / draw(st.sampled_from([1, 4])))
    X = np.array(draw(st.lists(st.lists(grid, min_size=p, max_size=p), min_size=n, max_size=n)))
    w = np.array(draw(st.lists(st.integers(-3, 3), min_size=p, max_size=p).filter(any)))
    y = np.where(X @ w + draw(st.sampled_from([0.125, 1.5, -2.25])) > 0, 1, -1)
    return (X + draw(st.sampled_from([0.0, 30.0, 2.0**20]))) * draw(st.sampled_from([1.0, 2.0**-27, 2.0**40])), y


@given(separable())
def test_brute_force_agrees(case: Any) -> None:
    X, y = case
    if len(set(y.tolist())) == 2 and rb.separability(X, y, margin=False).kind == "complete":
        assert_both(X, y)


def clouds(seed: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X = np.vstack([rng.normal([30, 30], 0.6, (40, 2)), rng.normal([36, 30], 0.6, (40, 2))])
    return X, np.repeat([-1, 1], 40)


@pytest.mark.parametrize("seed", range(4))
def test_two_clouds_have_the_street_one_sees(seed: int) -> None:
    """Far from the origin, the theorem's hyperplane is 45° off the widest street, and labelled so."""
    X, y = clouds(seed)
    verdict = rb.separability(X, y)
    plane = verdict.street.hyperplane
    width = np.min(y * (X @ plane.w + plane.b)) / np.linalg.norm(plane.w)
    assert verdict.street.lower * (1 - 1e-9) <= width <= verdict.street.upper * (1 + 1e-9)
    # an optimiser of another kind: min ‖w‖², y(w·x + b) ≥ 1, on centred columns
    centre = X.mean(axis=0)
    found = minimize(
        lambda v: v[:2] @ v[:2],
        [1.0, 0.0, 0.0],
        jac=lambda v: np.array([2 * v[0], 2 * v[1], 0.0]),
        constraints={"type": "ineq", "fun": lambda v: y * ((X - centre) @ v[:2] + v[2]) - 1},
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    assert found.success
    assert verdict.street.lower == pytest.approx(1 / np.linalg.norm(found.x[:2]), rel=1e-6)
    theorem = verdict.hyperplane
    narrow = np.min(y * (X @ theorem.w + theorem.b)) / np.linalg.norm(theorem.w)
    assert narrow < 0.75 * width
    for angle in np.linspace(0, np.pi, 721):  # no other direction has a wider street
        s = X @ [np.cos(angle), np.sin(angle)]
        gaps = (s[y > 0].min() - s[y < 0].max(), s[y < 0].min() - s[y > 0].max())
        assert max(gaps) / 2 <= verdict.street.upper * (1 + 1e-9)


def test_the_street_does_not_move_with_the_origin() -> None:
    X, y = clouds(0)
    X = np.rint(X * 64) / 64
    here, there = rb.separability(X, y).street, rb.separability(X + 2.0**20, y).street
    assert here.lower == pytest.approx(there.lower, rel=1e-12)
    turned = rb.separability(X[:, ::-1] * [1, -1], y).street
    assert turned.lower == pytest.approx(here.lower, rel=1e-9)
    assert rb.separability(X, -y).street.lower == pytest.approx(here.lower, rel=1e-9)


def test_without_an_intercept_both_are_the_same() -> None:
    X, y = [[3.0, 1.0], [2.0, -1.0], [-3.0, 0.5]], [1, 1, -1]
    verdict = rb.separability(X, y, fit_intercept=False)
    assert verdict.street[:2] == verdict.margin
    assert np.array_equal(verdict.street.hyperplane.w, verdict.hyperplane.w)
    assert "street" not in verdict.certificate.content
    assert verdict.certificate.content["format"] == "rosenblatt-certificate/3"


def test_one_class_has_no_street_and_says_so() -> None:
    verdict = rb.separability([[1.0], [2.0]], [1, 1])
    assert verdict.margin is not None
    assert verdict.street is None
    assert verdict.limits == {"street": "a street lies between two classes, and there is only one"}
    assert "there is only one" in str(verdict)
    assert "there is only one" in verdict._repr_html_()
    assert "street" not in verdict.certificate.content
    assert rb.separability([[1.0], [2.0]], [1, 1], margin=False).limits == {}


def test_an_interval_is_there_whatever_the_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where neither floats nor exact arithmetic get to the optimum, w and the nearest rows prove an interval."""
    from rosenblatt.verdicts.margins import margin

    X, y = [[0.0], [1.0], [1.0 + 2.0**-45], [2.0]], [0, 0, 1, 1]
    monkeypatch.setattr(margin, "_LARGEST_EXACT", 0)
    verdict = rb.separability(X, y)
    assert verdict.limits["margin"].startswith("the gap is too thin for float arithmetic, and 2 weights are too many")
    assert "no closer, as the gap is too thin for float arithmetic" in str(verdict)
    monkeypatch.setattr(margin, "_LARGEST", 0)
    X = [[0.0, 1.0], [1.0, 0.0], [2.0, 3.0], [3.0, 1.0]]
    verdict = rb.separability(X, y)
    assert set(verdict.limits) == {"margin", "street"}
    assert "no closer, as the rows that may touch it, 3 weights long, are too many to be written out" in str(verdict)
    square = exact_square(X, [-1, -1, 1, 1], True)
    assert Fraction(verdict.street.lower) ** 2 <= square <= Fraction(verdict.street.upper) ** 2
    assert "half the width of the widest street lies between" in verdict.certificate.verify(X, y)


def test_no_time_is_no_reason_for_no_interval() -> None:
    from rosenblatt.verdicts.margins.margin import widest_margin
    from rosenblatt.verdicts.points import Points

    rng = np.random.default_rng(5)
    X = rng.normal(size=(400, 30))
    w = rng.integers(-9, 10, size=30)
    y = np.where(X @ w > 0, 1, -1).astype(np.int8)
    points = Points(rb.data.numbers.as_rows(X), y, True)
    start = [*(int(v) for v in w), 0]
    for street in (False, True):
        hurried, patient = (widest_margin(some, start, street) for some in (points.within(0.0), points))
        assert not patient.limit
        assert patient.within(Fraction(1, 10**8))
        assert 0 < hurried.lower <= patient.upper
        assert hurried.upper >= patient.lower


def test_the_sentence_is_rounded_outward() -> None:
    X, y = [[0.0], [1.0 / 3], [1.0], [2.0]], [-1, -1, 1, 1]
    said = rb.separability(X, y).certificate.verify(X, y)
    ends = [Fraction(part) for part in said.replace(",", "").split() if part[0].isdigit() and "." in part]
    theorem, street = exact_square(X, y, False), exact_square(X, y, True)
    assert ends[0] ** 2 <= theorem <= ends[1] ** 2
    assert ends[2] ** 2 <= street <= ends[3] ** 2


def test_version_one_still_verifies() -> None:
    """A certificate of the first version, as it was written before there was a street."""
    X, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [-1, -1, -1, 1]
    old = {
        "format": "rosenblatt-certificate/1",
        "verdict": "complete",
        "n": 4,
        "p": 2,
        "fit_intercept": True,
        "layout": "dense",
        "data_sha256": checker.digest(X, y),
        "classes": ["-1", "1"],
        "features": ["x0", "x1"],
        "table": {"target": "y", "positive": "1", "missing": "refuse", "columns": []},
        "w": ["0x2", "0x2", "-0x3"],
        "margin": {"lower": "0x1/0x5", "upper": "0x1/0x1", "lambda": {"1": "0x1", "2": "0x1", "3": "0x2"}},
    }
    assert rb.Certificate(old).verify(X, y) == (
        "complete: w has each of the 4 rows strictly on its side, and the theorem's margin lies between 0.2 and 1"
    )
    with pytest.raises(ValueError, match="its fields are not those of its verdict and version"):
        rb.Certificate(old | {"street": {}}).verify(X, y)
