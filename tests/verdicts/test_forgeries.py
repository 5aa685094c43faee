"""Forged certificates: every reader gives the same answer, and it is the one that exact arithmetic gives.

Readers: the independent checker, the fast path on rows in memory and on shards, and what users call. The oracle below
shares nothing with them. Structured forgeries: fields swapped between verdicts, left out, too many, negated, scaled,
permuted, on other rows, of other kinds, on other data; and those that leave a proof a proof.
"""

import copy
import hashlib
import json
import re
import struct
from collections import Counter
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import rosenblatt as rb
from rosenblatt.data.numbers.rows import as_rows
from rosenblatt.verdicts import checker
from tests.distributed.conftest import Inline
from tests.distributed.test_training import pairs
from tests.old_certificates import as_version_2
from tests.verdicts.test_separability import augmented, null_vectors, with_null

_COMMON = {
    "format": str,
    "verdict": str,
    "n": int,
    "p": int,
    "fit_intercept": bool,
    "layout": str,
    "data_sha256": str,
    "classes": list,
    "features": list,
    "table": dict,
}


class NoProof(Exception):
    """What the oracle says of a forgery."""


def need(condition: Any) -> None:
    if not condition:
        raise NoProof


def whole(text: Any) -> int:
    need(isinstance(text, str) and re.fullmatch(r"-?0x[0-9a-fA-F]+", text))
    return int(text, 16)


def vector(value: Any, d: int) -> list[int]:
    need(isinstance(value, list) and len(value) == d)
    numbers = [whole(v) for v in value]
    need(any(numbers))
    return numbers


def dot(a: Any, b: Any) -> Any:
    return sum(u * v for u, v in zip(a, b, strict=True))


def mixture(value: Any, n: int) -> dict[int, int]:
    need(isinstance(value, dict))
    for key in value:
        need(isinstance(key, str) and key in map(str, range(n)))
    return {int(key): whole(m) for key, m in value.items()}


def ratio(text: Any) -> Fraction:
    need(isinstance(text, str) and text.count("/") == 1)
    over, under = map(whole, text.split("/"))
    need(over >= 0 and under > 0)
    return Fraction(over, under)


def read_in_decimals(powers: Any, X: Any) -> None:
    """A power of ten a column, which every value fits: Python writes it with so few digits."""
    need(isinstance(powers, list) and len(powers) == X.shape[1])
    need(all(k is None or (type(k) is int and 0 <= k <= 15) for k in powers) and any(powers))
    for x in X.tolist():
        for v, k in zip(x, powers, strict=True):
            if k is not None:
                m = Fraction(repr(v)) * 10**k
                need(m.denominator == 1 and (k == 0 or abs(m) <= 10**15))


def hash_of_readings(readings: Any, X: Any, y: Any, layout: str) -> str:
    """The hash of version 3, for tables of one block; refuses what X is not."""
    need(isinstance(readings, list) and len(readings) == X.shape[1])
    for one in readings:
        need(isinstance(one, dict) and len(one) == 1)
        ((kind, value),) = one.items()
        need(type(value) is int and (value in (32, 64) if kind == "binary" else kind == "power"))
        need(kind != "power" or abs(value) <= 2000)
    rows = []
    for x in X.tolist():
        row = []
        for v, one in zip(x, readings, strict=True):
            if "binary" in one:
                row.append((v + 0.0, struct.pack("<d", v + 0.0)))
                continue
            digits = Decimal(repr(v)).normalize().as_tuple().digits
            m = Fraction(repr(v)) / Fraction(10) ** one["power"]
            need(len(digits) <= 15 and m.denominator == 1)
            row.append((int(m), struct.pack("<q", int(m)) if -(2**63) <= m < 2**63 else b""))
        rows.append(row)
    long = [j for j, one in enumerate(readings) if any(not row[j][1] for row in rows)]
    texts = ["".join(f"{row[j][0]}," for row in rows if layout == "dense" or row[j][0]) for j in long]
    rows = [[(v, b"" if j in long else part) for j, (v, part) in enumerate(row)] for row in rows]
    block = hashlib.sha256()
    if layout == "csr":
        rows = [[(j, *value) for j, value in enumerate(row) if value[0]] for row in rows]
        block.update(struct.pack(f"<{len(rows) + 1}q", *np.cumsum([0, *map(len, rows)]).tolist()))
        block.update(b"".join(struct.pack("<q", j) for row in rows for j, *_ in row))
        rows = [[value for _, *value in row] for row in rows]
    block.update(b"".join(part for row in rows for _, part in row))
    block.update("".join(texts).encode())
    block.update(np.asarray(y, dtype=np.int8).tobytes())
    return hashlib.sha256(json.dumps(readings, separators=(",", ":")).encode() + block.digest()).hexdigest()


def evaluate_because(entry: Any, Z: Any, kind: str, columns: int) -> None:
    need(isinstance(entry, dict) and set(entry) == {"columns", "w"})
    named = entry["columns"]
    need(isinstance(named, list) and named and all(type(j) is int and 0 <= j < columns for j in named))
    need(named == sorted(set(named)))
    w = vector(entry["w"], len(Z[0]))
    need(not any(v for j, v in enumerate(w[:columns]) if j not in named))
    responses = [dot(z, w) for z in Z]
    need(min(responses) > 0 if kind == "complete" else min(responses) >= 0 and max(responses) > 0)


def evaluate(content: Any, X: Any, y: Any) -> None:
    """Raise `NoProof` unless every field is there, none other, and all that is claimed is true."""
    need(isinstance(content, dict))
    for name, kind in _COMMON.items():
        need(type(content.get(name)) is kind)
    version = {f"rosenblatt-certificate/{k}": k for k in (1, 2, 3)}.get(content["format"])
    need(version)
    bias, kind, layout = content["fit_intercept"], content["verdict"], content["layout"]
    need((content["n"], content["p"]) == X.shape)
    need(layout in ("dense", "csr"))
    fields = set(content) - set(_COMMON)
    if version == 3:
        need("readings" in fields and "decimals" not in fields)
        fields -= {"readings"}
        need(content["data_sha256"] == hash_of_readings(content["readings"], X, y, layout))
    else:
        need(content["data_sha256"] == checker.digest(X.tolist(), y.tolist(), layout))
        need("readings" not in fields)
    if "decimals" in fields:
        need(version == 2)
        read_in_decimals(content["decimals"], X)
    Z = augmented(X, y, bias, content)
    n, d = len(Z), len(Z[0])
    fields -= {"decimals"}
    if "because" in fields:
        need(version == 3 and kind in ("complete", "quasi") and isinstance(content["because"], list))
        need(len(content["because"]) <= d)
        for one in content["because"]:
            evaluate_because(one, Z, kind, d - bias)
        fields -= {"because"}
    if "coefficients" in fields and kind in ("complete", "quasi", "overlap"):
        need(version > 1)
        fields -= {"coefficients"}
        w = [0] * d if kind == "overlap" else vector(content.get("w"), d)
        evaluate_coefficients(content["coefficients"], Z, [dot(z, w) for z in Z], kind, version)
    if kind == "complete":
        need({"w"} <= fields <= {"w", "margin"} | ({"street"} if bias and version > 1 else set()))
        w = vector(content["w"], d)
        need(min(dot(z, w) for z in Z) > 0)
        for name in fields - {"w"}:
            entry = content[name]
            need(isinstance(entry, dict) and set(entry) == {"lower", "upper", "lambda", *["w"] * (name == "street")})
            lower, upper = ratio(entry["lower"]), ratio(entry["upper"])
            v = vector(entry["w"], d) if name == "street" else w
            size = dot(v[:-1], v[:-1]) if name == "street" else dot(v, v)
            need(size and lower <= upper)
            need(all(dot(z, v) >= 0 and dot(z, v) ** 2 >= lower**2 * size for z in Z))
            lam = mixture(entry["lambda"], n)
            need(lam and min(lam.values()) > 0)
            total = [sum(m * Z[i][j] for i, m in lam.items()) for j in range(d)]
            need(name != "street" or total[-1] == 0)
            need(dot(total, total) <= (upper * sum(lam.values())) ** 2)
        return
    need(kind in ("quasi", "overlap"))
    need(fields - {"lambda"} - ({"w"} if kind == "quasi" else set()) in ({"base"}, {"null"}) and "lambda" in fields)
    need(kind == "overlap" or "w" in fields)
    responses = [dot(z, vector(content["w"], d)) for z in Z] if kind == "quasi" else [0] * n
    need(min(responses) >= 0 and (kind == "overlap" or max(responses) > 0))
    plane = [i for i, s in enumerate(responses) if s == 0]
    lam = mixture(content["lambda"], n)
    need(set(lam) <= set(plane))
    if "base" in fields:
        base = whole(content["base"])
        lam = {i: base + lam.get(i, 0) for i in plane}
    need(lam and min(lam.values()) > 0)
    need(not any(sum(m * Z[i][j] for i, m in lam.items()) for j in range(d)))
    if "null" in fields:
        need(isinstance(content["null"], list) and len(content["null"]) <= d)
        null = [[Fraction(v) for v in vector(one, d)] for one in content["null"]]
        need(len(null_vectors(null, d)) == d - len(null))  # independent
        need(not any(dot(Z[i], v) for i in plane for v in null))
        need(len(null_vectors([Z[i] for i in lam], d)) <= len(null))


def vectors(value: Any, d: int) -> list[list[int]]:
    """Independent ones."""
    need(isinstance(value, list) and len(value) <= d)
    found = [vector(one, d) for one in value]
    need(len(null_vectors([[Fraction(v) for v in one] for one in found], d)) == d - len(found))
    return found


def evaluate_coefficients(entry: Any, Z: Any, responses: Any, kind: str, version: int = 3) -> None:
    """Raise `NoProof` unless the coefficients are as the certificate's format has them, and all of it is true."""
    n, d = len(Z), len(Z[0])
    need(isinstance(entry, dict) and set(entry) == {"rows", "null", "each", *["open"] * (kind == "quasi")})
    rows, each = entry["rows"], entry["each"]
    need(isinstance(rows, list) and all(type(i) is int and 0 <= i < n for i in rows) and len(set(rows)) == len(rows))
    null = vectors(entry["null"], d)
    need(len(rows) + len(null) == d == len(null_vectors([Z[i] for i in rows], d)) + len(rows))
    need(not any(dot(z, v) for z in Z for v in null))
    sides = [responses[i] > 0 for i in rows]
    need(sides == sorted(sides))
    opened = null if kind == "overlap" else [[int(i == j) for i in range(d)] for j in range(d)]
    if kind == "quasi":
        opened = vectors(entry["open"], d)
        need(sides.count(False) + len(opened) == d)
        need(not any(dot(z, v) for z, s in zip(Z, responses, strict=True) if not s for v in opened))
    need(isinstance(each, list) and len(each) == d)
    for j, one in enumerate(each):
        need(isinstance(one, dict) and isinstance(one.get("kind"), str))
        said = one["kind"]
        if said == "open":
            need(version == 3 and set(one) == {"kind"})
            continue
        need((said == "not identified") == any(v[j] for v in null))
        if said in ("not identified", "finite"):
            need(set(one) == {"kind"})
            need(said == "not identified" or not any(v[j] for v in opened))
        elif said == "undetermined":
            need(set(one) == {"kind", "separating"} and any(v[j] for v in opened) and any(responses))
            w = vector(one["separating"], d)
            need(w[j] == 0)
            for z, s in zip(Z, responses, strict=True):
                need(dot(z, w) > 0 if s > 0 else dot(z, w) == 0)
        else:
            need(said in ("+inf", "-inf") and set(one) == {"kind", "strict", "scale"})
            mu, scale = mixture(one["strict"], n), whole(one["scale"])
            need(mu and min(mu.values()) > 0 and scale > 0 and all(responses[i] > 0 for i in mu))
            scale *= 1 if said == "+inf" else -1
            need(all(sum(m * dot(Z[i], v) for i, m in mu.items()) == scale * v[j] for v in opened))


def originals() -> list[tuple[dict[str, Any], Any, Any]]:
    """Certificates of every kind: intercept or none, one class, sparse, base and null spaces, thin gaps."""
    rng = np.random.default_rng(0)
    found = []
    for trial in range(24):
        n, p = int(rng.integers(4, 9)), int(rng.integers(1, 4))
        X = rng.integers(-4, 5, size=(n, p)) / 4 + (0.0 if trial % 3 else 8.0)
        X[:, -1] = X[:, 0] if trial % 4 == 3 else X[:, -1]
        scores = X @ np.arange(1, p + 1) - np.median(X @ np.arange(1, p + 1)) + 0.0625
        y = np.where(scores > 0, 1, -1) if trial % 2 else rng.choice([-1, 1], size=n)
        y[:2] = [1, -1]
        if trial % 7 == 0:  # quasi
            X, y = np.array([[1.0], [2.0], [2.0], [3.0], [4.0]]), np.array([-1, -1, 1, 1, 1])
        if trial == 5:
            y = np.ones(n, dtype=int)
        if trial == 9:
            X, y = np.array([[0.0], [1.0], [1.0 + 2.0**-40], [2.0]]), np.array([-1, -1, 1, 1])
        bias = trial % 5 != 1
        data = sp.csr_array(X) if trial % 6 == 5 else X
        content = rb.separability(data, y, fit_intercept=bias, coefficients=trial % 4 > 0).certificate.content
        found.append((content, X, y))
        if "lambda" in content:
            found.append((with_null(content, X, y, bias), X, y))
    found += in_decimals(rng)
    for content, X, y in found[::3]:
        if "w" in content:
            column = next(j for j, v in enumerate(content["w"]) if v != "0x0" or j == content["p"] - 1)
            alone = all(v == "0x0" for j, v in enumerate(content["w"][: content["p"]]) if j != column)
            columns = [column] if alone and column < content["p"] else list(range(content["p"]))
            found.append(({**content, "because": [{"columns": columns, "w": content["w"]}]}, X, y))
    return found + [(as_version_2(content, X, y), X, y) for content, X, y in found if content["p"]]


def in_decimals(rng: np.random.Generator) -> list[tuple[dict[str, Any], Any, Any]]:
    """Certificates about decimals: of every kind, of columns that can be computed from others, beside floats."""
    found = []
    for trial in range(12):
        n, k = int(rng.integers(5, 9)), int(rng.integers(1, 4))
        a = rng.integers(-60, 60, size=(n, 2))
        X = np.column_stack([a / 10**k, (a[:, 0] + a[:, 1]) / 10**k, a[:, 0]])[:, : 2 + trial % 3]
        X = np.column_stack([X, rng.normal(size=n)]) if trial % 4 == 0 else X
        y = np.where(X[:, 0] > np.median(X[:, 0]), 1, -1) if trial % 2 else rng.choice([-1, 1], size=n)
        if trial % 6 == 5:  # quasi
            X, y = np.array([[0.1, 0.7], [0.2, 0.7], [0.2, 0.7], [0.3, 0.1]]), np.array([-1, -1, 1, 1])
        y[:2] = [1, -1] if len(set(y.tolist())) == 1 else y[:2]
        data = sp.csr_array(X) if trial % 5 == 3 else X
        content = rb.separability(data, y).certificate.content
        assert any("power" in one for one in content["readings"])
        found.append((content, X, y))
        if "lambda" in content:
            found.append((with_null(content, X, y, True), X, y))
    return found


_NONSENSE = [None, 0, 1, -1, 1.5, True, "", "0x", "1", "0x0", "-0x1", "0x1_0", " 0x1", "x", [], [1], {}, {"0": "0x1"}]
_KEYS = ["-1", "01", "1.0", "²", "٣", "", "999", " 1", "0x1"]


def slots(content: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where something can be changed."""
    inside = content.items() if isinstance(content, dict) else enumerate(content) if isinstance(content, list) else ()
    found = [path] if path else []
    for key, value in inside:
        if path or key not in ("classes", "features", "table"):
            found += slots(value, (*path, key))
    return found


def put(content: Any, path: tuple[Any, ...], value: Any) -> None:
    for key in path[:-1]:
        content = content[key]
    content[path[-1]] = value


def at(content: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        content = content[key]
    return content


def scaled(value: Any, factor: Fraction) -> Any:
    """Numbers in hexadecimal times a factor (whole ones rounded), wherever they are."""
    if isinstance(value, dict):
        return {key: scaled(one, factor) for key, one in value.items()}
    if isinstance(value, list):
        return [scaled(one, factor) for one in value]
    if not isinstance(value, str) or not re.fullmatch(r"-?0x[0-9a-f]+(/0x[0-9a-f]+)?", value):
        return value
    over, _, under = value.partition("/")
    number = Fraction(int(over, 16), int(under or "0x1", 16)) * factor
    return f"{hex(number.numerator)}/{hex(number.denominator)}" if under else hex(round(number))


def forge(rng: np.random.Generator, pool: Any, content: Any, X: Any, y: Any) -> tuple[str, Any, Any, Any]:
    """One forgery, by its kind."""
    content, X, y = copy.deepcopy(content), X.copy(), y.copy()
    places = slots(content)
    place = places[rng.integers(len(places))]
    other = pool[rng.integers(len(pool))][0]
    kind = str(
        rng.choice(
            [
                *["verdict", "swap", "drop", "add", "scale", "nudge"],
                *["permute", "key", "nonsense", "fate", "decimals", "readings", "because", "data"],
            ]
        )
    )
    proof = [name for name in content if name not in _COMMON]
    name = proof[rng.integers(len(proof))]
    if kind == "verdict":
        content["verdict"] = str(rng.choice(["complete", "quasi", "overlap", "unknown"]))
        for field in rng.permutation(proof)[: rng.integers(len(proof) + 1)]:
            del content[field]
        content |= {"lambda": {}, "base": "0x1"} if rng.integers(2) else {}
    elif kind == "swap":
        donor = other if rng.integers(2) else content
        names = [one for one in donor if one not in _COMMON]
        content[name] = copy.deepcopy(donor[names[rng.integers(len(names))]])
    elif kind == "drop":
        if len(place) == 1 or not isinstance(at(content, place[:-1]), list) or rng.integers(2):
            del at(content, place[:-1])[place[-1]]
    elif kind == "add":
        fields = ["street", "margin", "base", "null", "lambda", "w", "decimals", "coefficients", "readings", "because"]
        new = str(rng.choice(fields))
        donor = [one[new] for one, _, _ in pool if new in one]
        content[new] = copy.deepcopy(donor[rng.integers(len(donor))]) if donor and rng.integers(2) else {}
        content["format"] = f"rosenblatt-certificate/{rng.integers(1, 4)}"
    elif kind == "scale":
        factor = Fraction(int(rng.choice([-2, -1, 2, 3, 1000])), int(rng.choice([1, 1, 1, 2, 7])))
        put(content, place, scaled(at(content, place), factor))
    elif kind == "nudge":
        value = at(content, place)
        factor = Fraction(1) + Fraction(int(rng.choice([-1, 1])), 10 ** int(rng.choice([1, 3, 6, 12])))
        put(content, place, scaled(value, factor))
    elif kind == "permute":
        value = at(content, place)
        if isinstance(value, list):
            put(content, place, [value[i] for i in rng.permutation(len(value))])
        elif isinstance(value, dict) and value:
            turned = [list(value)[i] for i in rng.permutation(len(value))]
            put(content, place, dict(zip(turned, value.values(), strict=True)))
    elif kind == "key":
        for field in (content, content.get("margin"), content.get("street")):
            if isinstance(field, dict) and isinstance(field.get("lambda"), dict) and rng.integers(2):
                field["lambda"][str(rng.choice([*_KEYS, *map(str, range(len(y)))]))] = "0x1"
    elif kind == "decimals":
        forge_decimals(rng, content)
    elif kind == "readings" and "readings" in content:
        forge_readings(rng, content, X, y)
    elif kind == "because" and isinstance(content.get("because"), list):
        entry = content["because"][0]
        how = rng.integers(4)
        if how == 0:
            entry["columns"] = [int(j) for j in rng.permutation(len(X[0]) + 1)[: rng.integers(3)]]
        elif how == 1:
            entry["w"] = [v if rng.integers(3) else "0x0" for v in entry["w"]]
        elif how == 2:
            entry["w"] = [v if rng.integers(3) else "0x1" for v in entry["w"]]
        else:
            content["because"].append(copy.deepcopy(entry))
    elif kind == "fate" and "coefficients" in content:
        forge_fate(rng, content["coefficients"], pool, len(y))
    elif kind == "nonsense":
        put(content, place, copy.deepcopy(_NONSENSE[rng.integers(len(_NONSENSE))]))
    elif rng.integers(2):
        X[rng.integers(len(X)), rng.integers(X.shape[1])] += 0.25
    else:
        y[rng.integers(len(y))] *= -1
    return kind, content, X, y


def forge_decimals(rng: np.random.Generator, content: Any) -> None:
    """Other powers of ten: dropped, added, one too few or too many, of the wrong kind, too long for these values."""
    powers = list(content.get("decimals") or [None] * content["p"])
    how = rng.integers(5)
    if how == 0:
        content.pop("decimals", None)
        return
    if how == 1:
        powers.append(1) if rng.integers(2) else powers.pop()
    elif how == 2:
        powers = [None if rng.integers(2) else int(rng.integers(0, 4)) for _ in powers]
    else:
        change = [-1, 0, 1, 2, 3, 4, 14, 15, 16, None, True, 2.0, "2", [2]]
        powers[rng.integers(len(powers))] = change[rng.integers(len(change))]
    content["decimals"] = powers
    if rng.integers(4):
        content["format"] = "rosenblatt-certificate/2"


def forge_readings(rng: np.random.Generator, content: Any, X: Any, y: Any) -> None:
    """Other readings: of another kind, one too few, other powers; often with the hash that would be right then."""
    readings, how = content["readings"], rng.integers(4)
    if how == 0 and readings:
        readings.pop() if rng.integers(2) else readings.append({"binary": 64})
    elif readings:
        change: list[Any] = [{"power": -k} for k in (-2, -1, 0, 1, 2, 3, 4, 20, 400, 2000, 2001)]
        change += [
            {"binary": 64},
            {"binary": 16},
            {"power": True},
            {"power": 0, "binary": 64},
            {},
            None,
            {"power": "0"},
        ]
        readings[rng.integers(len(readings))] = copy.deepcopy(change[rng.integers(len(change))])
    if rng.integers(4):
        try:
            content["data_sha256"] = hash_of_readings(readings, X, y, content["layout"])
        except (NoProof, struct.error, TypeError):
            return


def forge_fate(rng: np.random.Generator, entry: Any, pool: Any, n: int) -> None:
    """Another kind, another sign, other rows, other numbers, one entry more or less."""
    each = entry["each"]
    one = each[rng.integers(len(each))]
    other = pool[rng.integers(len(pool))][0].get("coefficients", entry)
    how = int(rng.integers(10))
    if how == 0:
        one["kind"] = str(rng.choice(["finite", "+inf", "-inf", "undetermined", "not identified", "inf", "open"]))
    elif how == 1:
        i, j = rng.integers(len(each), size=2)
        each[i], each[j] = each[j], each[i]
    elif how == 2:
        one["strict"] = {str(i): "0x1" for i in rng.permutation(n)[: rng.integers(4)]}
        one.setdefault("scale", "0x1")
    elif how == 3 and "separating" in one:
        one["separating"] = [v if rng.integers(3) else "0x0" for v in one["separating"]]
    elif how == 4:
        entry["rows"] = [int(i) for i in rng.permutation(n)[: len(entry["rows"]) + rng.integers(-1, 2)]]
    elif how == 5:
        name = str(rng.choice(["open", "null"]))
        entry[name] = copy.deepcopy(other.get(name, []))
    elif how == 6:
        each.append(copy.deepcopy(one))
    elif how == 7:
        each[rng.integers(len(each))] = copy.deepcopy(other["each"][rng.integers(len(other["each"]))])
    elif how == 8:
        one["strict"], one["scale"] = {}, "0x0"
    else:
        entry["rows"] = entry["rows"][::-1]


def answers(content: Any, X: Any, y: Any) -> dict[str, bool]:
    """What every reader says."""
    signs = y.astype(np.int8)

    def by_file() -> Any:
        pairs_of = json.loads(json.dumps(content), object_pairs_hook=checker._unique)
        return checker.check(pairs_of, X.tolist(), y.tolist())

    readers = {
        "checker": by_file,
        "fast": lambda: rb.Certificate(content).examine(as_rows(X), signs, 0),
        "fast, sparse": lambda: rb.Certificate(content).examine(as_rows(sp.csr_array(X)), signs, 0),
        "shards": lambda: rb.distributed.verify(rb.Certificate(content), pairs(X, y, 2), None, Inline()),
        "verify": lambda: rb.verify(rb.Certificate(content), X, y),
    }
    said = {}
    for name, read in readers.items():
        if len(set(y.tolist())) == 1 and y[0] < 0:
            continue  # one class alone is the positive one, to all but the checker
        try:
            said[name] = bool(read())
        except (checker.DoesNotHold, checker.OtherData):
            said[name] = False
        except ValueError as why:
            if not str(why).startswith("the certificate "):
                raise
            said[name] = False
    return said


def test_every_reader_gives_the_same_answer(request: pytest.FixtureRequest) -> None:
    rng = np.random.default_rng(1)
    pool = originals()
    assert {content["verdict"] for content, _, _ in pool} == {"complete", "quasi", "overlap"}
    assert sum("street" in content for content, _, _ in pool) > 5
    fates = Counter(one["kind"] for content, _, _ in pool for one in content.get("coefficients", {"each": []})["each"])
    assert min(fates[kind] for kind in ("finite", "+inf", "-inf", "undetermined", "not identified")) > 2
    for content, X, y in pool:
        evaluate(content, X, y)
        assert all(answers(content, X, y).values())
    seen: Counter[tuple[str, bool]] = Counter()
    for _ in range(6000 if request.config.getoption("--soak") else 600):
        kind, *case = forge(rng, pool, *pool[rng.integers(len(pool))])
        try:
            evaluate(*case)
            true = True
        except NoProof:
            true = False
        said = answers(*case)
        assert set(said.values()) <= {true}, (kind, case, said)
        seen[kind, true] += 1
    refused = {"verdict", "swap", "drop", "add", "scale", "key", "fate", "nonsense"}
    assert {kind for kind, true in seen if not true} >= refused
    accepted = {kind for kind, true in seen if true}  # what is still a proof is accepted
    assert accepted >= {"scale", "nudge", "decimals", "readings", "because"}


@pytest.mark.parametrize("large", [0, 1 << 22])
def test_the_forgeries_that_passed(large: int) -> None:
    """A complete certificate called quasi, with an empty lambda and a base: no row is on the plane."""
    X, y = rb.datasets.margin_cloud(60, 3, 0.25, random_state=0)
    content = rb.separability(X, y).certificate.content
    rows, signs = as_rows(X), y.astype(np.int8)
    bare = {name: value for name, value in content.items() if name not in ("margin", "street")}
    quasi = {**bare, "verdict": "quasi", "lambda": {}, "base": "0x1"}
    for forged in (
        quasi,
        {**content, "margin": {**content["margin"], "upper": "-" + content["margin"]["upper"]}},
        {**content, "street": {**content["street"], "upper": "-" + content["street"]["upper"]}},
        {**content, "street": {**content["street"], "lower": "0x1/0x0"}},
        {**content, "street": {**content["street"], "upper": "0x0/0x1"}},
        {**content, "street": {**content["street"], "lower": content["street"]["upper"], "upper": "0x1/0xffff"}},
        {**content, "street": {**content["street"], "lambda": {}}},
        {**content, "street": {**content["street"], "lambda": {"0": "-0x1"}}},
        {**content, "street": {**content["street"], "w": content["w"][:-1]}},
        {**content, "street": {**content["street"], "w": ["0x0", "0x0", "0x0", "0x1"]}},
        {**content, "street": {**content["street"], "w": [v[1:] if v[0] == "-" else "-" + v for v in content["w"]]}},
        {**content, "street": {**content["street"], "lambda": content["margin"]["lambda"]}},
        {**content, "street": None},
        {**content, "format": "rosenblatt-certificate/1"},
    ):
        with pytest.raises(checker.DoesNotHold):
            rb.Certificate(forged).examine(rows, signs, large)
        with pytest.raises(ValueError, match="the certificate does not hold"):
            rb.distributed.verify(rb.Certificate(forged), pairs(X, y, 3), None, Inline())


def test_a_name_that_is_there_twice_is_refused(tmp_path: Any) -> None:
    content = rb.separability([[0.0], [1.0]], [0, 1]).certificate.content
    text = json.dumps(content)
    (tmp_path / "twice.json").write_text(text[:-1] + ', "w": ["0x1", "0x0"]}')
    with pytest.raises(ValueError, match="the file has a name twice"):
        rb.Certificate.load(tmp_path / "twice.json")


def test_no_entry_of_zero_is_written_and_every_reader_takes_one() -> None:
    """Where equal shares of all rows vanish, `base` says it all. Earlier versions wrote an entry "0x0" then."""
    rng, seen = np.random.default_rng(3), 0
    for _ in range(200):
        half = rng.integers(-2, 3, size=(int(rng.integers(1, 4)), int(rng.integers(1, 3)))).astype(float)
        X = np.vstack([half, half, np.full((int(rng.integers(2)), half.shape[1]), 9.0)])
        y = np.concatenate([np.ones(len(half)), -np.ones(len(half)), np.ones(len(X) - 2 * len(half))]).astype(int)
        content = rb.separability(X, y).certificate.content
        assert "0x0" not in content["lambda"].values()
        seen += not content["lambda"]
        evaluate(content, X, y)
        assert all(answers(content, X, y).values())
        if "base" in content:
            old = {**content, "lambda": {"0": "0x0"} | content["lambda"]}
            assert all(answers(old, X, y).values())
    assert seen > 20
