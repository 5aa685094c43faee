"""LIBSVM text: the fast reader against the slow one and scikit-learn's."""

import gzip
import io
import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from rosenblatt.data import Column, Encoding, Store, open_table
from rosenblatt.data.numbers.exact import exact_rows
from rosenblatt.data.numbers.gate import rows_of
from rosenblatt.data.numbers.readings import Reading
from rosenblatt.data.numbers.rows import as_rows
from rosenblatt.data.readers import libsvm
from rosenblatt.data.readers.libsvm import _parse_fast, _parse_slowly, parse, read_chunks
from rosenblatt.data.refusal import Refused, quoted
from rosenblatt.kernels.decimals import PADDING, read_pairs

TEXT = "+1 1:0.5 3:1e-3 # a comment\n\n-1 2:4\n+1\n-1 1:-0.1 2:3 7:1\n"
values = st.floats(allow_nan=False, allow_infinity=False).map(repr)
lines = st.tuples(
    st.sampled_from(["1", "-1", "+1", "0"]), st.dictionaries(st.integers(1, 40), values, max_size=6), st.booleans()
)


def written(rows: Any) -> str:
    text = ""
    for label, pairs, blank in rows:
        text += " ".join([label, *(f"{index}:{pairs[index]}" for index in sorted(pairs))]) + "\n" + "\n" * blank
    return text


@given(rows=st.lists(lines, min_size=1, max_size=12))
def test_fast_is_slow(rows: Any) -> None:
    text = written(rows).encode()
    fast, slow = _parse_fast(text, 1), _parse_slowly(text, "t", 1, 1)
    assert fast is not None
    for one, other in zip(fast[:5], slow[:5], strict=True):
        assert list(one) == list(other)


ODD = [
    "+",
    "-",
    ".",
    ":",
    " ",
    "\t",
    "\r",
    "\n",
    "#",
    "e",
    "0",
    "1",
    "9",
    "x",
    "_",
    "\0",
    "é",
    "inf",
    "1e999",
    "2147483647",
]


def read(text: bytes, short: int) -> Any:
    """Rows as lists, or the sentence that refuses them; the compiled loop reads texts of `short` bytes or more."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(libsvm, "_SHORT", short)
        try:
            return [list(part) for part in parse(text, "t", 1, zero_based=False)[:5]]
        except Refused as why:
            return str(why)


@given(
    rows=st.lists(lines, min_size=1, max_size=4),
    changes=st.lists(st.tuples(st.floats(0, 1), st.sampled_from(ODD), st.booleans()), max_size=4),
)
def test_whatever_is_odd_is_judged_alike(rows: Any, changes: Any) -> None:
    text = written(rows)
    for where, mark, instead in changes:
        at = int(where * len(text))
        text = text[:at] + mark + text[at + instead :]
    content = text.encode() + b"\n"
    assert repr(read(content, 0)) == repr(read(content, 1 << 30))  # repr tells −0.0 from 0.0


PLAIN = [".5", "1.", "+1", "-.5e3", "+0.1E-2", "-0", "9007199254740992", "9007199254740994", "0.30000000000000004"]
PLAIN += [
    "0e-400",
    "0." + "0" * 30 + "123456789012345",
    "12345678901234500",
    "0.1" + "0" * 30,
    "5e-324",
    "1e-320",
    "1e23",
]
PLAIN += ["1.7976931348623157e308", "1234567890123456.8", "1.2345678901234567e+19", "-100000000000000000000"]


@pytest.mark.parametrize("number", PLAIN)
def test_numbers_as_people_write_them(number: str) -> None:
    chunk = _parse_fast(f"{number} 1:{number} 2:1\n".encode(), 1)
    assert chunk is not None
    assert [repr(chunk.labels[0]), repr(chunk.values[0])] == [repr(np.float64(number))] * 2


NOT_HELD = {
    "2^53 + 1": "9007199254740993",
    "a long fraction": "0." + "1" * 40,
    "smaller than any float": "1e-400",
    "few digits of a small float": "1.23456789012345e-320",
    "a float in full": "0.1000000000000000055511151231257827021181583404541015625",
    "not the nearest of 17 digits": "0.30000000000000005",
    "16 digits, the float's own are others": "9.000000000000001e15".replace("1e15", "15e0"),
    "a whole number that is no float": "12345678901234567000",
    "2^65": "36893488147419103232",
    "18 digits": "-123456789012345.678",
    "with zeros in front": "000000000009007199254740993",
}


PRINTED = {
    "%.17g of 0.1": "0.10000000000000001",
    "%.16g of 0.854502026613504": "0.8545020266135041",
}


@pytest.mark.parametrize("short", [0, 1 << 30])
@pytest.mark.parametrize("number", [*NOT_HELD.values(), *PRINTED.values()])
def test_alone_in_their_columns_they_are_refused(number: str, short: int, tmp_path: Path) -> None:
    file = tmp_path / "t.svm"
    file.write_text(f"1 1:1\n\n0 3:{number} 4:1\n1 3:1\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(libsvm, "_SHORT", short)
        with pytest.raises(Refused, match=r"t\.svm, (line 3|row 2): .*, which float64 does not hold"):
            open_table(file).arrays()


@pytest.mark.parametrize("number", NOT_HELD.values(), ids=NOT_HELD.keys())
def test_numbers_that_float64_does_not_hold_are_refused(number: str) -> None:
    assert _parse_fast(f"1 1:1\n1 3:{number} 4:1\n".encode(), 1) is None
    sentence = f"t, line 2: the value in {quoted('3:' + number)} is {quoted(number)}, which float64 does not hold"
    for short in (0, 1 << 30):
        assert read(f"1 1:1\n1 3:{number} 4:1\n".encode(), short).startswith(sentence)
        assert "line 3: the label is" in read(f"1 1:1\n0 1:1\n{number} 3:1\n".encode(), short)


def as_written(text: str) -> bool:
    """Whether float64 holds a number: by the rule, in fractions."""
    x = float(text)
    shortest = Fraction(text) == Fraction(repr(x))
    long = len(text.strip("-").partition("e")[0].replace(".", "").strip("0")) > 15
    return shortest and not (long and text.lstrip("-").isdigit() and Fraction(text) != Fraction(x))


@pytest.mark.parametrize("digits", [14, 15, 16, 17, 18, 19, 25])
def test_every_number_is_held_or_refused(digits: int) -> None:
    rng = random.Random(digits)
    for _ in range(3000):
        m, e = rng.randint(10 ** (digits - 1), 10**digits - 1), rng.choice([0, -digits, -3, rng.randint(-310, 280)])
        x = rng.choice(
            [
                float(f"{m}e{e}"),
                rng.uniform(1e13, 9e15),
                2.0 ** rng.randint(-900, 900),
                np.nextafter(2.0 ** rng.randint(-60, 60), 0),
            ]
        )
        texts = [
            f"{m}e{e}",
            f"{m / 10**14:.{min(digits, 40)}f}",
            f"{x:.{digits - 1}e}",
            repr(float(x)),
            f"{int(x) % 10**25}",
        ]
        for text in texts:
            fast = _parse_fast(f"1 1:{text}\n".encode(), 1)
            printed = 0 if fast is None or fast.printed is None else int(fast.printed[0])
            assert (fast is not None and not printed) == as_written(text), text
            assert printed == (0 if as_written(text) else formats_of(text)), text


def formats_of(text: str) -> int:
    """1 where %.16g writes the number so, 2 where %.17g does; whole numbers beyond 2^53 are looked at by themselves."""
    x = float(text)
    if abs(x) < 2.0**-959 or (abs(x) > 2**53 and text.lstrip("-").isdigit()):
        return 0
    return sum(flag for flag in (1, 2) if Fraction(text) == Fraction(f"{x:.{15 + flag}g}"))


@pytest.mark.parametrize("seed", range(60))
def test_columns_of_floats_that_programs_wrote(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    writers = [repr, "{:.16g}".format, "{:.17g}".format, "{:.3g}".format]
    writers = rng.choices(writers, k=rng.choice([1, 1, 2]))
    texts = [
        rng.choice(writers)(rng.choice([rng.random(), 0.854502026613504, 0.1])) for _ in range(rng.choice([2, 5, 80]))
    ]
    shortest = all(as_written(text) for text in texts)
    alike = any(all(formats_of(text) & flag for text in texts) for flag in (1, 2))
    long = any(len(repr(float(text)).lstrip("0.")) > 15 for text in texts)
    file = tmp_path / "t.svm"
    file.write_text("".join(f"{i % 2} 2:{text}\n" for i, text in enumerate(texts)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(libsvm, "_SHORT", rng.choice([0, 1 << 30]))
        if shortest or (alike and long):
            assert open_table(file).arrays()[0].toarray()[:, 1].tolist() == [float(text) for text in texts]
        else:
            with pytest.raises(
                Refused, match=r"t\.svm, row \d+: the value of column 2 is .*, which float64 does not hold"
            ):
                open_table(file).arrays()


@pytest.mark.parametrize("width", [16, 17])
def test_files_of_scikit_learn_and_others(width: int, tmp_path: Path) -> None:
    X, y, file = np.random.default_rng(0).random((3000, 5)), np.arange(3000) % 2, tmp_path / "t.svm"
    if width == 16:
        dump_svmlight_file(X, y, str(file), zero_based=False)
    else:
        rows = (" ".join(f"{j}:{x:.17g}" for j, x in enumerate(row, 1)) for row in X.tolist())
        file.write_text("".join(f"{label} {row}\n" for label, row in zip(y, rows, strict=True)))
    expected = load_svmlight_file(str(file), zero_based=False)[0].toarray()
    assert np.array_equal(open_table(file).arrays()[0].toarray(), expected)


@pytest.mark.parametrize("short", [0, 1 << 30])
@pytest.mark.parametrize("zero_based", [False, True])
def test_whole_numbers_that_floats_stand_for_among_decimals(short: int, zero_based: bool, tmp_path: Path) -> None:
    file, large = tmp_path / "t.svm", "1" + "0" * 23
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(libsvm, "_SHORT", short)
        file.write_text(f"1 1:1 2:0.30000000000000004\n0 1:{large}\n0 1:0.5\n")
        rows = open_table(file, zero_based=zero_based).rows()
        assert exact_rows(rows).exact.readings[1 if zero_based else 0] == Reading(-1)
        file.write_text(f"1 2:1\n# {large}\n0 2:{large}\n1 2:0.30000000000000004\n")
        with pytest.raises(Refused, match=rf"t\.svm, line 3: the value of index 2, beside .* .{large}., which float64"):
            open_table(file, zero_based=zero_based).arrays()
        file.write_text(f"1 2:1\n{large} 2:1\n")  # its float is another number: a class is called by what is written
        with pytest.raises(Refused, match=f"line 2: the label is .{large}., which float64 does not hold"):
            open_table(file, zero_based=zero_based).arrays()


def test_the_loop_asks_about_few_floats() -> None:
    numbers = np.random.default_rng(0).normal(size=20_000) * 10.0 ** np.random.default_rng(1).integers(-50, 50, 20_000)
    text = "".join(f"1 1:{x!r}\n" for x in numbers.tolist()).encode()
    characters = np.frombuffer(text + bytes(PADDING), dtype=np.uint8)
    n, unsure = len(numbers), np.empty((1000, 3), dtype=np.int64)
    out = (np.empty(n), np.empty(n, np.int64), np.empty(n, np.int32), np.empty(n))
    printed = np.empty(n, np.uint8)
    rows, pairs, noted = read_pairs(characters, len(text), 1, 2**31 - 2, *out, printed, unsure)
    assert (rows, pairs, printed.any()) == (n, n, False)
    assert noted <= 4  # powers of two, where floats lie unevenly


@pytest.mark.parametrize(
    "line",
    ["", "x", "1 1", "1 1:", "1 :1", "1 1:1:1", "1 1:1 1:2", "1 2:1 1:1", "1 0:1", "1:1", "1 +1:1", "1 1:.", "1 1:inf"],
)
def test_what_the_loop_leaves_alone(line: str) -> None:
    chunk = _parse_fast(f"1 1:1\n{line}\n".encode(), 1)
    assert (chunk is not None) == (line == "")


def test_thousands_of_hard_numbers_are_read_slowly() -> None:
    hard = "0.1000000000000000055511151231257827021181583404541015625"  # exactly 0.1, beyond 19 digits
    text = (f"1 1:{hard}1\n" * 3000).encode()
    assert read(text, 0) == read(text, 1 << 30)


@given(rows=st.lists(lines, min_size=1, max_size=12), size=st.integers(1, 60))
def test_chunks_of_any_size_and_scikit_learn(rows: Any, size: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    file = tmp_path_factory.mktemp("t") / "t.svm"
    file.write_text(written(rows))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(libsvm, "_SHORT", 20)
        chunks = list(read_chunks(file, "t", size=size))
    columns = np.concatenate([chunk.columns for chunk in chunks])
    X, y = load_svmlight_file(io.BytesIO(file.read_bytes()), n_features=40, zero_based=False)
    assert np.concatenate([chunk.labels for chunk in chunks]).tolist() == y.tolist()
    assert np.concatenate([chunk.lengths for chunk in chunks]).tolist() == np.diff(X.indptr).tolist()
    assert columns.tolist() == X.indices.tolist()
    assert np.concatenate([chunk.values for chunk in chunks]).tobytes() == X.data.tobytes()


@pytest.mark.parametrize("packed", [False, True])
def test_a_table(packed: bool, tmp_path: Path) -> None:
    file = tmp_path / ("t.svm.gz" if packed else "t.svm")
    file.write_bytes(gzip.compress(TEXT.encode()) if packed else TEXT.encode())
    table = open_table(file)
    X, y, weights = table.arrays()
    assert X.toarray().tolist() == [
        [0.5, 0, 1e-3, 0, 0, 0, 0],
        [0, 4, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0],
        [-0.1, 3, 0, 0, 0, 0, 1],
    ]
    assert y.tolist() == [1, -1, 1, -1]
    assert weights is None
    assert table.classes == ("-1", "1")
    assert table.features[0] == "x1"
    assert [block.X.shape for block in table.batches(3)] == [(3, 7), (1, 7)]


def test_zero_based_and_stored_zeros() -> None:
    chunk = parse(b"1 0:1 2:0\n", "t", 1, zero_based=True)
    assert chunk.columns.tolist() == [0, 2]


def test_stored_zeros_are_left_out(tmp_path: Path) -> None:
    file = tmp_path / "t.svm"
    file.write_text("1 1:0 2:5\n-1 1:3\n")
    assert open_table(file).arrays()[0].nnz == 2


def test_another_file_alike(tmp_path: Path) -> None:
    first, other = tmp_path / "t.svm", tmp_path / "other.svm"
    first.write_text(TEXT)
    encoding = open_table(first).encoding
    other.write_text("-1 2:1\n")
    assert open_table(other, encoding=encoding).arrays()[0].shape == (1, 7)
    assert open_table(other, encoding=encoding).arrays()[1].tolist() == [-1]
    other.write_text("-1 8:1\n")
    with pytest.raises(ValueError, match="has a column 8, where the model knows 7"):
        open_table(other, encoding=encoding).arrays()
    other.write_text("3 1:1\n")
    with pytest.raises(ValueError, match="a label that the model does not know"):
        open_table(other, encoding=encoding).arrays()
    assert open_table(other, encoding=encoding, labels=False).arrays()[1] is None
    named = Encoding((Column("age"),), target="y", classes=("0", "1"))
    with pytest.raises(ValueError, match="without column names, where the model needs age"):
        open_table(other, encoding=named)


def test_a_store_can_be_used_again(tmp_path: Path) -> None:
    file = tmp_path / "t.svm"
    file.write_text(TEXT)
    store = Store.build(open_table(file), tmp_path / "store")
    assert store.is_of(open_table(file))
    assert not store.is_of(open_table(file, positive="-1"))
    assert (open_table(file).arrays()[0] != store.X).nnz == 0


def test_classes(tmp_path: Path) -> None:
    file = tmp_path / "t.svm"
    file.write_text("3 1:1\n1 1:2\n2 1:3\n")
    assert open_table(file, positive="2").arrays()[1].tolist() == [-1, -1, 1]
    table = open_table(file, multiclass=True)
    assert table.arrays()[1].tolist() == [2, 0, 1]
    assert table.classes == ("1", "2", "3")


# ------------------------------------------------------------------------------------------------------- sparse numbers

LONG = [2**53 + 1, -(2**53) - 1, 2**63 - 1, -(2**63), 2**60]


def matrix_with(value: int, dtype: Any = np.int64) -> Any:
    rows = np.zeros((5, 6), dtype=dtype)
    rows[:, 0], rows[3, 4] = 1, value
    return sp.csr_matrix(rows)


@pytest.mark.parametrize("value", LONG)
def test_long_integers_of_npz_files_are_refused(value: int, tmp_path: Path) -> None:
    X, y = matrix_with(value), np.array([0, 1, 0, 1, 1])
    file = tmp_path / "t.npz"
    np.savez(file, data=X.data, indices=X.indices, indptr=X.indptr, shape=X.shape, y=y)
    with pytest.raises(Refused, match=rf"t\.npz, row 4: column 5 holds {value}, which float64 does not hold"):
        open_table(file).arrays()
    X = matrix_with(2**53)
    np.savez(file, data=X.data, indices=X.indices, indptr=X.indptr, shape=X.shape, y=y)
    assert open_table(file).arrays()[0][3, 4] == 2**53
    np.savez(file, data=X.data, indices=X.indices, indptr=X.indptr, shape=X.shape, y=y + value // 2 * 2)
    with pytest.raises(Refused, match=r"row \d: the label -?\d+ is one that float64 does not hold"):
        open_table(file).arrays()


def test_npz_files_of_float32_say_so(tmp_path: Path) -> None:
    for dtype in (np.float32, np.float64):
        X = matrix_with(1).astype(dtype)
        np.savez(tmp_path / "t.npz", data=X.data, indices=X.indices, indptr=X.indptr, shape=X.shape, y=np.arange(5) % 2)
        single = open_table(tmp_path / "t.npz").rows().origin.single
        assert (single is not None and single.all()) == (dtype == np.float32)


@pytest.mark.parametrize("kind", [sp.csr_matrix, sp.csr_array, sp.coo_matrix, sp.csc_array])
@pytest.mark.parametrize("value", [*LONG, 2**64 - 1])
def test_long_integers_of_sparse_matrices_are_refused(value: int, kind: Any) -> None:
    X = kind(matrix_with(value, np.uint64 if value > 2**63 else np.int64))
    for take in (as_rows, rows_of):
        with pytest.raises(ValueError, match=f"the integer {value} in row 3, column 4, which float64 cannot hold"):
            take(X)
    assert as_rows(kind(matrix_with(2**53))).take([3])[0, 4] == 2**53


def test_indices_that_no_weights_could_have_are_refused_at_once(tmp_path: Path) -> None:
    file = tmp_path / "t.svm"
    file.write_text("1 1:1 2000000000:1\n0 1:2\n")
    with pytest.raises(Refused, match=r"t\.svm has a column 2,000,000,000, and at most"):
        open_table(file).arrays()
