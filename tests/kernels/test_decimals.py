"""Numbers read by the compiled loop are those of float(), to the bit; what is not plain ends it before its line."""

from decimal import Decimal, localcontext
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rosenblatt.kernels.decimals import PADDING, SKIP, TARGET, count_byte, read_lines


def read(content: bytes, plan: list[int], classes: tuple[bytes, ...] = (), others: int = -1, **form: Any) -> Any:
    """Rows, codes, and the fields left to float()."""
    text = np.frombuffer(content + bytes(PADDING), dtype=np.uint8)
    n = content.count(b"\n") + 1
    values, codes = np.full((n, max(0, *plan) + 1), np.nan), np.full(n, -9, dtype=np.int32)
    unsure = np.empty((form.get("most_unsure", 1000), 4), dtype=np.int64)
    names, ends = (
        np.array(list(b"".join(classes)), dtype=np.uint8),
        np.cumsum([len(c) for c in classes], dtype=np.int64),
    )
    crlf, delimiter = form.get("crlf", False), ord(form.get("delimiter", ","))
    rows, noted = read_lines(
        text, 0, len(content), delimiter, crlf, np.array(plan), names, ends, others, values, codes, unsure
    )
    left = [(row, column, content[start:stop]) for row, column, start, stop in unsure[:noted].tolist()]
    return values[:rows], codes[:rows], left


def expect(texts: list[str]) -> int:
    """All are read, and to the bits of float(); returns how many were left to it."""
    values, _, left = read("".join(f"{text}\n" for text in texts).encode(), [0], most_unsure=len(texts))
    assert len(values) == len(texts)
    for row, column, text in left:
        assert text.decode() == texts[row]
        values[row, column] = float(text)
    expected = np.array([float(text) for text in texts])
    wrong = np.flatnonzero(values[:, 0].view(np.int64) != expected.view(np.int64))
    assert [texts[i] for i in wrong] == []
    return len(left)


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


ODD = [
    *(
        "",
        " ",
        "+5",
        ".5",
        "1.",
        "-",
        "-.5",
        "--1",
        "1e",
        "1e+",
        "1e-",
        "1.e5",
        "e5",
        "1.5.5",
        "1-",
        "1e5.0",
        "1e5e5",
        "1 ",
        " 1",
    ),
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
    *(
        "1e309",
        "1.8e308",
        "1e18446744073709551616",
        "-1e999",
        "1e99999999999999999999",
        "1.7976931348623159e308",
        "9" * 400,
        "9" * 309 + ".5",
        "1\r",
        "1\t",
        "1/",
        "1:",
    ),
]


@pytest.mark.parametrize(
    "odd", [*(text.encode() for text in ODD), b"\x00", b"1\x00", b"\xff", "١".encode(), b"1\xc2\xa0"]
)
def test_a_line_that_is_not_plain(odd: bytes) -> None:
    """It ends the reading, whatever comes before and after; the rows before it stay."""
    for before in (0, 1, 3):
        values, _, left = read(b"1.5,2\n" * before + odd + b",2\n" + b"1.5,2\n", [0, 1])
        assert values.tolist() == [[1.5, 2.0]] * before
        assert left == []
    assert len(read(odd, [0])[0]) == 0  # at the end of the text, too


def test_what_is_left_to_float_is_of_plain_lines() -> None:
    """What is noted of a line that is not plain is forgotten."""
    half = "9007199254740993.0000"
    assert read(f"{half},1\n{half},x\n".encode(), [0, 1])[2] == [(0, 0, half.encode())]


def test_only_so_many_are_left_to_float() -> None:
    half = b"9007199254740993.0000\n"
    values, _, left = read(half * 5, [0], most_unsure=3)
    assert len(values) == len(left) == 3


# --------------------------------------------------------------------------------------------------------------- lines


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
@pytest.mark.parametrize("last", [True, False])
@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_fields_and_lines(end: bytes, last: bool, delimiter: str) -> None:
    lines = [b"1.5,a b!,-2,yes", b"3,,4e1,no", b"5,'\x01,6.25,yes"]
    content = end.join(lines).replace(b",", delimiter.encode()) + end * last
    values, codes, _ = read(content, [1, SKIP, 0, TARGET], (b"no", b"yes"), crlf=end == b"\r\n", delimiter=delimiter)
    assert values.tolist() == [[-2, 1.5], [40, 3], [6.25, 5]]
    assert codes.tolist() == [1, 0, 1]


@pytest.mark.parametrize(
    "line",
    [
        *(
            b"1,2",
            b"1,2,yes,3",
            b"1,2,yes,",
            b"",
            b"1",
            b",,",
            b"1,2,",
            b"1,2,maybe",
            b"1,2,ye",
            b"1,2,yess",
            b"1,2,Yes",
        ),
        *(
            b'1,2,"yes"',
            b"1,\x002,yes",
            b"1,\xff,yes",
            b'1,a"b,yes',
            b"1,2,yes\r",
            b"1,2\r,yes",
            b"1,2,y\x00es",
            b"1\r,2,yes",
        ),
    ],
)
def test_a_line_that_does_not_fit(line: bytes) -> None:
    form = {"plan": [0, SKIP, TARGET], "classes": (b"no", b"yes")}
    for end in (b"\n", b"\r\n"):
        good = [b"1,2,yes"]
        for lines in ([*good, line, *good], [*good, line], [line]):
            values, codes, _ = read(end.join(lines) + end, crlf=end == b"\r\n", **form)
            assert len(values) == len(codes) == lines.index(line)


def test_line_ends_are_of_one_kind() -> None:
    assert len(read(b"1,2\n3,4\r\n5,6\n", [0, 1])[0]) == 1
    assert len(read(b"1,2\r\n3,4\n5,6\r\n", [0, 1], crlf=True)[0]) == 1
    assert len(read(b"1,2\r\n3,4\n5,6\r\n", [0, SKIP], crlf=True)[0]) == 1
    assert len(read(b"1,2\r\n3,4\r", [0, 1], crlf=True)[0]) == 1


def test_classes_in_any_letters() -> None:
    names = ("für".encode(), b"contra")
    assert read("1,für\n2,contra\n3,fü\n".encode(), [0, TARGET], names)[1].tolist() == [0, 1]
    assert read("1,für\n".encode(), [0, SKIP], names)[1].size == 0
    assert read("1,contra\n2,für\n".encode(), [0, TARGET], (b"", b"contra"), others=0)[1].tolist() == [1]


def test_the_rest_of_the_classes_has_one_code() -> None:
    values, codes, _ = read(b"1,u\n2,v\n3,w\n4,\n", [0, TARGET], (b"", b"v"), others=0)
    assert codes.tolist() == [0, 1, 0]
    assert len(values) == 3


def test_lines_are_counted() -> None:
    text = np.frombuffer(b"a\nb\n\nc\n" * 1000, dtype=np.uint8)
    assert count_byte(text, 0, text.size, 10) == 4000
    assert count_byte(text, 2, 4, 10) == 1
    assert count_byte(text, 2, 2, 10) == 0
