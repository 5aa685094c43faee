"""Certificates of versions 1 and 2, which verify for ever: ordinary ones of version 3, written as they were."""

import copy
from typing import Any

from rosenblatt.verdicts import checker


def as_version_2(content: Any, X: Any, y: Any, **columns: Any) -> Any:
    """The same certificate as versions 1 and 2 had it: powers of decimals instead of readings, a hash over floats.

    X are floats (dense), y labels −1/+1, or a model's own with its `columns` (codes, as `checker.check` takes them).
    Columns must be decimals of at most 15 places and digits, or floats.
    """
    old = copy.deepcopy({name: value for name, value in content.items() if name not in ("readings", "because")})
    model, p = content.get("model"), content["p"]
    powers = [-one["power"] if "power" in one else None for one in content["readings"][:p]]
    assert all(k is None or 0 <= k <= 15 for k in powers), powers
    if any(powers):
        old["decimals"] = powers
    newer = model or any(powers) or {"street", "coefficients"} & set(old)
    old["format"] = f"rosenblatt-certificate/{2 if newer else 1}"
    rows = [[float(v) for v in x] for x in X]
    data = checker._columns(model, len(rows), {"y": y} | columns) if model else None
    old["data_sha256"] = checker.digest(rows, y, content["layout"], data)
    return old
