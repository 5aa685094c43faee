"""What a verdict says of how its columns were read, and of streets that rounding may have made."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rosenblatt as rb
from rosenblatt.data.numbers.readings import Reading
from rosenblatt.verdicts.words import ColumnReading, readings_in_words

NARROW = "; the street is as narrow as the rounding of its numbers."


def read(X: object, y: object = (0, 1), **options: object) -> str:
    verdict = rb.separability(X, list(y), **options)
    found = dict(verdict.facts()).get("numbers read", "")
    assert ("numbers read" in verdict._repr_html_()) == bool(found)
    return found


@pytest.mark.parametrize(
    ("X", "said"),
    [
        ([[1], [2]], ""),
        ([[0.1], [0.2]], ""),
        ([[1e-300], [2e-300]], ""),
        ([[10**18], [10**18 + 1]], "x0: 19 digits, read exactly"),
        ([[10**18], [2 * 10**18]], ""),  # one digit: zeros at the end are none
        (np.float32([[0.1], [0.2]]), "x0: float32, read as tenths"),
        (np.float32([[0.25], [0.2]]), "x0: float32, read as hundredths"),
        (np.float32([[0.125], [0.2]]), "x0: float32, read as thousandths"),
        (np.float32([[0.0001], [0.2]]), "x0: float32, read as decimals of 4 places"),
        (np.float32([[3], [1e20]]), "x0: float32, as they are"),
        (np.float32([[3], [4]]), ""),
        (np.float32([[1 / 3], [2 / 3]]), "x0: float32, as they are"),
        ([[1 / 3], [2 / 3]], "x0: binary floats, as a program wrote them"),
        ([[1 / 3, 1, 2 / 7], [2 / 3, 2, 3 / 7]], "x0 and x2: binary floats, as a program wrote them"),
        (np.sqrt([[2.0] * 3, [3.0] * 3]), "x0, x1 and x2: binary floats, as a program wrote them"),
        (np.sqrt([[2.0] * 5, [3.0] * 5]), "x0, x1 and 3 more: binary floats, as a program wrote them"),
        (
            [[1 / 3, 10**18], [2 / 3, 10**18 + 1]],
            "x0: binary floats, as a program wrote them; x1: 19 digits, read exactly",
        ),
    ],
)
def test_columns_that_are_not_plain_are_named(X: object, said: str) -> None:
    assert read(X) == said


def test_floats_that_were_asked_for() -> None:
    assert read([[0.1], [0.2]], numbers="binary") == "all columns: binary floats, as asked"


def test_every_verdict_has_a_reading_for_each_column() -> None:
    X = np.array([[0.1, 1 / 3], [0.2, 2 / 3], [0.3, 4 / 3], [0.7, 1 / 7]])
    decided = rb.separability(X, [0, 1, 0, 1])
    late = rb.separability(X, [0, 1, 0, 1], time_limit=0.0)
    model = rb.existence(X, [0, 1, 3, 1], "poisson")
    wanted = [Reading(-1), Reading()]
    assert [one.reading for one in decided.readings] == wanted
    assert [one.reading for one in model.readings] == wanted
    assert late.kind == "unknown"
    assert [one.reading for one in late.readings] in ([], wanted)
    # without rows at hand, the certificate tells
    alone = rb.Verdict("overlap", 4, 0.0, certificate=decided.certificate)
    assert [(one.name, one.reading) for one in alone.readings] == list(zip(["x0", "x1"], wanted, strict=True))


@given(st.integers(10**15 + 1, 10**31 - 1), st.integers(0, 9))
def test_digits_are_those_of_the_longest_number(number: int, zeros: int) -> None:
    verdict = rb.separability([[number * 10**zeros], [1]], [0, 1])
    longest = len(str(number).rstrip("0"))
    if longest <= 15:
        assert verdict.readings[0].digits is None
    elif float(number * 10**zeros) != number * 10**zeros:  # floats may do for others
        assert verdict.readings[0].digits == longest


@given(st.lists(st.sampled_from([Reading(-2), Reading(), Reading(None, 32)]), max_size=9))
def test_all_columns_are_counted(readings: list[Reading]) -> None:
    columns = [ColumnReading(f"c{j}", one) for j, one in enumerate(readings)]
    said = readings_in_words(columns, "decimal")
    counted = 0
    for part in filter(None, said.split("; ")):
        names, _, words = part.partition(": ")
        first, _, more = names.partition(" and ")
        counted += len(first.split(", ")) + (int(more.split()[0]) if more.endswith("more") else bool(more))
        assert words == next(one for one in columns if one.name == first.split(", ")[0]).words
    assert counted == sum(one.power is None for one in readings)


@given(st.floats(0.1, 10.0), st.integers(-40, 40), st.booleans())
def test_neighbouring_floats_get_a_warning_in_any_unit(x: float, exponent: int, single: bool) -> None:
    kind = np.float32 if single else np.float64
    x = kind(np.ldexp(x, exponent))
    close, apart = (np.array([[x], [other]], dtype=kind) for other in (np.nextafter(x, kind(np.inf)), x * kind(1.5)))
    verdict = rb.separability(close, [0, 1])
    exact = any(one.reading.power is not None for one in verdict.readings)
    assert verdict.narrow == verdict.sentence.endswith(NARROW) == (not exact)
    assert not rb.separability(apart, [0, 1]).narrow


def test_long_numbers_that_are_read_exactly_get_none() -> None:
    assert not rb.separability([[10**18], [10**18 + 1]], [0, 1]).narrow
    assert not rb.separability([[0.1], [0.100000000000001]], [0, 1]).narrow


def test_a_column_that_the_street_does_not_use_counts_for_nothing() -> None:
    far = 1e10 / 3
    X = [[0.0, far], [1.0, far]]
    assert not rb.separability(X, [0, 1]).narrow
    assert rb.separability([[0.0, far], [0.0, np.nextafter(far, 1e20)]], [0, 1]).narrow
