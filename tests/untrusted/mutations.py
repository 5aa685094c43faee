"""Ways to damage a file, by accident and on purpose."""

import random
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["damage", "distort"]

_NUMBERS = [0, -1, 1, 2, 7, 255, 2**31, 2**63, -(2**63), 10**30, 0.5, float("nan"), float("inf"), 1e308]
_OTHERS = [None, True, "", "x", "../../x", "a" * 300, "<f8", "object", "|O", "<U99999999", [], [[]], {}, {"a": 1}]
_DTYPES = ["float64", "float32", "int64", "int32", "int8", "uint8", "bool"]


def damage(path: Path, rng: random.Random) -> None:
    """Change some bytes of a file, or of a file in a folder."""
    file = rng.choice(sorted(p for p in path.rglob("*") if p.is_file())) if path.is_dir() else path
    content = bytearray(file.read_bytes())
    kind = rng.randrange(5)
    at = rng.randrange(len(content)) if content else 0
    if kind == 0:
        content[at:] = b""
    elif kind == 1:
        content[at:at] = rng.randbytes(rng.randrange(1, 20))
    elif kind == 2:
        other = rng.randrange(len(content))
        content[at : at + 8] = content[other : other + 8]
    else:
        for _ in range(rng.choice([1, 1, 1, 4])):
            at = rng.randrange(min(len(content), 4096 if kind == 3 else len(content)))
            content[at] ^= 1 << rng.randrange(8)
    file.write_bytes(bytes(content))


def distort(value: Any, rng: random.Random) -> Any:
    """Change one thing somewhere in a JSON value, in which arrays may stand."""
    if isinstance(value, np.ndarray):
        return _distort_array(value, rng)
    if isinstance(value, dict) and value:
        name = rng.choice(list(value))
        chance = rng.random()
        if chance < 0.07:
            return {key: one for key, one in value.items() if key != name}
        if chance < 0.12:
            return {**value, "../x": value[name]}
        if chance < 0.18 and len(value) > 1:
            return {**value, name: value[rng.choice(list(value))]}
        return {**value, name: distort(value[name], rng)}
    if isinstance(value, list) and value and rng.random() < 0.8:
        at = rng.randrange(len(value))
        if rng.random() < 0.15:
            return value[:at] + value[at + 1 :]
        return [*value[:at], distort(value[at], rng), *value[at + 1 :]]
    if isinstance(value, int) and not isinstance(value, bool) and rng.random() < 0.5:
        return value + rng.choice([-1, 1, -value - 1, 10**6])
    return rng.choice(_NUMBERS + _OTHERS)


def _distort_array(array: Any, rng: random.Random) -> Any:
    kind = rng.randrange(6)
    if kind == 0:
        return array[: rng.randrange(len(array) + 1)] if array.ndim else np.zeros(3)
    if kind == 1:
        with np.errstate(all="ignore"):
            return np.nan_to_num(array).astype(rng.choice(_DTYPES))
    if kind == 2:
        return array.reshape(rng.choice([(-1,), (1, -1), (-1, 1), (*array.shape, 1)]))
    if kind == 3:
        return np.concatenate([array.reshape(-1)] * 2)
    changed = array.copy()
    if changed.size:
        at = rng.randrange(changed.size)
        if changed.dtype.kind in "iu":
            limits = np.iinfo(changed.dtype)
            changed.reshape(-1)[at] = rng.choice([limits.min, limits.max, 0, limits.min // 2, limits.max // 2, 7])
        else:
            changed.reshape(-1)[at] = rng.choice([np.nan, np.inf, -1.0, 1e308, 0.0])
    return changed
