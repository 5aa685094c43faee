"""Numbers that float64 does not hold, in columns with roles of their own."""

import numpy as np
import pytest

from rosenblatt.data import Refused, open_table


def read(folder, text, **options):
    file = folder / "a.csv"
    file.write_text(text)
    return open_table(file, roles={"time": "t", "trials": "d"}, **options)


def test_features_keep_their_digits(tmp_path):
    table = read(tmp_path, "t,d,a,b\n3,1,x,1.5\n,1,x,2\n3,0,y,12345678901234567.5\n", missing="drop")
    assert table.rows().origin.columns == (1,)
    assert table.rows().origin.column(1).texts() == ["15e-1", "123456789012345675e-1"]


def test_times_are_only_compared(tmp_path):
    table = read(tmp_path, "t,d,a\n9007199254740993,1,1\n3,0,2\n")
    assert np.array_equal(table.column("time"), [2.0**53, 3])
    with pytest.raises(Refused, match='rows 1 and 3, column "t" are 9007199254740993e0 and 9007199254740992e0'):
        read(tmp_path, "t,d,a\n9007199254740993,1,1\n3,0,2\n9007199254740992,1,2\n")


def test_others_are_refused(tmp_path):
    with pytest.raises(
        Refused, match=r'row 2, column "d" is "1\.00000000000000000000001", which float64 does not hold'
    ):
        read(tmp_path, "t,d,a\n1,1,1\n3,1.00000000000000000000001,2\n")
