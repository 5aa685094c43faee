"""Measures, their intervals and their chances: against naive versions, and in simulations."""

from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm
from sklearn.metrics import balanced_accuracy_score, log_loss, r2_score, roc_auc_score

import rosenblatt as rb
from rosenblatt.probes.evidence.chance import Shuffles, adjusted, by_groups, by_ranks
from rosenblatt.probes.evidence.measures import MEASURES, Clusters, judge_classes, judge_numbers
from rosenblatt.probes.evidence.ranking import rank, wins_within


def judged(S, Y, groups=None, loss=True):
    """Measures and p of scores and signs, probes × rows."""
    return judge_classes(S, Y, Clusters.of(groups), Shuffles(0, len(S)), np.full(len(S), loss))


# ----------------------------------------------------------------------------------------------- against naive versions


@given(st.integers(4, 40), st.integers(0, 10**6), st.booleans())
def test_measures_are_their_definitions(n, seed, tied):
    random = np.random.default_rng(seed)
    s = random.integers(-3, 4, (3, n)) + 0.5 if tied else random.standard_normal((3, n))
    y = random.choice(np.array([-1, 0, 1], dtype=np.int8), (3, n))
    y[:, :2] = (-1, 1)
    found = judged(s, y)
    for j in range(3):
        known = y[j] != 0
        t, x = y[j][known], s[j][known]
        values = dict(zip(MEASURES, found.values[:, 0, j], strict=True))
        assert values["accuracy"] == pytest.approx(np.mean(t * x > 0))
        assert values["auc"] == pytest.approx(roc_auc_score(t > 0, x))
        assert values["balanced_accuracy"] == pytest.approx(balanced_accuracy_score(t > 0, x > 0))
        assert values["log_loss"] == pytest.approx(log_loss(t > 0, 1 / (1 + np.exp(-x)), labels=[False, True]))
        highest = np.sort(x[t < 0])[::-1][int(0.01 * np.count_nonzero(t < 0))]
        assert values["recall_at_1"] == pytest.approx(np.mean(x[t > 0] > highest))


@given(st.integers(2, 30), st.integers(1, 6), st.integers(0, 10**6))
def test_pairs_within_a_group_do_not_count(n, number, seed):
    random = np.random.default_rng(seed)
    groups = np.sort(random.integers(0, number, n))
    s, y = random.integers(-2, 3, n) * 1.0, random.choice(np.array([-1, 1], dtype=np.int8), n)
    pairs = [(i, k) for i in np.flatnonzero(y > 0) for k in np.flatnonzero(y < 0) if groups[i] != groups[k]]
    right = [(s[i] > s[k]) + (s[i] == s[k]) / 2 for i, k in pairs]
    found = judged(s[None], y[None], groups).values[1, 0, 0]
    if pairs and (y > 0).any() and (y < 0).any():
        assert found == pytest.approx(np.mean(right))
    positive, negative = (y[None] > 0) * 1.0, (y[None] < 0) * 1.0
    inside = wins_within(s[None], positive, negative, Clusters.of(groups).starts)[0]
    for i in range(n):
        mine = [k for k in range(n) if groups[k] == groups[i] and y[k] == -y[i]]
        assert inside[i] == sum((y[i] * (s[i] - s[k]) > 0) + (s[i] == s[k]) / 2 for k in mine)


def test_torch_ranks_as_numpy_does():
    torch = pytest.importorskip("torch")
    random = np.random.default_rng(0)
    S, y = random.integers(-4, 5, (5, 60)) * 1.0, random.choice(np.array([-1, 0, 1], dtype=np.int8), (5, 60))
    groups = np.sort(random.integers(0, 9, 60))
    ours, theirs = judged(S, y, groups), judged(torch.from_numpy(S), torch.from_numpy(y), groups)
    np.testing.assert_allclose(ours.values, theirs.values, rtol=1e-12)
    np.testing.assert_allclose(ours.p, theirs.p, rtol=1e-12)
    positive, negative = (y > 0) * 1.0, (y < 0) * 1.0
    here = rank(S, positive, negative)
    there = rank(*(torch.from_numpy(part) for part in (S, positive, negative)))
    for one, other in zip(here, there, strict=True):
        np.testing.assert_array_equal(one, other.numpy())


def test_numbers_are_judged_by_r2():
    random = np.random.default_rng(0)
    y = random.standard_normal((2, 200))
    y[1, ::5] = np.nan
    s = np.nan_to_num(y) + random.standard_normal((2, 200)) * [[0.5], [5.0]]
    found = judge_numbers(s, y, Clusters(), Shuffles(0, 1))
    for j in range(2):
        known = ~np.isnan(y[j])
        assert found.values[5, 0, j] == pytest.approx(r2_score(y[j][known], s[j][known]))
        assert found.values[5, 1, j] < found.values[5, 0, j] < found.values[5, 2, j]
    assert found.p[0] == 1 / 10_000  # none of the drawn arrangements is as good


# ------------------------------------------------------------------------------------------------------ permutation p


@given(st.integers(3, 6), st.integers(0, 10**6))
def test_groups_are_exchanged_in_every_way(number, seed):
    """p is the part of all arrangements of the groups' labels with an AUROC as large, counted one by one."""
    random = np.random.default_rng(seed)
    sizes = random.integers(1, 4, number)
    groups = np.repeat(np.arange(number), sizes)
    labels = np.zeros(number, dtype=bool)
    labels[: random.integers(1, number)] = True
    s = random.integers(0, 5, groups.size) * 1.0
    every = [np.isin(np.arange(number), some)[groups] for some in combinations(range(number), labels.sum())]
    aucs = np.array([roc_auc_score(one, s) for one in every])
    expected = np.mean(aucs >= roc_auc_score(labels[groups], s) - 1e-9)
    found = judged(s[None], np.where(labels[groups], 1, -1)[None].astype(np.int8), groups)
    assert found.p[0] == pytest.approx(expected)


def test_drawn_arrangements_agree_with_all_of_them():
    random = np.random.default_rng(0)
    labels, ranks = (np.arange(14) < 7) * 1.0, random.standard_normal((14, 3))
    assert comb(14, 7) <= 10_000
    exact, counted = by_groups(labels, ranks, np.ones(14), Shuffles(0, 1))
    drawn, draws = by_groups(labels, ranks, None, Shuffles(0, 1))  # Σ label × sum orders arrangements in the same way
    assert not counted.any()
    assert (draws >= 249).all()
    np.testing.assert_allclose(drawn, exact, atol=0.03 + 0.1 * exact.max())


@pytest.mark.parametrize(("positive", "negative"), [(5, 6), (3, 40), (12, 12)])
def test_the_rank_sum_is_counted(positive, negative):
    """Exactly, by Mann and Whitney's recurrence for the number of arrangements with U pairs in the right order."""
    counts = {(0, 0): {0: 1}}
    for i in range(positive + 1):
        for k in range(negative + 1):
            if i or k:
                total: dict[int, int] = {}
                for before, add in (((i - 1, k), k), ((i, k - 1), 0)):
                    for u, ways in counts.get(before, {}).items():
                        total[u + add] = total.get(u + add, 0) + ways
                counts[i, k] = total
    ways = counts[positive, negative]
    every = comb(positive + negative, positive)
    for u in ways:
        exact = sum(w for v, w in ways.items() if v >= u) / every
        places = np.arange(positive)  # of the positive rows: moved up, the last one first, until U pairs are right
        for k in range(positive):
            places[positive - 1 - k] += min(negative, max(0, u - k * negative))
        y = np.where(np.isin(np.arange(positive + negative), places), 1, -1).astype(np.int8)
        assert by_ranks(np.arange(1.0, 1 + y.size)[None], y[None])[0] == pytest.approx(exact, rel=1e-9)


@given(st.integers(0, 999))
def test_few_positive_rows_with_equal_scores_are_not_beyond_chance(seed):
    """All exchanges of the labels are counted: p is never far below the part of them that does as well."""
    random = np.random.default_rng(seed)
    n, positive = 14, int(random.integers(1, 4))
    scores = random.choice([0.0, 1.0, 2.0], n, p=[0.8, 0.1, 0.1])
    labels = np.full(n, -1, dtype=np.int8)
    labels[random.permutation(np.argsort(scores))[:positive] if seed % 2 else np.argsort(scores)[-positive:]] = 1
    pairs = np.sign(scores[:, None] - scores[None, :]) / 2 + 0.5
    won = [pairs[list(some)].sum() - pairs[np.ix_(some, some)].sum() for some in combinations(range(n), positive)]
    mine = np.flatnonzero(labels > 0)
    exact = np.mean(np.array(won) >= pairs[mine].sum() - pairs[np.ix_(mine, mine)].sum() - 1e-9)
    p = judged(scores[None, :], labels[None, :]).p[0]
    assert p == pytest.approx(exact)


def test_one_rare_row_among_equal_scores():
    """1 positive row of 500 is among 5 at the top, all others are equal: that happens to 1 in 100 random rows."""
    scores, labels = np.repeat([0.0, 1.0], [495, 5]), np.full(500, -1, dtype=np.int8)
    labels[-1] = 1
    p = judged(scores[None, :], labels[None, :]).p[0]
    assert p == pytest.approx(0.01)  # by the normal limit alone it was 1 in 10^12


@given(st.lists(st.floats(1e-6, 1), min_size=1, max_size=12))
def test_benjamini_and_hochberg(p):
    """At every level the same are found as by their step-up rule."""
    p = np.array(p)
    q = adjusted(p)
    for level in (0.01, 0.05, 0.3):
        m, found = len(p), np.zeros(len(p), dtype=bool)
        for k in range(m, 0, -1):
            if np.sort(p)[k - 1] <= level * k / m:
                found = p <= np.sort(p)[k - 1]
                break
        close = np.abs(q - level) < 1e-9
        assert np.array_equal((q <= level)[~close], found[~close])


# ---------------------------------------------------------------------------------------------------------- simulations


def drawn(random, G, draws, kind, effect, rows=8):
    """Scores with group effects as large as the rows' own noise; labels by fair coins: a group's, or a row's."""
    groups = np.repeat(np.arange(G), random.integers(rows // 2, rows * 3 // 2 + 1, G))
    n = groups.size
    if kind == "coin for each group":
        Y = np.where(random.random((draws, G)) < 0.5, 1, -1)[:, groups]
    else:
        Y = np.where(random.random((draws, n)) < random.random((draws, G))[:, groups], 1, -1)
    noise = np.sqrt(0.5) * (random.standard_normal((draws, G))[:, groups] + random.standard_normal((draws, n)))
    return noise + effect * (Y > 0) - effect / 2, Y.astype(np.int8), groups


@pytest.mark.parametrize("kind", ["coin for each group", "mixed groups"])
@pytest.mark.parametrize("G", [12, 40, 200])
@pytest.mark.parametrize("effect", [0.0, 1.0])
def test_intervals_hold_with_groups(G, kind, effect, request):
    """93–97 % in 2,000 draws; in 200 the count itself varies by 1.5 %."""
    soak = request.config.getoption("--soak")
    draws, low, high = (2000, 0.93, 0.97) if soak else (200, 0.90, 0.995)
    random = np.random.default_rng([G, len(kind), int(effect)])
    S, Y, groups = drawn(random, G, draws, kind, effect)
    clusters = Clusters.of(groups)
    found = judge_classes(S, Y, clusters, Shuffles(0, 1), np.zeros(draws, dtype=bool)).values
    truth = {"accuracy": norm.cdf(effect / 2), "auc": norm.cdf(effect / np.sqrt(2))}
    truth["balanced_accuracy"] = truth["accuracy"]
    for name, value in truth.items():
        k = MEASURES.index(name)
        there = ~np.isnan(found[k, 0])
        inside = (found[k, 1] <= value) & (value <= found[k, 2])
        assert low <= inside[there].mean() <= high, name


@pytest.mark.parametrize("effect", [1.5, 3.0])
def test_intervals_hold_without_groups(effect, request):
    draws = 2000 if request.config.getoption("--soak") else 200
    random = np.random.default_rng(int(effect))
    Y = np.where(random.random((draws, 900)) < 0.2, 1, -1).astype(np.int8)
    found = judged(random.standard_normal((draws, 900)) + effect * (Y > 0), Y).values
    truths = {"auc": norm.cdf(effect / np.sqrt(2)), "recall_at_1": norm.sf(norm.isf(0.01) - effect)}
    for name, value in truths.items():
        k = MEASURES.index(name)
        inside = np.mean((found[k, 1] <= value) & (value <= found[k, 2]))
        assert (0.92 if draws == 2000 else 0.89) <= inside <= 0.995, name


@pytest.mark.parametrize("kind", ["rows", "coin for each group", "mixed groups"])
def test_chance_rarely_means_something(kind, request):
    """A family of four concepts by coins: one of them "means something" in at most 6.5 % of 1,000 calls."""
    calls = 1000 if request.config.getoption("--soak") else 100
    random, false = np.random.default_rng(len(kind)), 0
    for _ in range(calls):
        groups = np.repeat(np.arange(50), 4)
        X = random.standard_normal((50, 6))[groups] + random.standard_normal((200, 6))
        if kind == "coin for each group":
            Y = (random.random((50, 4)) < 0.5)[groups]
        else:
            Y = random.random((200, 4)) < (0.5 if kind == "rows" else random.random((50, 4))[groups])
        X = random.standard_normal((200, 6)) if kind == "rows" else X
        probes = rb.probes.fit(
            X, Y, method="mean-difference", test=0.5, groups=None if kind == "rows" else groups, random_state=0
        )
        false += any(probes.meaning(j).verdict == "yes" for j in range(4))
    assert false <= (65 if calls == 1000 else 12)


def test_class_sizes_do_not_matter():
    """3 % of the rows, told by one column; 30 classes, each told by its own."""
    random = np.random.default_rng(0)
    rare = random.random(4000) < 0.03
    X = random.standard_normal((4000, 10))
    X[:, 0] += 6 * rare
    probe = rb.probes.fit(X, rare, test=0.25, controls=3, random_state=0)
    assert probe.meaning(0).verdict == "yes"
    assert probe.recall_at_1[0] > 0.9
    kinds = np.arange(3000) % 30
    probes = rb.probes.fit(
        np.eye(30)[kinds] + 0.2 * random.standard_normal((3000, 30)), kinds, test=0.3, random_state=0
    )
    assert [probes.meaning(j).verdict for j in range(30)] == ["yes"] * 30
    assert probes.confusions[0]["accuracy"] > 0.9


def test_the_layer_is_chosen_on_rows_that_judge_nothing():
    """Of 40 layers of noise the best is not better than chance on the rows held out."""
    random = np.random.default_rng(0)
    X, y = random.standard_normal((40, 400, 4)), random.random(400) < 0.5
    best = rb.probes.fit(X, y, method="mean-difference", test=0.5, random_state=0).best()
    assert best.choice[0] > 0.55  # chosen for it
    assert abs(best.auc[0] - 0.5) < 0.1
    assert best.meaning(0).verdict == "no"
