"""Single gates with the smallest weights, witnesses, and networks with the fewest hidden gates."""

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt import logic
from rosenblatt.logic import synthesis
from rosenblatt.logic.threshold import Face, _any_number, gate_of, witness_of
from rosenblatt.logic.truth_table import TruthTable, input_rows


def smallest_by_trying(table: TruthTable, most: int) -> tuple[int, int] | None:
    """(Σ|w|, |θ|) of the smallest gate with Σ|w| ≤ most, by trying all weights."""
    best = None
    for weights in itertools.product(range(-most, most + 1), repeat=table.n):
        if sum(map(abs, weights)) <= most:
            responses = table.inputs @ np.array(weights, dtype=int)
            true, false = responses[table.values], responses[~table.values]
            low = false.max() + 1 if false.size else -most - 1
            high = true.min() if true.size else most + 1
            if low <= high:
                size = (sum(map(abs, weights)), 0 if low <= 0 <= high else min(abs(low), abs(high)))
                best = size if best is None or size < best else best
    return best


@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_every_small_function_against_trying_all_weights(n: int) -> None:
    gates = 0
    for bits in itertools.product([0, 1], repeat=2**n):
        table = TruthTable(bits)
        expected = smallest_by_trying(table, 4)  # functions of three variables need 4 at most
        found = gate_of(table)
        assert (found is None) == (expected is None)
        assert logic.is_threshold(table) == (found is not None)
        if found is not None:
            gate, settled = found
            assert settled
            assert (sum(map(abs, gate.weights)), abs(gate.threshold)) == expected
            assert gate.truth_table() == table
            gates += 1
    assert gates == [2, 4, 14, 104][n]


@settings(max_examples=25)
@given(st.lists(st.integers(-5, 5), min_size=4, max_size=6), st.integers(-8, 8))
def test_gates_of_random_weights(weights: list[int], threshold: int) -> None:
    table = logic.Gate(weights, threshold).truth_table()
    found = logic.synthesize(table)
    assert found.gate is not None
    assert found.gate.truth_table() == table
    assert sum(map(abs, found.gate.weights)) <= sum(map(abs, weights))
    if table.n == 4:
        assert (sum(map(abs, found.gate.weights)), abs(found.gate.threshold)) == smallest_by_trying(table, 8)


def test_gates_of_twelve_variables() -> None:
    weights = [9, -8, 7, 7, 6, -5, 4, 4, 3, 2, 1, 1]
    table = logic.Gate(weights, 11).truth_table()
    gate = logic.synthesize(table).gate
    assert gate is not None
    assert gate.truth_table() == table
    assert sum(map(abs, gate.weights)) <= sum(map(abs, weights))


@given(st.integers(0, 2**32), st.sampled_from([3, 4, 5, 6]), st.booleans())
def test_witnesses(seed: int, n: int, monotone: bool) -> None:
    rng = np.random.default_rng(seed)
    values = rng.random(2**n) < 0.3
    if monotone:  # every row above a true row becomes true
        rows = input_rows(n)
        values = np.array([any(np.all(rows[values] <= row, axis=1)) for row in rows])
    table = TruthTable(values)
    witness = witness_of(table)
    assert (witness is None) == logic.is_threshold(table)
    if witness is not None:
        assert witness.proves(table)
        assert not witness.proves(~table)
        assert len(witness.true) == 2  # so few do up to eight variables


@pytest.mark.parametrize(
    "text", ["a and b or c and d", "a and b or c and d or e and f", "a and b or c and d and not e"]
)
def test_witnesses_where_two_rows_might_not_do(text: str) -> None:
    table = logic.as_table(text)
    face = Face.of(table)
    assert face is not None
    witness = _any_number(face)
    assert witness.proves(table)
    assert len(set(witness.true) | set(witness.false)) <= table.n + 2


def test_a_monotone_function_that_needs_the_whole_order() -> None:
    """Its lowest true rows can be told from its highest false rows, but by negative weights only."""
    found = logic.synthesize("(a and b) or (c and d) or (e and f)")
    assert found.gate is None
    assert found.witness is not None
    assert found.hidden == 3


@pytest.mark.parametrize("n", [1, 2, 3])
def test_no_function_of_few_variables_needs_less(n: int) -> None:
    """Fewest hidden gates by trying all pairs, and triples, of threshold functions under every output gate."""
    everything = [TruthTable(bits) for bits in itertools.product([0, 1], repeat=2**n)]
    gates = np.array([table.values for table in everything if logic.is_threshold(table)])
    outputs = [logic.TruthTable(bits) for bits in itertools.product([0, 1], repeat=4) if logic.is_threshold(bits)]
    two = set()
    for output in outputs:
        joined = output.values[2 * gates[:, None].astype(int) + gates[None, :]]
        two |= {row.tobytes() for row in joined.reshape(-1, 2**n)}
    for table in everything:
        found = logic.synthesize(table)
        key = table.values.tobytes()
        assert found.smallest
        assert found.hidden == (0 if found.gate is not None else 2 if key in two else 3)


def test_every_function_of_four_variables(request: pytest.FixtureRequest) -> None:
    """1882 single gates; two hidden gates for 39732, three for 23920, four for parity and its negation.

    `make soak` builds the network of each, `make test` of every eleventh: 11 is odd, so that every input row is met as
    a true one and as a false one.
    """
    needed = synthesis._needed(4)
    assert Counter(needed.tolist()) == {0: 1882, 2: 39732, 3: 23920, 4: 2}
    rows = input_rows(4)
    for code in range(0, 1 << 16, 1 if request.config.getoption("--soak") else 11):
        bits = synthesis._bits(code, 4)
        found = logic.synthesize(bits)
        assert found.smallest
        assert np.array_equal(found.network(rows), bits)
        assert (found.gate is None) == (found.witness is not None)
        assert found.hidden == needed[code]


def test_lower_bounds_of_hidden_gates_are_what_the_search_finds() -> None:
    """For one function of each of the 222 classes: no search stops above its bound, so the bounds are exact."""
    needed = synthesis._needed(4)
    tables = synthesis._bits(np.arange(1 << 16), 4)
    smallest = np.arange(1 << 16)
    for move in synthesis._symmetries(4):
        codes = synthesis._codes(tables[:, move])
        smallest = np.minimum(smallest, np.minimum(codes, (1 << 16) - 1 - codes))
    classes = np.unique(smallest)
    assert len(classes) == 222
    for code in classes[needed[classes] > 0]:
        hidden, _ = synthesis._small_solved(int(code), 4)
        assert len(hidden) == needed[code]


@pytest.mark.parametrize("n", [5, 6, 8])
def test_parity(n: int) -> None:
    found = logic.synthesize(input_rows(n).sum(axis=1) % 2)
    assert (found.hidden, found.at_least, found.smallest) == (n, 4, False)
    assert "At least 4 are needed" in found.sentence


@settings(max_examples=10)
@given(st.integers(0, 2**32), st.sampled_from([5, 6, 7]), st.sampled_from([0.05, 0.3, 0.9]))
def test_larger_functions_are_computed_too(seed: int, n: int, share: float) -> None:
    values = np.random.default_rng(seed).random(2**n) < share
    found = logic.synthesize(values, time_limit=1.2)  # a sixth of it is for the search
    assert np.array_equal(found.network(input_rows(n)), values)
    assert found.at_least <= found.hidden
    assert len(found.network.layers) <= 2


def test_a_cover_is_rearranged_until_it_is_proved_smallest() -> None:
    found = logic.synthesize("a == b and c == d and e == f")
    assert (found.hidden, found.smallest) == (2, True)


def test_a_cover_out_of_time_leaves_the_direction() -> None:
    values = np.random.default_rng(0).integers(0, 2, 2**9)
    found = logic.synthesize(values, time_limit=1e-3)
    assert np.array_equal(found.network(input_rows(9)), values)


def test_a_time_limit_is_a_number_of_seconds() -> None:
    for limit in (-1.0, float("nan")):
        with pytest.raises(ValueError, match=r"time_limit=.* must be a number of seconds, 0 or more"):
            logic.synthesize("a or b", time_limit=limit)


def test_words() -> None:
    found = logic.synthesize("a and (b or not c)")
    assert str(found) == (
        "A threshold function: one gate computes it, with the smallest whole weights.\n\n  f fires when 2·a + b - c ≥ 2"
    )
    assert repr(found).startswith("<Synthesis: A threshold function")
    assert found(1, 0, 0) == 1
    assert logic.synthesize("1").gate == logic.Gate([], 0)
    assert logic.synthesize("a and not a").gate == logic.Gate([0], 1)


# ------------------------------------------------------------------------------------------------------------ classes

CLASSES = [1, 2, 3, 6, 15, 63, 567]  # OEIS A001529
FUNCTIONS = [2, 4, 14, 104, 1882, 94572, 15028134]  # OEIS A000609
LARGEST = [1, 1, 3, 5, 9, 17]  # OEIS A003217, and 1 for the constant


@pytest.mark.parametrize("n", range(7))
def test_classes_of_threshold_functions(n: int) -> None:
    classes = list(logic.threshold_classes(n))
    assert len(classes) == CLASSES[n]
    assert sum(one.size for one in classes) == FUNCTIONS[n]
    assert len({one.chow for one in classes}) == CLASSES[n]  # Chow parameters tell threshold functions apart
    if n < 6:  # of six variables, 35: `python -m benchmarks gates`
        assert max(one.total_weight for one in classes) == LARGEST[n]
    for one in classes if n < 6 else classes[::40]:
        assert one.gate.truth_table() == one.table
        assert list(one.gate.weights) == sorted(one.gate.weights, reverse=True)
        assert min(one.gate.weights, default=0) >= 0


def test_class_sizes_against_orbits() -> None:
    for one in logic.threshold_classes(3):
        orbit = set()
        for order in itertools.permutations(range(3)):
            for mask in itertools.product([0, 1], repeat=3):
                moved = [one.table(*(row[k] ^ mask[k] for k in order)) for row in input_rows(3).tolist()]
                orbit |= {tuple(moved), tuple(1 - v for v in moved)}
        assert len(orbit) == one.size


@pytest.mark.parametrize("n", [-1, 8, 2.5, True])
def test_classes_out_of_range(n: object) -> None:
    with pytest.raises(ValueError, match="0 to 7 variables"):
        list(logic.threshold_classes(n))  # type: ignore[arg-type]


@given(st.lists(st.integers(-4, 4), min_size=1, max_size=4), st.integers(-4, 4))
def test_bipolar_weights_are_the_smallest(weights: list[int], threshold: int) -> None:
    table = logic.Gate(weights, threshold).truth_table()
    found = logic.bipolar_weights(table)
    assert found is not None
    total = sum(map(abs, found[0])) + abs(found[1])
    points = 2 * table.inputs.astype(int) - 1
    for trial in itertools.product(range(-3, 4), repeat=table.n + 1):  # nothing smaller does
        if sum(map(abs, trial)) < total:
            responses = points @ np.array(trial[:-1], dtype=int) + trial[-1]
            assert not (np.all(responses != 0) and np.array_equal(responses > 0, table.values))
    assert logic.bipolar_weights("a xor b") is None


# ------------------------------------------------------------------------------------------------------------ lessons


def test_a_lesson_shows_every_correction() -> None:
    lesson = logic.learn("a or b")
    assert lesson.gate is not None
    assert lesson.gate.truth_table() == lesson.table
    lines = str(lesson).split("\n")
    assert len([line for line in lines if line.strip()[:1].isdigit()]) == len(lesson.trace) == lesson.model.n_updates_
    assert "The gate learned: 2·a + 2·b ≥ 2" in lines


def test_a_lesson_that_cannot_succeed_says_so() -> None:
    lesson = logic.learn(lambda a, b: a != b)
    assert lesson.gate is None
    assert "CYCLING: no hyperplane separates the classes" in str(lesson)
    with pytest.raises(ValueError, match="0 on every row"):
        logic.learn("a and not a")


def test_lessons_take_a_perceptrons_parameters() -> None:
    lesson = logic.learn("majority(a, b, c, d, e)", order="shuffled", random_state=0, eta=0.25)
    assert lesson.gate is not None
    assert lesson.gate.truth_table() == lesson.table
