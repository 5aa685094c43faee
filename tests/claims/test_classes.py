"""What is said of several classes: every two of them in a report, and shards that have one alone."""

import re
import warnings
from collections import Counter
from itertools import combinations

import numpy as np

from rosenblatt.blocks.dealing import OneClassWarning, name_shards_of_one_class
from rosenblatt.blocks.shard import ShardSurvey
from rosenblatt.report.classes_page import ClassesStudy, classes_page
from tests.claims.book import Reader
from tests.claims.oracles import separability, signed
from tests.claims.shown import number

pairs, shards = Reader("pairs"), Reader("shards")
KINDS = {"separable": "complete", "touching": "quasi", "overlapping": "overlap"}


def kinds(X, codes):
    """How often each kind of verdict is met among every two classes, by trying all small sets of rows."""
    found = Counter()
    for i, j in combinations(np.unique(codes).tolist(), 2):
        some = (codes == i) | (codes == j)
        found[separability(signed(X[some], np.where(codes[some] == j, 1, -1)))[0]] += 1
    return found


@pairs.of("all separable")
def _all_separable(known, k):
    assert kinds(*known) == {"complete": number(k) * (number(k) - 1) // 2}


@pairs.of("some")
def _some(known, pairs, told):
    said = {KINDS[word]: int(count) for count, word in (one.split(" ") for one in told.split(", "))}
    assert said == kinds(*known)
    assert number(pairs) == sum(said.values())


def test_every_two_classes():
    rng = np.random.default_rng(0)
    for seed in range(40):
        codes = rng.permutation(np.arange(9) % 3)
        X = rng.integers(0, 4, size=(9, 2)).astype(float) + (seed % 3) * codes[:, None]
        page = classes_page(ClassesStudy(X, codes, ["a", "b", "c"]), "t")
        (said,) = re.findall(r"<p>(Two classes alone.*?)</p>", page)
        pairs.read(said, (X, codes))
    pairs.finish(rare={})


@shards.of("dealt", "left")
def _one_class(known, where, label, more, shards):
    alone = [rows for rows in known if len(set(rows)) == 1 and len(rows) > 1]
    assert where == f"shard {known.index(alone[0])}"
    assert label == repr(alone[0][0])
    assert (0 if more is None else number(more)) == len(alone) - 1
    assert shards is None or number(shards) == len(known)


def survey(k, rows):
    classes, counts = np.unique(rows, return_counts=True)
    return ShardSurvey(
        len(rows), 1, None, classes, counts, counts, None, 1.0, False, f"shard {k}", (), np.zeros(1, bool)
    )


def test_shards_of_one_class():
    for known in (["aab", "bb"], ["aa", "bb", "ab"], ["a", "ab"], ["ab", "ba"]):
        for dealt in (True, False):
            with warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("always", OneClassWarning)
                name_shards_of_one_class([survey(k, list(rows)) for k, rows in enumerate(known)], dealt)
            assert len(said) == any(len(set(rows)) == 1 and len(rows) > 1 for rows in known)
            for one in said:
                assert ("deal=False" in str(one.message)) == dealt
                shards.read(str(one.message), known)
    shards.finish(rare={})
