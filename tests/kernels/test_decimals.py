"""Numbers read by the compiled loop are those of float(), to the bit; text that is not plain is left to the caller."""

from decimal import Decimal, localcontext
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rosenblatt.kernels.decimals import PADDING, count_byte, read_pairs


def read(content: bytes, most_unsure: int = 1000) -> Any:
    """The labels of all lines, their values, and what is left to float(); None where something is not plain."""
    text = np.frombuffer(content + bytes(PADDING), dtype=np.uint8)
    n, pairs = content.count(b"\n"), content.count(b":")
    labels, lengths = np.full(n, np.nan), np.zeros(n, dtype=np.int64)
    columns, values = np.zeros(pairs, dtype=np.int32), np.full(pairs, np.nan)
    unsure = np.empty((most_unsure, 3), dtype=np.int64)
    out = (labels, lengths, columns, values, np.zeros(pairs, dtype=np.uint8))
    lines, read, noted = read_pairs(text, len(content), 1, 10**6, *out, unsure)
    if lines < 0:
        return None
    left = [(place, content[start:stop]) for place, start, stop in unsure[:noted].tolist()]
    return labels[:lines], values[:read], left


def expect(texts: list[str]) -> int:
    """All are read, and to the bits of float(); returns how many were left to it.

    Of others that are asked about only the text is of interest: they are read too.
    """
    labels, _, left = read("".join(f"{text}\n" for text in texts).encode(), most_unsure=len(texts) + 1)
    assert len(labels) == len(texts)
    for place, text in left:
        row = -1 - place
        assert text.decode() == texts[row]
        if is_long(texts[row]):
            labels[row] = float(text)
    expected = np.array([float(text) for text in texts])
    wrong = np.flatnonzero(labels.view(np.int64) != expected.view(np.int64))
    assert [texts[i] for i in wrong] == []
    return sum(is_long(text.decode()) for _, text in left)


def is_long(text: str) -> bool:
    """Whether it has more digits than the loop holds."""
    return len(text.lower().partition("e")[0].lstrip("+-").replace(".", "").lstrip("0")) > 19


HARD = [
    *("0", "-0", "0.0", "-0.0", "0e5", "-0e-999", "0e99999999999999999999999", "000", "0000000000000000000000000"),
    "-0.00000000000000000000000000000",
    *("1", "-1", "7", "12345678", "123456789", "1234567890123456", "12345678901234567", "1234567890123456789"),
    *("9999999999999999999", "18446744073709551615"),
    *("9007199254740991", "9007199254740992", "9007199254740993", "9007199254740994", "9007199254740995"),
    "-9007199254740993",
    *("0.1", "0.30000000000000004", "123.4567", "0.12345678", "0.123456789", "1.7976931348623157"),
    *("3.141592653589793", "00012.50", "2.50000000"),
    *("1e22", "1e23", "1E22", "1e+22", "1e-22", "1e-23", "9007199254740992e22", "9007199254740993e-22"),
    *("9007199254740992e-23", "123e00000000000000000005"),
    *("1e308", "1.7976931348623157e308", "1.7976931348623158e308", "179769313486231570000e288"),
    "0.00017976931348623157e312",
    *("2.2250738585072014e-308", "2.2250738585072011e-308", "2.2250738585072012e-308", "2.225073858507201e-308"),
    *("4.9e-324", "5e-324", "3e-324"),
    *("2.5e-324", "2.4703282292062327e-324", "2.4703282292062328e-324", "2e-324", "1e-400"),
    *("1e-99999999999999999999", "1e-18446744073709551616", "123456789e-330", "1e-342", "9e-343"),
    *("4503599627370497.5", "4503599627370498.5", "1125899906842624.125", "1125899906842624.375"),
    *("562949953421312.0625", "9007199254740993.0"),
    *("9007199254740993e0", "90071992547409930e-1", "900719925474099300e-2", "8.5e-5", "1e-5"),
    *("7.3177701707893310e15", "6929495644600919.5"),
    *("3.0000000000000000000000000000000000", "1.00000000000000000001", "12345678901234567890123456789"),
    "1e0000000000000000000000000000001",
    "0.000000000000000000000000000000000000012345678901234567",
    "0.00000000000000000000000000000000000001234567890123456789012",
    *("100000000000000000000000000000000000000000", "123456789012345678901234567890e-50", "6250000000000000000e-22"),
    "3518437208883201171875e13",
]


def test_hard_numbers() -> None:
    expect(HARD)


@pytest.mark.parametrize("sign", ["", "-"])
def test_every_power_of_ten(sign: str) -> None:
    """With as few and as many digits as there are, across the whole table of powers and beyond its ends."""
    rng = np.random.default_rng(0)
    texts = []
    for e in range(-370, 310):
        digits = [str(m) for m in rng.integers(1, 10**19, size=10, dtype=np.uint64)] + ["1", "9" * 19, str(2**64 - 1)]
        texts += [f"{sign}{m}e{e}" for m in digits if float(f"{m}e{e}") < np.inf]
    assert len(texts) > 8000
    assert expect([text for text in texts if "18446744073709551615" not in text]) == 0
    expect(texts)


def test_halfway_between_two_numbers() -> None:
    """Exactly so in 19 digits or fewer, where the loop decides itself; in more, where float() does."""
    rng = np.random.default_rng(1)
    short, long = [], []
    with localcontext(prec=800):
        for power in (*range(-4, 10), *rng.integers(-1070, 970, size=40).tolist()):
            for mantissa in rng.integers(2**52, 2**53, size=20).tolist():
                middle = (2 * Decimal(mantissa) + 1) * Decimal(2) ** (power - 1)
                digits = len(middle.as_tuple().digits)
                (short if digits <= 19 else long).append(f"{middle:f}")
    assert len(short) > 100
    assert expect(short) == 0
    assert expect(long) == len(long)
    assert expect([f"{text}1" if "." in text else f"{text}.0000001" for text in long]) == len(long)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=50))
def test_what_python_writes(values: list[float]) -> None:
    assert expect([repr(value) for value in values]) == 0
    assert expect([f"{value:.17e}" for value in values]) == 0
    assert expect([f"{value:.4f}" for value in values]) <= len(values)


@given(st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=50))
def test_all_patterns_of_bits(patterns: list[int]) -> None:
    values = np.array(patterns, dtype=np.uint64).view(np.float64)
    assert expect([repr(value) for value in values[np.isfinite(values)].tolist()]) == 0


digits = st.text("0123456789", min_size=1, max_size=30)
decimals = st.builds(
    lambda sign, whole, fraction, exponent: f"{sign}{whole}{fraction}{exponent}",
    st.sampled_from(["", "-"]),
    digits | st.text("0", min_size=1, max_size=30) | st.text("09", min_size=1, max_size=40),
    st.just("") | digits.map(".{}".format) | st.builds(lambda z, d: f".{z}{d}", st.text("0", max_size=40), digits),
    st.just("")
    | st.builds(lambda e, n: f"{e}{n}", st.sampled_from(["e", "E", "e+"]), st.integers(0, 400))
    | st.integers(-400, 310).map("e{}".format),
)


@given(st.lists(decimals.filter(lambda text: abs(float(text)) < np.inf), min_size=1, max_size=50))
@example(["0" * 30 + "1" * 30 + "." + "1" * 30])
def test_digits_of_all_lengths(texts: list[str]) -> None:
    expect(texts)


def test_a_sign_or_a_bare_point() -> None:
    assert expect(["+5", ".5", "1.", "-.5", "1.e5", "+.25e-3", "-1."]) == 0


ODD = [
    *("-", "+", ".", "-.", "--1", "1e", "1e+", "1e-", "e5", ".e5", "1.5.5", "1-", "1e5.0", "1e5e5", "1/", "1:", "1 2"),
    *(
        "inf",
        "-inf",
        "nan",
        "NaN",
        "infinity",
        "0x10",
        "1_000",
        "1'000",
        "NA",
        "x",
        '"1"',
        "'1'",
        "1f",
        "1d",
        "1,",
        ",1",
    ),
    *("1e309", "1.8e308", "1e18446744073709551616", "-1e999", "1e99999999999999999999", "1.7976931348623159e308"),
    *("9" * 400, "9" * 309 + ".5"),
]


@pytest.mark.parametrize(
    "odd", [*(text.encode() for text in ODD), b"\x00", b"1\x00", b"\xff", "١".encode(), b"1\xc2\xa0"]
)
def test_what_is_not_plain(odd: bytes) -> None:
    """It is refused as a label and as a value, whatever comes before and after."""
    good = b"1.5 1:2\n"
    for lines in ([odd + b"\n"], [good, odd + b"\n", good], [b"1 1:" + odd + b"\n"], [good, b"1 1:" + odd + b" 2:3\n"]):
        assert read(b"".join(lines)) is None
    assert read(good * 3) is not None


def test_what_is_left_to_float() -> None:
    half = "9007199254740993.0000"
    labels, values, left = read(f"1 1:{half}\n{half} 2:5\n".encode())
    assert left == [(0, half.encode()), (-2, half.encode())]
    assert (labels[0], values[1]) == (1.0, 5.0)


def test_only_so_many_are_left_to_float() -> None:
    half = b"9007199254740993.0000\n"
    assert len(read(half * 3, most_unsure=4)[2]) == 3
    assert read(half * 5, most_unsure=3) is None


def test_bytes_are_counted() -> None:
    text = np.frombuffer(b"a\nb\n\nc\n" * 1000, dtype=np.uint8)
    assert count_byte(text, 0, text.size, 10) == 4000
    assert count_byte(text, 2, 4, 10) == 1
    assert count_byte(text, 2, 2, 10) == 0
