"""Bytes between Python and the browser."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from rosenblatt.lab.packing import Malformed, pack, unpack

COLUMNS = st.dictionaries(
    st.text(max_size=8),
    st.one_of(
        hnp.arrays(np.float64, st.integers(0, 9)),
        hnp.arrays(np.int32, st.integers(0, 9)),
        hnp.arrays(np.int8, st.integers(0, 9)),
    ),
    max_size=5,
)


@given(COLUMNS)
def test_columns_come_back_bit_for_bit(columns: dict[str, np.ndarray]) -> None:
    header, back = unpack(pack({"n": 3, "words": "ŵ·x"}, columns))
    assert header == {"n": 3, "words": "ŵ·x"}
    assert list(back) == list(columns)
    for name, array in columns.items():
        assert back[name].dtype == array.dtype
        assert back[name].tobytes() == array.tobytes()


@given(COLUMNS)
def test_columns_begin_on_multiples_of_eight(columns: dict[str, np.ndarray]) -> None:
    blob = pack({}, columns)
    at = 4 + int.from_bytes(blob[:4], "little")
    for array in columns.values():
        at += -at % 8
        assert blob[at : at + array.nbytes] == array.tobytes()
        at += array.nbytes
    assert at == len(blob)


@given(st.binary(max_size=60))
def test_other_bytes_are_refused(blob: bytes) -> None:
    with pytest.raises(Malformed):
        unpack(blob)


@pytest.mark.parametrize(
    "header",
    [
        {"columns": [["x", "f64", 10**12]]},
        {"columns": [["x", "f64", -1]]},
        {"columns": [["x", "object", 1]]},
        {"columns": [["x"]]},
        {"columns": 5},
        [],
        {},
    ],
)
def test_headers_that_lie_are_refused(header: object) -> None:
    text = json.dumps(header).encode()
    with pytest.raises(Malformed):
        unpack(len(text).to_bytes(4, "little") + text + bytes(16))


def test_nan_has_no_place_in_a_header() -> None:
    with pytest.raises(ValueError, match="JSON"):
        pack({"x": float("nan")}, {})
