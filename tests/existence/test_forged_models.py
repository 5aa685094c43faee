"""Certificates of every model, true and forged: the package and checker.py, each in its own way, say the same.

Whoever accepts a certificate of the unchanged model on the unchanged data must have it say the true verdict.
"""

import copy
import json
import re
from collections import Counter
from typing import Any

import numpy as np
import pytest

import rosenblatt as rb
from rosenblatt.verdicts import checker

pytest.importorskip("rosenblatt.verdicts.existence.decision")  # without `existence` there is nothing to forge

Case = tuple[Any, Any, dict[str, Any], dict[str, Any]]  # X, y, columns, choices
MODELS = ("logistic", "binomial", "poisson", "multinomial", "ordinal", "conditional", "cox", "paired")


def table(rng: np.random.Generator, n: int, p: int) -> Any:
    """Few different values; tenths or thirds now and then."""
    return rng.integers(-2, 3, size=(n, p)) / rng.choice([1.0, 10.0, 3.0], p=[0.6, 0.2, 0.2])


def case(rng: np.random.Generator, model: str) -> Case:
    """A small table for a model, with ties, empty classes or strata, and sets of one kind only."""
    n, p = int(rng.integers(1, 9)), int(rng.integers(0, 3))
    X, groups = table(rng, n, p), rng.integers(0, 3, size=n)
    two, effects = rng.integers(0, 2, size=n), [rng.choice(list("abc"), size=n) for _ in range(rng.integers(1, 3))]
    with_effects = {"fixed_effects": effects} if rng.random() < 0.5 else {}
    if model == "logistic":
        return X, two, {"fixed_effects": effects}, {"classes": ["0", "1"]}
    if model == "binomial":
        trials = rng.integers(0, 4, size=n)
        return X, np.minimum(trials, rng.integers(0, 4, size=n)), {"trials": trials, **with_effects}, {}
    if model == "poisson":
        return X, two * rng.integers(0, 3, size=n), with_effects, {}
    if model == "multinomial":
        return X, rng.choice(list("abc"), size=n), {}, {"classes": list("abc")}
    if model == "ordinal":
        levels = [["none"], []][rng.integers(2)] + ["low", "mid", "high"]
        return X, rng.choice(["low", "mid", "high"][:: rng.integers(1, 3)], size=n), {}, {"levels": levels}
    if model == "conditional":
        return X, two, {"groups": groups}, {}
    if model == "cox":
        time = rng.integers(1, 6, size=n).astype(float)
        columns = {"time": time, "event": two}
        columns |= {"groups": groups} if rng.random() < 0.5 else {}
        columns |= {"entry": time - rng.choice([0.5, 1, 4], size=n)} if rng.random() < 0.6 else {}
        return X, None, columns, {"ties": str(rng.choice(["efron", "breslow", "exact"]))}
    won = rng.choice([0, 0.5, 1], size=n)
    items = [rng.choice(list("wxyz"), size=n), rng.choice(list("wxyz"), size=n)]
    if rng.random() < 0.5 and len({*items[0], *items[1]}) > 1:
        return None, won, {"items": items}, {}
    return X, won, {}, {}


def numbered(model: Any, y: Any, columns: Any) -> dict[str, Any]:
    """Columns as checker.py takes them: places in the lists of a certificate's model."""
    lists = {"y": [model.get("classes", model.get("levels"))], "groups": [model.get("groups")]}
    lists |= {"fixed_effects": model.get("effects", []), "items": [model.get("items")] * 2}
    found: dict[str, Any] = {"y": None}
    for name, values in columns.items() if y is None else ({"y": y} | columns).items():
        several = name in ("fixed_effects", "items")
        read = []
        for one, listed in zip(values if several else [values], lists.get(name, [None]), strict=True):
            plain = np.asarray(one).tolist()
            read.append([listed.index(str(v)) for v in plain] if listed else plain)
        found[name] = read if several else read[0]
    return found


def answers(content: Any, X: Any, y: Any, columns: Any) -> dict[str, str]:
    """What both say of a certificate; nothing where it does not hold."""

    def by_checker() -> Any:
        read = json.loads(json.dumps(content))
        rows = [[] for _ in y] if X is None else X.tolist()
        if "model" not in read:
            return checker.check(read, rows, np.ones(len(rows), dtype=int).tolist())
        checker.model_schema(read["model"], read.get("p"), read.get("fit_intercept"))
        return checker.check(read, rows, **as_names(read["model"], y, columns))

    readers = {"checker": by_checker, "package": lambda: rb.verify(rb.Certificate(content), X, y, **columns)}
    said = {}
    for name, read in readers.items():
        try:
            said[name] = str(read())
        except (checker.DoesNotHold, checker.OtherData):
            said[name] = ""
        except (ValueError, TypeError) as why:
            if not re.match(
                r"the certificate |this certificate is about two classes|y must have two classes", str(why)
            ):
                raise
            said[name] = ""
    return said


PROOF = ("w", "lambda", "free", "base", "null", "coefficients", "decimals", "model", "verdict", "fit_intercept")
NONSENSE = [
    None,
    0,
    1,
    -1,
    True,
    "",
    "0x",
    "1",
    "0x0",
    "-0x1",
    [],
    {},
    [[]],
    ["0x1"],
    {"0": "0x1"},
    {"0": 1},
    "cox",
    1.5,
]


def slots(value: Any) -> list[tuple[Any, ...]]:
    """The places of everything in a JSON value."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [(key, *rest) for key, one in inner for rest in [(), *slots(one)]]


def at(value: Any, place: tuple[Any, ...]) -> Any:
    for key in place:
        value = value[key]
    return value


def changed(rng: np.random.Generator, value: Any, pool: list[Any]) -> Any:
    """Another value for a place: a number scaled or moved, a part left out, turned, or taken from elsewhere."""
    how = int(rng.integers(5))
    if isinstance(value, str) and re.fullmatch("-?0x[0-9a-f]+", value) and how:
        return hex(int(value, 16) * int(rng.choice([-1, 2, 3])) + int(rng.choice([-1, 0, 0, 1])))
    if isinstance(value, list) and value and how > 1:
        return [value[i] for i in rng.permutation(len(value))][int(how == 2) :]
    if isinstance(value, dict) and value and how > 1:
        names = [list(value)[i] for i in rng.permutation(len(value))]
        return {name: value[name] for name in names[1:]} if how == 2 else dict(zip(names, value.values(), strict=True))
    return copy.deepcopy(pool[rng.integers(len(pool))] if how == 1 else NONSENSE[rng.integers(len(NONSENSE))])


def retold(rng: np.random.Generator, content: Any, other: Any) -> Any:
    """Another verdict with just the fields that it needs, some of them from another certificate."""
    verdict = str(rng.choice(["complete", "quasi", "overlap"]))
    kept = {name: value for name, value in content.items() if name not in ("w", "lambda", "free", "base", "null")}
    d = int(rng.integers(1, 4))
    null = [[hex(int(i == j)) for i in range(d)] for j in range(rng.integers(0, d + 1))]
    mixture = {"lambda": {}, "free": {}, **({"base": "0x1"} if rng.integers(2) else {"null": null})}
    mixture = {name: content.get(name, value) for name, value in mixture.items()}
    w = {"w": copy.deepcopy(content.get("w", other.get("w", ["0x1"] * int(rng.integers(1, 5)))))}
    more = w if verdict == "complete" else mixture if verdict == "overlap" else w | mixture
    kept = {name: value for name, value in kept.items() if name != "coefficients" or rng.integers(2)}
    return kept | {"verdict": verdict} | more


def forged(rng: np.random.Generator, content: Any, others: list[Any], names: list[str]) -> Any:
    """One change of a certificate, or two."""
    content = copy.deepcopy(content)
    for _ in range(rng.integers(1, 3)):
        places = [place for place in slots(content) if place[0] in PROOF]
        place = places[rng.integers(len(places))]
        other = others[rng.integers(len(others))]
        how = rng.integers(7)
        if how == 6:
            content = retold(rng, content, other)
        elif how == 0:
            del at(content, place[:-1])[place[-1]]
        elif how == 1:
            name = str(rng.choice(PROOF))
            content.pop(name, None)
            content |= {name: copy.deepcopy(other[name])} if name in other else {}
        elif how == 2 and "lambda" in content:
            field = content[str(rng.choice([name for name in ("lambda", "free") if name in content]))]
            if isinstance(field, dict):
                field[str(rng.choice(names))] = str(rng.choice(["0x1", "0x2", "-0x1", "0x0"]))
        else:
            at(content, place[:-1])[place[-1]] = changed(rng, at(content, place), [at(other, s) for s in slots(other)])
    return content


_KEYS = [*map(str, range(9)), "0:0", "0:1", "1:0", "7:9", "x"]


def present(values: Any, weight: Any) -> Any:
    """A column, several columns or rows, without those of weight zero."""
    if values is None or weight is None:
        return values
    return (
        [np.asarray(one)[weight > 0] for one in values] if isinstance(values, list) else np.asarray(values)[weight > 0]
    )


def named_otherwise(model: Any, own: Any) -> bool:
    """Whether a certificate's model has other names than its own, or other levels without rows; ties may differ too."""

    def unnamed(one: dict[str, Any]) -> dict[str, Any]:
        counted = {name: names for name, names in one.items() if name != "levels"}
        lists = {"counts": [len(names) for names in lists_of(counted)], "columns": {*one["columns"]}}
        return {"name": one["name"]} | lists

    try:
        checker.model_schema(model, 1, own["name"] in ("logistic", "binomial", "poisson", "multinomial"))
    except checker.DoesNotHold:
        return False
    return model != own and unnamed(model) == unnamed(own)


def by_places(content: Any, X: Any, places: Any) -> str:
    """What checker.py says where it gets places in the lists of the true certificate."""
    rows = [[] for _ in places["y"]] if X is None else X.tolist()
    try:
        return str(checker.check(content, rows, **places))
    except (checker.DoesNotHold, checker.OtherData):
        return ""


def test_package_and_checker_agree(request: pytest.FixtureRequest) -> None:
    """Forgeries of all models, with and without coefficients, effects, strata and weights: 2,000, or 36,000."""
    tables, each = (450, 10) if request.config.getoption("--soak") else (25, 10)
    seen: Counter[Any] = Counter()
    for model in MODELS:
        rng, pool = np.random.default_rng([*map(ord, model)]), list[Any]()
        for _ in range(tables):
            X, y, columns, choices = case(rng, model)
            n = len(next(one for one in (X, y) if one is not None))
            weight = rng.integers(0, 3, size=n).astype(float) if rng.random() < 0.3 else None
            weight = None if weight is None or not weight.any() else weight
            told = {"coefficients": bool(rng.integers(2)), "sample_weight": weight}
            content = rb.existence(X, y, model, **columns, **choices, **told).certificate.written()
            there = present(X, weight), present(y, weight), {k: present(v, weight) for k, v in columns.items()}
            said = answers(content, *there)
            assert said["checker"] == said["package"] != "", (said, content)
            assert said["package"] == rb.verify(rb.Certificate(content), X, y, sample_weight=weight, **columns)
            places = numbered(content["model"], *there[1:])
            pool.append(content)
            for _ in range(each):
                other = forged(rng, content, pool, [*content.get("lambda", {}), *content.get("free", {}), *_KEYS])
                said = answers(other, *there)
                assert said["checker"] == said["package"], (said, other, there)
                believes = named_otherwise(other.get("model"), content["model"])  # places have no names
                assert believes or by_places(other, there[0], places) == said["package"], (other, there)
                if said["checker"] and other["model"] == content["model"]:
                    assert other["verdict"] == content["verdict"]
                seen[bool(said["checker"]), content["verdict"]] += 1
    assert min(seen[False, kind] for kind in ("complete", "quasi", "overlap")) > 100
    assert min(seen[True, kind] for kind in ("complete", "quasi", "overlap")) > 10  # what is still a proof is accepted


@pytest.mark.parametrize("model", MODELS)
def test_models_began_with_version_2(model: str) -> None:
    X, y, columns, choices = case(np.random.default_rng(0), model)
    content = rb.existence(X, y, model, **columns, **choices).certificate.content
    assert all(answers(content, X, y, columns).values())
    older = content | {"format": "rosenblatt-certificate/1"}
    assert not any(answers(older, X, y, columns).values())


# ------------------------------------------------------------------------------------ no comparisons, lists, self-check

# models whose rows say nothing: no event, no trial, sets of one kind
SILENT: list[tuple[str, dict[str, Any], Any]] = [
    ("cox", {"time": [1.0, 2.0, 3.0], "event": [0, 0, 0]}, None),
    ("cox", {"time": [1.0, 2.0, 3.0], "event": [0, 1, 0], "groups": ["a", "b", "c"]}, None),
    ("conditional", {"groups": ["a", "a", "b"]}, [1, 1, 0]),
    ("binomial", {"trials": [0, 0, 0]}, [0, 0, 0]),
]


@pytest.mark.parametrize(("model", "columns", "y"), SILENT)
@pytest.mark.parametrize("verdict", ["complete", "quasi"])
@pytest.mark.parametrize("coefficients", [False, True])
def test_without_comparisons_nothing_is_separated(
    model: str, columns: dict[str, Any], y: Any, verdict: str, coefficients: bool
) -> None:
    """No row contradicts any w there, and none is separated by it."""
    X = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 7.0]])
    content = rb.existence(X, y, model, **columns, coefficients=coefficients).certificate.content
    assert content["verdict"] == "overlap"
    said = answers(content, X, y, columns)
    assert said["checker"] == said["package"] != ""
    weights = 2 + (model == "binomial")
    forgery = content | {"verdict": verdict, "w": ["0x1"] * weights}
    kept = forgery if verdict == "quasi" else {k: v for k, v in forgery.items() if k not in ("lambda", "free", "base")}
    for drop in ("", "coefficients"):
        for null in ({}, {"null": []}):
            forged_one = {name: value for name, value in kept.items() if name != drop} | null
            assert not any(answers(forged_one, X, y, columns).values())


@pytest.mark.parametrize(("model", "columns", "y"), SILENT)
@pytest.mark.parametrize("coefficients", [False, True])
def test_without_comparisons_null_may_be_everything(
    model: str, columns: dict[str, Any], y: Any, coefficients: bool
) -> None:
    """No row responds to any direction: as many vectors of null as weights prove it, instead of a base."""
    X, d = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 7.0]]), 2 + (model == "binomial")
    content = rb.existence(X, y, model, **columns, coefficients=coefficients).certificate.content
    bare = {name: value for name, value in content.items() if name != "base"}
    for many in range(d + 1):
        null = [[hex(int(i == j)) for i in range(d)] for j in range(many)]
        said = answers(bare | {"null": null}, X, y, columns)
        assert said["checker"] == said["package"]
        assert bool(said["package"]) == (many == d)


def as_names(model: Any, y: Any, columns: Any) -> dict[str, Any]:
    """Columns as checker.py takes them, with the names of classes, levels, groups, effects and items."""
    named = {"groups", "fixed_effects", "items"} | ({"y"} if {"classes", "levels"} & set(model) else set())
    found: dict[str, Any] = {"y": None}
    for name, values in columns.items() if y is None else ({"y": y} | columns).items():
        several = name in ("fixed_effects", "items")
        read = [np.asarray(one).tolist() for one in (values if several else [values])]
        read = [[str(v) for v in one] for one in read] if name in named else read
        found[name] = read if several else read[0]
    return found


def lists_of(model: dict[str, Any]) -> list[list[str]]:
    """The lists of names of a certificate's model."""
    return [model[name] for name in ("classes", "levels", "groups", "items") if name in model] + model.get(
        "effects", []
    )


@pytest.mark.parametrize("model", MODELS)
def test_a_list_in_another_order_is_about_other_data(model: str) -> None:
    """Whoever looks the names up refuses it; whoever gets places refuses all that does not have to be believed."""
    rng, tried = np.random.default_rng([*map(ord, model)]), 0
    for _ in range(40):
        X, y, columns, choices = case(rng, model)
        content = rb.existence(X, y, model, **columns, **choices).certificate.written()
        rows = [[] for _ in y] if X is None else X.tolist()
        places = numbered(content["model"], y, columns)
        assert checker.check(content, rows, **places)
        for k in range(len(lists_of(content["model"]))):
            other = copy.deepcopy(content)
            turned = lists_of(other["model"])[k]
            turned.reverse()
            if other == content or numbered(other["model"], y, columns) == places:  # a middle level keeps its place
                continue
            assert not any(answers(other, X, y, columns).values())
            if "levels" not in content["model"]:  # levels may have any order
                with pytest.raises(checker.DoesNotHold):
                    checker.check(other, rows, **places)
            tried += 1
    assert tried > 5 or model == "poisson", tried


def test_names_that_are_numbers_or_text_are_sorted() -> None:
    for values in ([9, 10, 9, 10], ["9", "10", "9", "10"], [0.5, -2.0, 0.5, -2.0], [1e300, 1e-300, 1e300, 1e-300]):
        content = rb.existence(
            [[1.0], [2.0], [4.0], [3.0]], [1, 0, 0, 1], "conditional", groups=values
        ).certificate.content
        assert checker.in_order(content["model"]["groups"])
        assert all(answers(content, np.array([[1.0], [2.0], [4.0], [3.0]]), [1, 0, 0, 1], {"groups": values}).values())


def test_groups_of_any_kind_are_listed_in_an_order_that_a_stranger_can_check() -> None:
    """Their own order is not that of their names: durations, fractions, truths beside numbers."""
    from datetime import timedelta
    from fractions import Fraction

    X, y = [[1.0], [2.0], [4.0], [3.0]], [1, 0, 0, 1]
    for one, other in (
        (timedelta(days=2), timedelta(days=10)),
        (Fraction(1, 3), Fraction(1, 2)),
        (True, 2),
        (np.timedelta64(2, "D"), np.timedelta64(10, "D")),
    ):
        groups = np.array([one, other, other, one], dtype=None if isinstance(one, np.timedelta64) else object)
        verdict = rb.existence(X, y, "conditional", groups=groups)
        assert verdict.kind != "unknown"
        assert checker.in_order(verdict.certificate.content["model"]["groups"])
        assert rb.verify(verdict.certificate, X, y, groups=groups)


def test_the_package_and_the_checker_know_the_same_models() -> None:
    from rosenblatt.regressions import REGRESSIONS
    from rosenblatt.regressions.machinery.regression import argument_of

    assert [*REGRESSIONS] == sorted(name for name in checker.MODELS if name)
    for name, family in REGRESSIONS.items():
        needs = {argument_of(role) for role in family.needs}
        assert needs - {"y"} == checker.NEEDED.get(name, set())
        assert (family.takes & {*checker.ORDER}) - needs == checker.OPTIONAL.get(name, set())
        assert {*family.takes} & {"classes", "levels"} == checker.LISTS.get(name, set())
        assert ("fit_intercept" in family.takes) == (checker.MODELS[name] in (checker._counting, checker._multinomial))
        assert ("ties" in family.takes) == (name == "cox")
        assert ("y" in needs) == (name != "cox")


def test_a_model_that_no_stranger_knows_is_not_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    """A verdict's own check is that of `rb.verify`: it reads the file that would be written, strictly."""
    monkeypatch.delitem(checker.MODELS, "multinomial")
    verdict = rb.existence([[1.0], [2.0], [3.0]], [0, 1, 0], "multinomial")
    assert (verdict.kind, verdict.certificate) == ("unknown", None)
    assert "unknown model" in str(verdict.reason)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("n", np.int64(3)),
        ("more", 1),
        ("features", ("x0",)),
        ("classes", ["1", "0"]),
        ("decimals", [0]),
        ("layout", ""),
    ],
)
def test_what_is_written_is_what_is_checked(name: str, value: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A mistake of the writer is found by the self-check, not by the reader of the file."""
    X, y, made = [[1.0], [2.0], [3.0]], [0, 1, 0], rb.Certificate.of
    monkeypatch.setattr(rb.Certificate, "of", lambda *what: rb.Certificate(made(*what).content | {name: value}))
    if name == "n":  # no number of JSON
        with pytest.raises(TypeError, match="JSON"):
            rb.existence(X, y, "multinomial")
        return
    verdict = rb.existence(X, y, "multinomial")
    if name == "features":  # a tuple is a list in the file
        assert rb.verify(rb.Certificate(verdict.certificate.written()), X, y)
        return
    assert (verdict.kind, verdict.certificate) == ("unknown", None)


def test_where_the_likelihood_is_constant_nothing_is_identified() -> None:
    """No event, nobody else at risk, sets of one kind, no trials; or the rows that are compared are equal."""
    rng, seen = np.random.default_rng(5), Counter[str]()
    cases: list[tuple[str, Any, Any, dict[str, Any]]] = [
        (model, np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 7.0]]), y, columns) for model, columns, y in SILENT
    ]
    for _ in range(60):
        n = int(rng.integers(2, 9))
        groups, two = rng.integers(0, 2, size=n), rng.integers(0, 2, size=n)
        X = table(rng, 2, 2)[groups]  # equal rows within a set, or a stratum
        cases.append(("conditional", X, two, {"groups": groups}))
        time = rng.integers(1, 4, size=n).astype(float)
        cases.append(("cox", X, None, {"time": time, "event": two, "groups": groups}))
        cases.append(("cox", X[:1].repeat(n, axis=0), None, {"time": time, "event": two, "entry": time - 2.0}))
        cases.append(("paired", np.zeros((n, 2)), rng.choice([0, 0.5, 1], size=n), {}))
    for model, X, y, columns in cases:
        ties = {"ties": "exact"} if model == "cox" else {}  # then several events may be above an unknown
        verdict = rb.existence(X, y, model, **columns, **ties, coefficients=True)
        assert verdict.sentence.startswith("Nothing is identified: "), (model, X, columns)
        assert verdict.kind == "overlap"
        assert {one.kind for one in verdict.coefficients} == {"not identified"}
        said = answers(verdict.certificate.content, X, y, columns)
        assert said["checker"] == said["package"]
        assert said["checker"].startswith(f"overlap: nothing is identified, the likelihood of this {model} model is")
        seen[model] += len(verdict.certificate.content["coefficients"]["each"]) > 2  # with an unknown
    assert min(seen["conditional"], seen["cox"]) > 5


def test_a_row_that_differs_is_enough_for_an_estimate() -> None:
    groups, y = ["a", "a", "a", "a"], [1, 1, 0, 0]
    for moved in range(4):
        X = np.ones((4, 1))
        X[moved] = 2.0
        assert not rb.existence(X, y, "conditional", groups=groups).sentence.startswith("Nothing")
        assert not rb.existence(X, None, "cox", time=[1, 1, 2, 2], event=y, ties="exact").sentence.startswith("Nothing")


def test_the_names_for_type_checkers_are_those_of_the_folder() -> None:
    """A file was added or removed: `python -m rosenblatt.regressions` writes the names again."""
    from typing import get_args

    from rosenblatt.regressions import REGRESSIONS, ModelName

    assert [*get_args(ModelName)] == [*REGRESSIONS]
    assert all(REGRESSIONS[name].name == name for name in REGRESSIONS)
