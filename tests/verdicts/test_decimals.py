"""A number is what the file says: decimals against fractions of their texts, by brute force."""

import json
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import rosenblatt as rb
from rosenblatt.data.numbers.rows import as_rows
from rosenblatt.verdicts import checker
from tests.claims import oracles
from tests.distributed.conftest import Inline
from tests.distributed.test_training import pairs
from tests.verdicts.test_separability import brute_force


def powers(verdict: rb.Verdict) -> list[int | None]:
    """Decimal places of each column; None for floats."""
    return [-one["power"] if "power" in one else None for one in verdict.certificate.content["readings"]]


# --------------------------------------------------------------------------------------------------------- the verdict


def proved_everywhere(verdict: rb.Verdict, X: Any, y: Any) -> None:
    """Both checkers, and shards, accept the certificate and say the same."""
    signs = np.where(np.asarray(y) == max(y), 1, -1).astype(np.int8)
    content = json.loads(json.dumps(verdict.certificate.content))
    dense = X.toarray() if sp.issparse(X) else np.asarray(X, dtype=float)
    said = checker.check(content, dense.tolist(), signs.tolist())
    assert said.startswith(verdict.kind)
    assert verdict.certificate.examine(as_rows(X), signs, 0) == said
    assert rb.distributed.verify(verdict.certificate, pairs(dense, signs, 2), None, Inline()) == said


@st.composite
def written(draw: st.DrawFn) -> tuple[list[list[str]], list[int], bool]:
    """Tables as files have them: columns of 1 to 3 decimals, sums, differences and other units of others."""
    n, k = draw(st.integers(3, 5)), draw(st.integers(1, 3))
    whole = st.lists(st.integers(-30, 30), min_size=n, max_size=n)
    columns = [[Fraction(v, 10**k) for v in draw(whole)] for _ in range(draw(st.integers(1, 2)))]
    made = draw(st.sampled_from(["none", "sum", "centimetres", "fahrenheit", "whole", "far"]))
    a, b = columns[0], columns[-1]
    columns += {
        "none": [],
        "sum": [[u + v for u, v in zip(a, b, strict=True)]],
        "centimetres": [[u * Fraction(254, 100) for u in a]],
        "fahrenheit": [[u * Fraction(9, 5) + 32 for u in a]],
        "whole": [[Fraction(v) for v in draw(whole)]],
        "far": [[u + 2000 for u in b]],
    }[made]
    labels = draw(st.lists(st.sampled_from([-1, 1]), min_size=n, max_size=n))
    labels[:2] = [1, -1]
    texts = [[f"{float(v):.5f}" for v in row] for row in zip(*columns, strict=True)]
    return texts, labels, draw(st.booleans())


@settings(max_examples=max(80, settings.default.max_examples))
@given(written())
def test_verdicts_are_those_of_the_texts(case: Any) -> None:
    texts, y, bias = case
    X = np.array(texts, dtype=float)
    Z = [[t * Fraction(v) for v in [*row, *["1"] * bias]] for row, t in zip(texts, y, strict=True)]
    kind, strict = brute_force(Z)
    verdict = rb.separability(X, y, fit_intercept=bias)
    assert verdict.kind == kind
    assert set(verdict.rows["strict"].tolist()) == strict
    proved_everywhere(verdict, X, y)
    sparse = rb.separability(sp.csr_array(X), y, fit_intercept=bias)
    assert (sparse.kind, sparse.rows["strict"].tolist()) == (kind, verdict.rows["strict"].tolist())
    if verdict.difference and verdict.difference.kind:
        binary = rb.separability(X, y, fit_intercept=bias, numbers="binary")
        assert powers(binary) == [None] * X.shape[1]
        floats = [[t * Fraction(v) for v in [*row, *[1.0] * bias]] for row, t in zip(X.tolist(), y, strict=True)]
        assert kind != verdict.difference.kind == binary.kind == brute_force(floats)[0]


def test_differences_are_told() -> None:
    """Three prices on a line in decimals, of which floats put one beside it."""
    X, y = [[0.1, 0.3], [0.2, 0.6], [0.3, 0.9]], [0, 1, 0]
    verdict = rb.separability(X, y)
    assert verdict.kind == "overlap"
    assert rb.separability(X, y, numbers="binary").kind == "complete"
    said = (
        "x0, x1 can be computed from others: rank 2 in decimals, 3 in floats; "
        "as floats the classes would be completely separable"
    )
    assert ("numbers", said) in verdict.facts()
    proved_everywhere(verdict, X, y)


def orange_juice(rng: np.random.Generator, n: int) -> tuple[Any, Any, list[str]]:
    """Prices to the cent, their discounts and differences, as in ISLR's OJ: 8 columns of rank 4."""
    ch, mm = rng.integers(169, 210, n), rng.integers(169, 230, n)
    disc_ch, disc_mm = (rng.integers(1, 80, n) * (rng.random(n) < 0.3) for _ in range(2))
    cents = [ch, mm, disc_ch, disc_mm, mm - disc_mm, ch - disc_ch, mm - disc_mm - ch + disc_ch, mm - ch]
    loyal = np.round(rng.random(n), 6)
    X = np.column_stack([rng.integers(227, 279, n), *(c / 100 for c in cents), loyal, rng.integers(0, 2, n)])
    prices = ["PriceCH", "PriceMM", "DiscCH", "DiscMM", "SalePriceMM", "SalePriceCH", "PriceDiff", "ListPriceDiff"]
    names = ["Week", *prices, "LoyalCH", "Store7"]
    return X, (loyal + rng.normal(size=n) * 0.3 > 0.5).astype(int), names


def test_prices_that_add_up_are_not_identified() -> None:
    import pandas as pd

    X, y, names = orange_juice(np.random.default_rng(0), 120)
    verdict = rb.separability(pd.DataFrame(X, columns=names), y, coefficients=True)
    assert powers(verdict) == [0, *[2] * 8, 6, 0]
    kinds = {one.name: one.kind for one in verdict.coefficients}
    lost = names[1:9]
    assert [name for name in names if kinds[name] == "not identified"] == lost
    said = f"{', '.join(lost)} can be computed from others: rank 8 in decimals, 12 in floats"
    assert ("numbers", said) in verdict.facts()
    floats = rb.separability(X, y, coefficients=True, numbers="binary")
    assert Counter(one.kind for one in floats.coefficients) == {"finite": 12}
    assert not floats.difference
    proved_everywhere(verdict, X, y)


@pytest.mark.parametrize("made", ["percentages", "units", "both"])
def test_columns_in_other_units(made: str) -> None:
    rng = np.random.default_rng(3)
    a = rng.integers(1, 500, (60, 2))
    shares = np.column_stack([a, 1000 - a.sum(axis=1)]) / 10  # of 100 %
    inches, celsius = a[:, 0] / 10, a[:, 1] / 10
    units = np.column_stack([inches, 254 * a[:, 0] / 1000, celsius, (18 * a[:, 1] + 3200) / 100])
    X = {"percentages": shares, "units": units, "both": np.column_stack([shares, units])}[made]
    noise = rng.normal(size=60)
    X, y = np.column_stack([X, noise]), (X[:, 0] + 30 * noise > np.median(X[:, 0])).astype(int)
    verdict = rb.separability(X, y, coefficients=True)
    kinds = [one.kind for one in verdict.coefficients]
    assert kinds[:-2] == ["not identified"] * (len(kinds) - 2)
    assert kinds[-2] != "not identified"  # floats beside them
    assert powers(verdict)[-1] is None
    ones = [[Fraction(1)] for _ in X]
    for table, rank in zip((oracles.read(X), map(oracles.exact, X)), verdict.difference.ranks, strict=True):
        assert oracles.rank([x + one for x, one in zip(table, ones, strict=True)]) == rank
    proved_everywhere(verdict, X, y)


def test_margins_are_in_the_table_s_units() -> None:
    X, y = [[0.1, 0.0], [0.3, 0.0], [0.1, 7.3]], [0, 1, 0]
    verdict = rb.separability(X, y)
    assert verdict.street.lower <= 0.1 <= verdict.street.upper
    assert verdict.street.upper - verdict.street.lower < 1e-16
    assert verdict.radius == pytest.approx(np.sqrt(0.1**2 + 7.3**2 + 1))
    proved_everywhere(verdict, X, y)


def test_columns_far_from_zero_and_of_any_size() -> None:
    """Moved to zero, beyond 2^53, tiny, huge, doubled."""
    rng = np.random.default_rng(5)
    tenths = 20000 + rng.integers(0, 300, 40)
    sizes = [rng.normal(size=40) * 1e-300, rng.integers(0, 9, 40) * 2.0**60, tenths / 100, -np.zeros(40)]
    X = np.column_stack([tenths / 10, *sizes])
    X[20:] = X[:20]
    for y in (rng.integers(0, 2, 40), (tenths > 20150).astype(int)):
        verdict = rb.separability(X, y)
        assert powers(verdict) == [1, None, None, 2, 0]  # 2^60 times a digit has more than 15
        proved_everywhere(verdict, X, y)


def test_wide_and_thin_tables() -> None:
    rng = np.random.default_rng(6)
    X = rng.integers(-99, 99, (70, 90)) / 100
    wide = rb.separability(X, np.arange(70) % 2)
    proved_everywhere(wide, X, np.arange(70) % 2)
    twin = np.vstack([X, X[:1]])
    overlap = rb.separability(twin, [*(np.arange(70) % 2), 1])
    assert overlap.kind != "complete"
    proved_everywhere(overlap, twin, [*(np.arange(70) % 2), 1])
    line = np.arange(1, 9)[:, None] * np.array([[0.1, 0.3]])  # 0.30000000000000004 is no decimal
    thin = rb.separability(np.round(line, 1), [0, 0, 0, 0, 1, 1, 1, 1])
    assert thin.kind == "complete"
    proved_everywhere(thin, np.round(line, 1), [0, 0, 0, 0, 1, 1, 1, 1])


# --------------------------------------------------------------------------------------------- files, shards, commands


def test_files_and_arrays_give_the_same_verdict(tmp_path: Any) -> None:
    import pandas as pd

    X, y, names = orange_juice(np.random.default_rng(1), 80)
    frame = pd.DataFrame(X, columns=names).assign(buys=np.where(y > 0, "MM", "CH"))
    frame.to_csv(tmp_path / "oj.csv", index=False)
    frame.to_parquet(tmp_path / "oj.parquet")
    array = rb.separability(X, y, coefficients=True)
    for path in (tmp_path / "oj.csv", tmp_path / "oj.parquet"):
        verdict = rb.separability(rb.data.open_table(path, target="buys"), coefficients=True)
        for name in ("readings", "data_sha256", "verdict", "w", "lambda"):
            assert verdict.certificate.content.get(name) == array.certificate.content.get(name)
        assert [one.kind for one in verdict.coefficients] == [one.kind for one in array.coefficients]
        verdict.certificate.save(tmp_path / "oj.json")
        assert checker.main([str(tmp_path / "oj.json"), str(tmp_path / "oj.csv")]) == 0


def test_shards_join_their_powers() -> None:
    """One shard is whole, another has decimals; a third has numbers so large that both together need two floats."""
    X = np.array([[1.0, 1.0], [2.0, 2.0], [0.1, 0.1], [0.25, 0.4], [7.0, 10.0**15], [3.0, 3.0]])
    y = np.array([0, 1, 0, 1, 1, 0])
    verdict = rb.distributed.separability(pairs(X, y, 3), None, Inline())
    assert powers(verdict) == powers(rb.separability(X, y)) == [2, 1]
    proved_everywhere(verdict, X, y)
    floats = rb.distributed.separability(pairs(X, y, 3), None, Inline(), numbers="binary")
    assert powers(floats) == [None, None]


def test_shards_give_the_verdict_of_one_machine() -> None:
    rng = np.random.default_rng(7)
    seen = Counter()
    for trial in range(20):
        a = rng.integers(0, 40, (30, 2))
        X = np.column_stack([a / 10, (2 * a[:, 0] + a[:, 1]) / 10, 3000 + a[:, 1] / 100])
        y = rng.integers(0, 2, 30) if trial % 3 else (a[:, 0] > 20).astype(int)
        y[a[:, 0] > 36] = 1 if trial % 3 == 1 else y[a[:, 0] > 36]
        local, verdict = rb.separability(X, y), rb.distributed.separability(pairs(X, y, 3), None, Inline())
        assert verdict.kind == local.kind
        assert verdict.rows["plane"].tolist() == local.rows["plane"].tolist()
        assert verdict.certificate.content["readings"] == local.certificate.content["readings"]
        assert verdict.mistake_bound == local.mistake_bound
        proved_everywhere(verdict, X, y)
        seen[verdict.kind] += 1
    assert len(seen) >= 2


def test_refusals() -> None:
    with pytest.raises(ValueError, match="numbers must be 'decimal' or 'binary'; it is 'octal'"):
        rb.separability([[0.1], [0.2]], [0, 1], numbers="octal")
    with pytest.raises(ValueError, match="numbers must be"):
        rb.distributed.separability(pairs(np.array([[0.1], [0.2]]), np.array([0, 1]), 2), None, Inline(), numbers="")


def test_check_on_the_command_line(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    from rosenblatt.cli.app import main

    (tmp_path / "p.csv").write_text(
        "price,discount,paid,y\n0.3,0.1,0.2,a\n0.7,0.1,0.6,b\n1.1,0.4,0.7,a\n0.4,0.3,0.1,b\n2.3,1.1,1.2,a\n"
    )
    said = {}
    for numbers in ("decimal", "binary"):
        assert main(["check", str(tmp_path / "p.csv"), "--target", "y", "--numbers", numbers, "--json"]) == 0
        said[numbers] = json.loads(capsys.readouterr().out)
        assert said[numbers]["numbers"] == numbers
    assert "price, discount, paid can be computed from others" in said["decimal"]["difference"]
    assert said["binary"]["difference"] is None
