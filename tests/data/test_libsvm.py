"""LIBSVM text: the fast reader against the slow one and scikit-learn's."""

import gzip
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_svmlight_file

from rosenblatt.data import Column, Encoding, Store, libsvm, open_table
from rosenblatt.data.libsvm import _parse_fast, _parse_slowly, parse, read_chunks
from rosenblatt.data.refusal import Refused

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
    for one, other in zip(fast, slow, strict=True):
        assert one.tolist() == other.tolist()


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
            return [part.tolist() for part in parse(text, "t", 1, zero_based=False)]
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


@pytest.mark.parametrize(
    "number", [".5", "1.", "+1", "-.5e3", "+0.1E-2", "-0", "9007199254740993", "0." + "1" * 40, "1e-400"]
)
def test_numbers_as_people_write_them(number: str) -> None:
    chunk = _parse_fast(f"{number} 1:{number} 2:1\n".encode(), 1)
    assert chunk is not None
    assert [repr(chunk.labels[0]), repr(chunk.values[0])] == [repr(np.float64(number))] * 2


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
