"""Certificates of versions 1 and 2, which verify for ever: ordinary ones of version 3, written as they were."""

import copy
import json
from pathlib import Path
from typing import Any

import numpy as np

import rosenblatt as rb
from rosenblatt.verdicts import checker

__all__ = ["as_version_2", "rewrite_file", "version_2_of"]


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
    data = checker._model_columns(model, len(rows), {"y": y} | columns) if model else None
    old["data_sha256"] = checker.digest(rows, y, content["layout"], data)
    return old


def version_2_of(X: Any, y: Any, **options: Any) -> Any:
    """The old certificate of dense rows and two classes: in decimals where it can have them, else in floats."""
    labels = np.asarray(y)
    signs = np.where(labels == np.unique(labels)[-1], 1, -1).tolist()
    content = rb.separability(X, y, **options).certificate.content
    if any(not -15 <= one.get("power", 0) <= 0 for one in content["readings"]):
        content = rb.separability(X, y, **options | {"numbers": "binary"}).certificate.content
    return as_version_2(content, np.asarray(X, dtype=float), signs)


def rewrite_file(certificate: str | Path, table: str | Path) -> None:
    """Write the certificate of a CSV file as it was, in its place."""
    content = json.loads(Path(certificate).read_text())
    old = {name: entry for name, entry in content.items() if name != "readings"}
    X, y, *_ = checker.read_table(old | {"format": "rosenblatt-certificate/2"}, str(table))
    Path(certificate).write_text(json.dumps(as_version_2(content, X, y)))
