"""Solutions digit by digit against FLINT's, and that they can be interrupted."""

import pytest
from flint import fmpq_mat, fmpz_mat
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.exact.dense import DenseSystem
from rosenblatt.exact.lifting import lift, lift_all

NUMBERS = st.one_of(st.integers(-2, 2), st.integers(-(2**70), 2**70), st.sampled_from([2**300, -(3**100)]))


def nothing() -> None:
    pass


@given(st.data(), st.integers(1, 6))
def test_solutions_are_those_of_flint(data: st.DataObject, n: int) -> None:
    rows = data.draw(st.lists(st.lists(NUMBERS, min_size=n, max_size=n), min_size=n, max_size=n))
    target = data.draw(st.lists(NUMBERS, min_size=n, max_size=n))
    if fmpz_mat(rows).det() == 0:
        with pytest.raises(ZeroDivisionError):
            lift(DenseSystem(rows, nothing), target, nothing)
        return
    x, denominator = lift(DenseSystem(rows, nothing), target, nothing)
    expected = fmpq_mat(fmpz_mat(rows)).solve(fmpq_mat(fmpz_mat([[t] for t in target])))
    assert denominator > 0
    assert fmpq_mat(fmpz_mat([[v] for v in x])) == expected * denominator


@given(st.data(), st.integers(1, 5), st.integers(1, 4), st.integers(1, 6))
def test_many_targets_have_the_solutions_of_each(data: st.DataObject, n: int, many: int, factor: int) -> None:
    rows = data.draw(st.lists(st.lists(NUMBERS, min_size=n, max_size=n), min_size=n, max_size=n))
    targets = data.draw(st.lists(st.lists(NUMBERS, min_size=n, max_size=n), min_size=many, max_size=many))
    if fmpz_mat(rows).det() == 0:
        return
    system = DenseSystem(rows, nothing)
    alone = [lift(system, target, nothing) for target in targets]
    denominator = alone[0][1] * factor
    for (x, own), found in zip(alone, lift_all(system, targets, denominator, nothing), strict=True):
        longest = denominator.bit_length() + max(t.bit_length() for some in targets for t in some) + 64
        fits = all(v * denominator % own == 0 and (v * denominator // own).bit_length() <= longest for v in x)
        assert found == ([v * denominator // own for v in x] if fits else None)


def test_it_looks_at_the_clock_at_every_step() -> None:
    asked = []

    def stop() -> None:
        asked.append(0)
        if len(asked) == 5:
            raise TimeoutError

    with pytest.raises(TimeoutError):
        lift(DenseSystem([[3**40, 1, 0], [1, 5**30, 7], [2, 2, 7**25]], stop), [1, 2, 3], stop)
