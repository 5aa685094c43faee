"""What a number is: the rule for columns against Python's own texts of floats, and exact values as fractions."""

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt.data.numbers import rows as data_rows
from rosenblatt.data.numbers.exact import exact_rows, power_of_ten
from rosenblatt.data.numbers.gate import number_column, rows_of
from rosenblatt.data.numbers.readings import BINARY, Origin, Reading, Survey, Written
from rosenblatt.data.numbers.rows import Rows, as_rows


def fractions_of(rows: Rows) -> list[list[Fraction]]:
    """The values of rows, as their `exact` says, in fractions."""
    exact = rows.exact
    X = rows.take(slice(0, rows.n)).tolist()
    low = None if exact.low is None else (exact.low.toarray() if sp.issparse(exact.low) else exact.low).tolist()
    decimal = set(exact.decimal.tolist())
    found = []
    for i, x in enumerate(X):
        values = []
        for j, v in enumerate(x):
            main = np.rint(v * power_of_ten(-exact.powers[j])) if j in decimal else v
            value = Fraction(float(main)) * 2 ** exact.shifts.get(j, 0)
            for q, owner in enumerate(exact.owner):
                if owner == j:
                    value += Fraction(low[i][q]) * 2 ** exact.low_shifts[q]
            values.append(value * Fraction(10) ** exact.powers[j])
        found.append(values)
    return found


def digits_of(x: float) -> int:
    """Digits of the shortest text of a float."""
    return len(Decimal(repr(x)).normalize().as_tuple().digits)


def as_text_says(column: list[float]) -> list[Fraction]:
    """The rule for float64: the texts' decimals where all have at most 15 digits, else the floats."""
    if all(digits_of(v) <= 15 for v in column):
        return [Fraction(repr(v)) for v in column]
    return [Fraction(v) for v in column]


_SHORT = st.tuples(st.integers(-(10**15) + 1, 10**15 - 1), st.integers(-40, 40)).map(lambda q: float(f"{q[0]}e{q[1]}"))
_NUMBERS = st.one_of(
    st.tuples(st.integers(-999, 999), st.integers(0, 4)).map(lambda q: float(Fraction(q[0], 10 ** q[1]))),
    _SHORT,
    st.integers(-999, 999).map(lambda v: float(f"{v}e-25")),
    st.floats(-1e3, 1e3).map(lambda v: float(f"{v:.15g}")),  # as R writes them
    st.sampled_from(
        [0.0, -0.0, 0.5, 1e300, 1e-300, 5e-324, 3e-320, 1e308, 2.0**53 + 2, 1e15, 0.1 + 0.2, 1e-15, 0.999999999999999]
    ),
    st.floats(-1e20, 1e20),
)
_COLUMNS = st.lists(st.lists(_NUMBERS, min_size=3, max_size=3), min_size=1, max_size=6)


@settings(max_examples=max(300, settings.default.max_examples))
@given(_COLUMNS, st.integers(1, 7))
def test_floats_are_read_as_their_texts(table: list[list[float]], piece: int) -> None:
    X = np.array(table)
    true = [list(row) for row in zip(*map(as_text_says, X.T.tolist()), strict=True)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(data_rows, "_PIECE_VALUES", piece)  # cuts the rows wherever
        for rows in (as_rows(X), as_rows(sp.csr_array(X))):
            read = exact_rows(rows)
            assert fractions_of(read) == true
            assert fractions_of(exact_rows(rows, read.exact.readings)) == true
        parts = [Survey.of(as_rows(X[:piece])), Survey.of(as_rows(X[piece:]))]
        joined = parts[0].joined(parts[1])
        assert joined.readings() == parts[1].joined(parts[0]).readings()
        for part in (X[:piece], X[piece:]):  # each part by the readings of all
            if len(part):
                read = exact_rows(as_rows(part), joined.readings(), joined)
                at = 0 if part is X[:piece] else piece
                assert fractions_of(read) == true[: len(part)] or fractions_of(read) == true[at : at + len(part)]


def test_edges() -> None:
    def places(*column: float) -> int | None:
        power = exact_rows(as_rows([[v] for v in column])).exact.readings[0].power
        return None if power is None else -power

    assert places(0.999999999999999, 1e-15) == 15
    assert places(1.1, 1e-15) == 15  # whole numbers longer than a float: a second one has what the first misses
    assert places(99999999999999.9) == 1
    assert places(999999999999999.9) is None
    assert places(0.1, 1e20) == 1
    assert places(0.1, 1e-300) == 300
    assert places(3e-16, 2e-16, 5e-16) == 16
    assert places(3e22, 5e22) == 0
    assert places(0.25, 0.5) == 2
    assert places(0.1 + 0.2) is None
    assert places(0.1, 0.1 + 0.2) is None  # one of them makes the column binary
    assert places(2.0**53 + 2) is None
    assert exact_rows(as_rows(np.empty((3, 0)))).exact.readings == ()


@pytest.mark.parametrize(
    ("values", "reading"),
    [
        ([0.1, 0.2, 12.3], Reading(-1)),
        ([0.1234, 999.1], Reading(-4)),
        ([0.1234, 9999.1], Reading(None, 32)),  # eight digits in its common unit
        ([0.12345], Reading(None, 32)),
        ([1.5, 2.25], Reading(-2)),
        ([1, 2, 16777216], Reading(0)),
        ([1 / 3], Reading(None, 32)),
    ],
)
def test_float32(values: list[float], reading: Reading) -> None:
    X = np.array(values, dtype=np.float32)[:, None]
    read = exact_rows(as_rows(X))
    assert read.exact.readings == (reading,)
    texts = [Fraction(str(v)) for v in X[:, 0]]
    assert [x for (x,) in fractions_of(read)] == (
        texts if reading.power is not None else [Fraction(float(v)) for v in X[:, 0]]
    )


# ----------------------------------------------------------------------------------------------------- written numbers

_WRITTEN = st.tuples(st.integers(-(10**31) + 1, 10**31 - 1), st.integers(-60, 60))
_ANY = st.one_of(
    _WRITTEN,
    st.tuples(st.integers(-50, 50), st.sampled_from([0, -400, -20, 5, 350])),
    st.tuples(st.integers(10**18, 10**18 + 9), st.just(0)),
)


@settings(max_examples=max(300, settings.default.max_examples))
@given(st.lists(_ANY, min_size=1, max_size=5))
def test_written_numbers_stay_what_they_are(pairs: list[tuple[int, int]]) -> None:
    true = [[Fraction(m) * Fraction(10) ** e] for m, e in pairs]
    written = Written.of(pairs)
    assert [[Fraction(m)] for m in written.whole(-500)] == [[v * Fraction(10) ** 500 for v in one] for one in true]
    rows = Rows(written.floats()[:, None], Origin((0,), Written(*(part[:, None] for part in written)))).within_range()
    read = exact_rows(rows)
    assert fractions_of(read) == true
    assert exact_rows(rows, (BINARY,)) is None
    decimals = [[Decimal(f"{m}e{e}")] for m, e in pairs]
    gated = rows_of(np.array(decimals, dtype=object)).within_range()
    found = fractions_of(exact_rows(gated))
    short = all(len(str(abs(m)).strip("0")) <= 15 for m, _ in pairs)
    program = all(v == Fraction(repr(float(d))) for (v,), (d,) in zip(true, decimals, strict=True) if abs(v) < 10**300)
    assert found == true or (program and not short and found == [[Fraction(float(d))] for (d,) in decimals])


class Odd:
    """Nothing that is a number."""


@pytest.mark.parametrize(
    ("X", "words"),
    [
        ([[1 + 1j], [1 - 1j]], "complex"),
        (np.ma.array([[1.0], [2.0]], mask=[[0], [1]]), "a masked value in row 1, column 0"),
        (np.array([[1.0], [np.longdouble(1) + np.longdouble(2) ** -60]]), "float64 does not hold"),
        ([[Fraction(1, 3)], [1]], "the fraction 1/3 in row 0, column 0, which is no decimal: multiply its column by 3"),
        ([[Decimal(10**31 + 1)], [1]], "a number of 32 digits in row 0, column 0"),
        ([[Decimal("1e99999")], [1]], "exponents beyond"),
        ([[Decimal("NaN")], [1]], "NaN in row 0, column 0"),
        ([[None], [1]], "NaN in row 0, column 0"),
        ([[Odd()], [1]], "no number"),
        (sp.csr_array(np.array([[2**53 + 1], [1]])), "the integer 9007199254740993 in row 0, column 0"),
    ],
)
def test_what_has_no_number_is_refused(X: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        rows_of(X)


def test_frames_keep_their_columns() -> None:
    import pandas as pd

    frame = pd.DataFrame(
        {
            "id": np.array([2**60 + 1, 2**60 + 3]),
            "price": np.array([0.1, 12.3], dtype=np.float32),
            "big": pd.array([2**55 + 1, 4], dtype="Int64"),
            "money": [Decimal("0.10000000000000000001"), Decimal("2")],
            "x": [0.1, 0.2],
        }
    )
    read = exact_rows(rows_of(frame))
    assert fractions_of(read) == [
        [
            Fraction(2**60 + 1),
            Fraction(1, 10),
            Fraction(2**55 + 1),
            Fraction("0.10000000000000000001"),
            Fraction(1, 10),
        ],
        [Fraction(2**60 + 3), Fraction(123, 10), Fraction(4), Fraction(2), Fraction(1, 5)],
    ]
    with pytest.raises(ValueError, match="NaN in row 1, column 'big'"):
        rows_of(frame.assign(big=pd.array([1, None], dtype="Int64")))


def test_moments_are_whole_numbers() -> None:
    moments = np.array(["2024-01-01T00:00:00.000000001", "2024-01-01T00:00:00.000000002"], dtype="datetime64[ns]")
    (a,), (b,) = fractions_of(exact_rows(rows_of(moments[:, None])))
    assert b - a == 1
    (c,), _ = fractions_of(exact_rows(number_column(moments, "time")))
    assert c == a
