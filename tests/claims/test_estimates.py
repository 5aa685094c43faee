"""What stands under a table of estimates, and the digits in it."""

import re
from fractions import Fraction
from math import inf, isnan
from pathlib import Path

import numpy as np
import pandas as pd
from formulaic import Formula
from scipy.optimize import minimize
from scipy.stats import t as student

import rosenblatt as rb
from rosenblatt.context import Unfinished
from rosenblatt.estimates.exact_conditional import MOST_TOTALS
from rosenblatt.estimates.results.layout import notes, text
from tests.claims import oracles
from tests.claims.book import Reader, book
from tests.claims.shown import number
from tests.estimates.oracles import Slow, by_all_labelings, tail_share
from tests.estimates.sets import small_set

BIRTHS = Path(__file__).parents[1] / "estimates" / "birthwt.csv"  # R's MASS::birthwt
estimates = Reader("estimate")


@estimates.of("limit")
def _limit(known, plane, n):
    kind, rows = _partition(known)
    assert kind == "quasi"
    assert (number(plane), number(n)) == (len(rows), len(known[1]))


@estimates.of("no limit")
def _no_limit(known):
    assert _partition(known)[0] == "complete"


@estimates.of("compared")
def _compared(known, compared):
    X, y, _ = known
    assert compared == "class"
    kind, rows = oracles.separability([[-Fraction(v) for v in r] for r in _comparisons(X, y)])
    assert kind == "quasi"
    assert rows


def _comparisons(X, y):
    """Of each row and each other class: the row in that class's block, less the row in its own."""
    classes = sorted(set(y))
    for x, own in zip(X, y, strict=True):
        z = [*map(Fraction, x), Fraction(1)]
        for other in classes:
            if other != own:
                yield [v * ((k == other) - (k == own)) for k in classes[1:] for v in z]


@estimates.of("firth found")
def _firth_found(known):
    assert all(one.firth is None or one.firth.error is None for one in known[2].coefficients)


@estimates.of("not identified")
def _not_identified(known, names):
    X, _, found = known
    Z = [[*oracles.exact(x), Fraction(1)] for x in X]
    wanted = {found.coefficients[j].name for j in oracles.computable(Z)}
    assert set(names.split(", ")) == wanted


@estimates.of("left out")
def _left_out(known, names):
    """Each is in the span of the intercept and the columns before it, and is not always the same."""
    assert _named(known, names) == {j for j in _spanned(known) if len({row[j] for row in known[0]}) > 1}


@estimates.of("constant")
def _constant(known, names, which):
    assert which == ("it" if ", " not in names else "each of them")
    assert _named(known, names) == {j for j in _spanned(known) if len({row[j] for row in known[0]}) == 1}


@estimates.of("of strata")
def _of_strata(known, names, which):
    X, strata, found = known
    once = [len({(row[j], s) for row, s in zip(X, strata, strict=True)}) == len(set(strata)) for j in range(len(X[0]))]
    assert names.split(", ") == [found.coefficients[j].name for j in range(len(once)) if once[j]]
    assert which == ("it" if sum(once) == 1 else "each of them")


def _named(known, names):
    return {[one.name for one in known[2].coefficients].index(name) for name in names.split(", ")}


def _spanned(known):
    Z = [[Fraction(1), *oracles.exact(x)] for x in known[0]]
    ranks = [oracles.rank([row[: k + 1] for row in Z]) for k in range(len(Z[0]))]
    return {k for k in range(len(ranks) - 1) if ranks[k + 1] == ranks[k]}


@estimates.of("undetermined")
def _undetermined(known, names):
    X, y, found = known
    slow = Slow(X, y)
    best, _ = slow.least()
    for j, one in enumerate(found.coefficients):
        if one.name in names.split(", "):
            assert all(abs(slow.least(j, b)[0] - best) < 1e-20 for b in (-3.0, 0.0, 2.0))


@estimates.of("firth")
def _firth(known):
    X, y, found = known
    if all(one.firth is not None for one in found.coefficients):
        values = [one.firth.value for one in found.coefficients]
        root = Slow(X, y).root(values)
        for one, exact in zip(found.coefficients, root, strict=True):
            assert one.firth.error is None or abs(exact - one.firth.value) <= one.firth.error


@estimates.of("fractions")
def _fractions(known):
    assert any(value % 1 for value in known[1])


@estimates.of("robust")
def _robust(known, how):
    """A sandwich, computed anew from the definition."""
    X, y, found = known
    if how != "HC1":
        _left_out_errors(known, how)
        return
    rows = [i for i in range(len(y)) if found.predict()[i] > 1e-300]
    Z = np.c_[np.array(X, dtype=float), np.ones(len(y))][rows]
    b = np.array([one.value for one in found.coefficients])
    kept = np.isfinite(b)
    Z, u, mean = Z[:, kept], np.array(y)[rows], np.asarray(found.predict())[rows]
    A = np.linalg.inv(Z.T @ (mean[:, None] * Z))
    V = A @ (Z.T @ ((u - mean)[:, None] ** 2 * Z)) @ A * len(rows) / (len(rows) - kept.sum())
    for one, error in zip(np.array(found.coefficients, dtype=object)[kept], np.sqrt(np.diag(V)), strict=True):
        assert abs(one.upper.value - (one.value + 1.959963984540054 * error)) < 1e-6 * max(1.0, error)


def _left_out_errors(known, how):
    """One Newton step without each cluster, and Student's t with 2(G* − 1) or clusters − 1 degrees of freedom."""
    X, y, found = known
    codes = found.limiting.robust.clusters
    many = len(set(codes))
    held = "of 6 to 30 clusters 95 % intervals held 88 to 99 % in simulations"
    assert how == f"clustered by groups, {many} clusters; by what leaving each out changes, CR3: {held}"
    Z, mean = np.c_[np.array(X), np.ones(len(y))], np.asarray(found.predict())
    curved = mean * (1 - mean)
    inverse = np.linalg.inv(Z.T @ (curved[:, None] * Z))
    moved, parts = [], []
    for one in range(many):
        a, b = codes == one, codes != one
        moved.append(np.linalg.lstsq(Z[b].T @ (curved[b, None] * Z[b]), Z[a].T @ (np.array(y) - mean)[a])[0])
        reach = Z[a] @ inverse
        parts.append([(curved[a, None] * reach**2).sum(axis=0), (curved[a, None] * reach).sum(axis=0) ** 2])
    errors = np.sqrt((np.square(moved)).sum(axis=0) * (many - 1) / many)
    share = sum(kind / kind.sum(axis=0) for kind in np.moveaxis(parts, 1, 0))
    sums = [np.bincount(codes, np.array(y) == label) for label in (0, 1)]
    spread = min(one.sum() ** 2 / (one**2).sum() for one in sums)
    free = np.minimum(many - 1, 2 * (np.minimum(share.sum(axis=0) ** 2 / (share**2).sum(axis=0), spread) - 1))
    for one, error, degrees in zip(found.coefficients, errors, free, strict=True):
        assert (degrees < 1) == (one.upper.value == inf)
        assert degrees < 1 or abs(one.upper.value - one.value - student.ppf(0.975, degrees) * error) < 1e-6 * error


@estimates.of("within")
def _within(known, many, what):
    found = known[2]
    assert what == {"cox": "strata", "conditional": "sets"}[found.model]
    assert number(many) == len(set(known[1])) > 1
    assert found.limiting.robust is None


@estimates.of("lone")
def _lone(known, names):
    found = known[2]
    assert names.split(", ") == [
        one.name for one in found.coefficients if (one.lower.value, one.upper.value) == (-inf, inf)
    ]
    assert all(isnan(found.pvalues[name]) for name in names.split(", "))


@estimates.of("no end")
def _no_end(known, names):
    assert names.split(", ") == [one.name for one in known[2].coefficients if abs(one.value) == inf]


@estimates.of("spread")
def _spread(known, times, wide):
    X, y, found = known
    mean = np.asarray(found.predict())
    kept = mean > 1e-300
    pearson = (((np.array(y) - mean) ** 2)[kept] / mean[kept]).sum() / (kept.sum() - 1 - len(X[0]))
    assert abs(pearson / float(times) - 1) < 0.01
    assert wide == ("narrow" if pearson > 1 else "wide")


@estimates.of("few rows")
def _few_rows(known, few, rare, kind, share, names):
    """All coefficients of few rows, or the columns of which nearly every row has one value."""
    X, y, found = known
    robust = found.limiting.robust is not None
    held = {"cox": "92 to 97", "multinomial": "89 to 94", "ordinal": "93 to 98"}.get(found.model, "89 to 93")
    assert (kind, share, number(few)) == (("Wald", "86 to 100", 100) if robust else ("profile", held, 50))
    away = [len(X) - max(column.count(value) for value in column) for column in zip(*np.array(X).tolist(), strict=True)]
    few_of = {f"x{j}" for j, many in enumerate(away) if 0 < many < number(rare)}
    told = {one.name for one in found.coefficients if np.isfinite([one.lower.value, one.upper.value]).any()}
    rare_of = {name for name in told if name.split(": ")[-1] in few_of}  # before it the class, where there are several
    assert set(names.split(", ")) == (told if len(y) < number(few) else rare_of)


@estimates.of("effects")
def _effects(known, effects):
    """The same supremum with a column for each value; the sets are told by their names."""
    X, y, found = known
    firm = X[:, 1].astype(int)
    assert effects == f"{len(set(firm))} effects of firm"
    dummies = np.c_[X[:, :1], firm[:, None] == np.unique(firm)[1:]]
    assert abs(rb.estimate(dummies.astype(float), y, found.model, firth=False).llf - found.llf) < 1e-8


@estimates.of("no firth")
def _no_firth(known, what):
    design = known[2].limiting.design
    assert (what == "models without fixed effects") == bool(design.columns.effects)
    assert (what == "the logit link") == (design.link in ("probit", "cloglog"))
    assert all(one.firth is None for one in known[2].coefficients)


@estimates.of("maxima")
def _maxima(known, many, first, second):
    """The highest is at the estimates; another search, from the plain maximum on, ends at the second."""
    X, y, found = known
    Z, y = np.c_[np.array(X), np.ones(len(y))], np.array(y)

    def penalised(w):
        s = Z @ w
        p = 1 / (1 + np.exp(-s))
        return float(y @ s - np.logaddexp(0, s).sum() + 0.5 * np.linalg.slogdet(Z.T @ ((p * (1 - p))[:, None] * Z))[1])

    assert number(many) == len(found.maxima)
    assert abs(penalised(np.array([one.firth.value for one in found.coefficients])) - float(first)) < 1e-4
    plain = np.array([one.value for one in found.coefficients])
    assert abs(-minimize(lambda w: -penalised(w), plain, method="BFGS").fun - float(second)) < 1e-4


@estimates.of("exact")
def _exact(known):
    tail = (1 - known[2].level) / 2
    for counts, observed, one in _counted(known):
        if len(counts) == 1:
            continue
        assert abs(one.p - sum(c for c in counts.values() if c <= counts[observed]) / sum(counts.values())) < 1e-12
        middles = []
        for edge, end, up in ((min(counts), one.lower, True), (max(counts), one.upper, False)):
            assert (observed == edge) == (abs(end) == inf)
            if observed != edge:
                assert abs(tail_share(counts, observed, end, up) - tail) < 1e-7
                middles.append(_where_half(counts, observed, up))
        assert abs(one.value - sum(middles) / len(middles)) < 1e-6 * max(1.0, abs(one.value))


@estimates.of("one way")
def _one_way(known, names):
    present = [one for one in known[2].coefficients if not one.left_out]
    for (counts, _, _), one in zip(_counted(known), present, strict=True):
        assert (len(counts) == 1) == (one.name in names.split(", "))


@estimates.of("too many")
def _too_many(known, names, most):
    assert number(most) == MOST_TOTALS
    assert all(isnan(one.exact.p) == (one.name in names.split(", ")) for one in known[2].coefficients if one.exact)


def _counted(known):
    X, y, found = known
    present = [one for one in found.coefficients if not one.left_out]
    Z = np.c_[np.array(X), np.ones(len(y))][:, [not one.left_out for one in found.coefficients]]
    for j, one in enumerate(present):
        yield *by_all_labelings(Z, np.array(y, dtype=float), j), one.exact


def _where_half(counts, observed, up):
    low, high = -200.0, 200.0
    for _ in range(80):
        middle = (low + high) / 2
        less = tail_share(counts, observed, middle, up) < 0.5
        low, high = (middle, high) if less == up else (low, middle)
    return low


@estimates.of("doubtful")
def _doubtful(known):
    assert "≈" in text(known[2])


def _too_late(*_):
    raise Unfinished("the time limit was reached")


@estimates.of("late")
def _late(known, names):
    late = [one for one in known[2].coefficients if one.name in names.split(", ")]
    assert late
    assert all(one.late and (isnan(one.firth.lower) or isnan(one.lower.value)) for one in late)


@estimates.of("hidden")
def _hidden(known, names):
    hidden = [one for one in known[2].coefficients if one.name in names.split(", ")]
    assert all(isnan(one.firth.lower) or isnan(one.value) for one in hidden)


def _partition(known):
    X, y, _ = known
    return oracles.separability(oracles.signed(X, [1 if v else -1 for v in y]))


def _tables(count):
    for k in range(count):
        data = small_set(4 * k)  # two classes
        X = data.X[:7]
        y = data.y[:7]
        yield (np.c_[X, X[:, 0] * 2] if k % 9 == 0 else X), y
    r = np.random.default_rng(1)
    X, y = r.normal(size=(12, 2)), np.array([0, 1] * 6)
    yield X + 1e8, y
    yield X, np.ones(12)


def _small_tables(count):
    """Few values, so that totals coincide; and columns whose totals say everything."""
    r = np.random.default_rng(7)
    for k in range(count):
        X = r.choice([0.0, 1.0, 2.5], size=(8, 1 + k % 2)) if k % 4 else 2.0 ** np.arange(-5, 3)[:, None]
        yield X, r.permutation([0, 0, 0, 1, 1, 1, 1, k % 2])


def test_notes(request, monkeypatch):
    for X, y in _tables(300 if request.config.getoption("--soak") else 30):
        found = rb.estimate(X, y)
        for note in notes(found):
            estimates.read(note, (X.tolist(), y.tolist(), found))
    r = np.random.default_rng(1)
    X, y = r.normal(size=(12, 2)), np.array([0, 1] * 6)
    large = rb.estimate(X, y, sample_weight=np.full(12, 1e12))  # so steep that an end is not bracketed
    for note in notes(large):
        estimates.read(note, ([], [], large)) if note.startswith("≈") else None
    lost = rb.estimate(X, y, offset=np.linspace(-5000, 5000, 12))  # responses beyond all floats
    for note in notes(lost):
        estimates.read(note, ([], [], lost)) if note.startswith("Not computed") else None
    with monkeypatch.context() as patched:
        patched.setattr("rosenblatt.estimates.penalised.minimise", _too_late)
        late = rb.estimate(X, y)
    for note in notes(late):
        estimates.read(note, ([], [], late)) if note.startswith("Not computed") else None
    for X, y in _small_tables(60 if request.config.getoption("--soak") else 12):
        found = rb.estimate(X, y, firth=False, exact=True)
        for note in notes(found):
            estimates.read(note, (X.tolist(), y.tolist(), found))
    large = rb.estimate(r.normal(size=(24, 1)), np.arange(24) % 2, firth=False, exact=True)
    for note in notes(large):
        estimates.read(note, ([], [], large))
    for k in range(6):
        X, y = r.integers(0, 3, (7, 1)).astype(float), np.array([0, 1, 2, *r.integers(0, 3, 4)])
        found = rb.estimate(X, y, "multinomial", firth=k < 3)
        for note in notes(found):
            if note.startswith(("The likelihood has no maximum. The finite", "Firth:")):
                estimates.read(note, (X.tolist(), y.tolist(), found))
    for k in range(8):
        X = np.c_[r.normal(size=40), np.arange(40) < 5 * (k % 2)][:, : 1 + k % 2].astype(float)
        y = r.poisson(np.exp(0.4 * X[:, 0] + 1.0)).astype(float) * (1 + 9 * (k < 4))
        y = np.where(k % 2 * (np.arange(40) < 5), 0.0, y * (0.3 if k % 4 == 3 else 1.0) + (k == 2) * 0.5)
        found = rb.estimate(X, y, "poisson", firth=False)
        for note in notes(found):
            # the limit is told of smaller tables; of a limiting model `_spread` would count coefficients otherwise
            if not note.startswith(("The likelihood", "≈")) and not ("spread" in note and k % 2):
                estimates.read(note, (X.tolist(), y.tolist(), found))
    X, y = np.c_[r.normal(size=10), np.full(10, 2.0)], np.array([0, 1] * 5)
    found = rb.estimate(X, y, firth=False)
    estimates.read(next(note for note in notes(found) if "left out" in note), (X.tolist(), y.tolist(), found))
    X, y = np.c_[np.arange(60) < 5, np.arange(60) % 7, r.normal(size=60)].astype(float), np.arange(60) % 2
    found = rb.estimate(X, y, firth=False)
    told = next(note for note in notes(found) if "Of few rows" in note)
    assert told.endswith(" those of x0.")
    estimates.read(told, (X.tolist(), y.tolist(), found))
    few = X[:30]
    for found in (
        rb.estimate(few, np.arange(30) * 7 % 3, "ordinal"),
        rb.estimate(few, np.arange(30) * 7 % 3, "multinomial", firth=False),
        rb.estimate(few, time=np.arange(30) * 7 % 31 + 1, event=np.ones(30, dtype=int), firth=False),
    ):
        told = next(note for note in notes(found) if "Of few rows" in note)
        estimates.read(told, (few.tolist(), [0] * 30, found))
    own = np.random.default_rng(39)
    groups, x = np.repeat(np.arange(12), 4), np.repeat(own.normal(size=12), 4)
    for k in range(8):  # robust errors say nothing of infinite estimates: they have no interval to speak of
        y = (x > 0) ^ ((k % 2 > 0) & (np.arange(48) % 3 == 0))
        X = np.c_[x if k < 4 else groups < 2, own.normal(size=(48, k // 2 % 2))].astype(float)
        found = rb.estimate(X, y * 1, groups=groups)
        told = [note for note in notes(found) if "Of few rows" in note]
        assert bool(told) == any(np.isfinite(one.lower.value) for one in found.coefficients)
        if told:
            estimates.read(told[0], (X.tolist(), y.tolist(), found))
    births = pd.read_csv(BIRTHS)
    X = Formula("0 + bs(age, df=3) + poly(lwt, 2) + smoke").get_model_matrix(births)
    found = rb.estimate(np.array(X), births["low"])
    told = next(note for note in notes(found) if "maxima" in note)
    assert "-111.8776 and -111.8805" in told
    estimates.read(told, (np.array(X).tolist(), births["low"].tolist(), found))
    for model, link in (("poisson", None), ("logistic", None), ("logistic", "probit"), ("ordinal", None)):
        X, y = np.c_[r.normal(size=40), np.arange(40) % 4], r.integers(0, 2, 40)
        effects = None if link or model == "ordinal" else [pd.Series(X[:, 1].astype(int), name="firm")]
        found = rb.estimate(X if effects is None else X[:, :1], y, model, fixed_effects=effects, link=link)
        for note in notes(found):
            estimates.read(note, (X, y, found)) if "are worked out" in note or "Beside" in note else None
    strata = np.repeat(np.arange(8), 2)
    for k in (1, 2):
        X = np.c_[strata % 5, strata // 3, r.normal(size=16)][:, -1 - k :]
        found = rb.estimate(X, model="cox", time=np.ones(16), event=np.arange(16) % 2, groups=strata, firth=False)
        told = notes(found)
        for note in (told[0], next(one for one in told if one.startswith("Rows are compared within 8 strata"))):
            estimates.read(note, (X.tolist(), strata.tolist(), found))
        found = rb.estimate(X, model="cox", time=np.ones(16), event=np.arange(16) % 2, groups=strata, cluster=strata)
        assert not any("compared within" in note for note in notes(found))
    sets = rb.estimate(r.normal(size=(16, 1)), np.arange(16) % 2, "conditional", groups=strata)
    told = next(one for one in notes(sets) if "compared within 8 sets" in one)
    estimates.read(told, ([], strata.tolist(), sets))
    of_row = np.repeat(np.arange(6), 7)
    for treated in (1, 2):  # of one cluster alone nothing says how far its coefficient may be off
        X, y = np.c_[of_row < treated, r.normal(size=42)] * 1.0, r.integers(0, 2, 42)
        found = rb.estimate(X, y, groups=of_row)
        assert ("Hardly" in str(found)) == (treated == 1)
        for note in notes(found):
            estimates.read(note, (X.tolist(), y.tolist(), found))
    estimates.finish(rare={"not identified": "of columns that the model makes itself, as levels of effects"})


def test_no_digit_is_shown_that_is_not_known():
    for k in range(20):
        data = small_set(4 * k)
        found = rb.estimate(data.X, data.y, firth=False)
        if any(one.fate == "not identified" for one in found.coefficients):
            continue
        _, w = data.__class__(data.X, data.y, "logistic", None, None, None, True).slow().least()
        lines = text(found).splitlines()[3 : 3 + len(found.coefficients)]
        for line, exact, one in zip(lines, w, found.coefficients, strict=True):
            if one.fate == "finite":
                shown = re.split(r"  +", line)[2]
                decimals = len(shown.partition(".")[2].partition("e")[0])
                unit = 10.0 ** (int(shown.partition("e")[2] or 0) - decimals)
                assert abs(float(exact) - float(shown)) <= 0.5000001 * unit
            else:
                assert one.value in (inf, -inf) or isnan(one.value)


def test_the_page_has_every_note():
    assert set(estimates.checks) == set(book().templates["estimate"])
