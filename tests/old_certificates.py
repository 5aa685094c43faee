"""Certificates of version 2, for checkers that read no later version: those of version 3, written in the old way."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

import rosenblatt as rb
from rosenblatt.verdicts import checker

__all__ = ["as_version_2", "rewrite_file", "version_2_of"]


def as_version_2(content: dict[str, Any], X: Any, y: Any) -> dict[str, Any]:
    """A certificate of version 3 about two classes, rewritten: hashed as floats, with `decimals` for `readings`.

    Older ones stay as they are. Raises ValueError where version 2 has no such readings.
    """
    if "readings" not in content:
        return content
    powers = [None if "binary" in one else -one["power"] for one in content["readings"]]
    if any(k is not None and not 0 <= k <= 15 for k in powers):
        raise ValueError("version 2 has no such powers of ten")
    X = X.toarray() if sp.issparse(X) else np.asarray(X, dtype=float)
    labels = np.asarray(y)
    signs = np.where(labels == np.unique(labels)[-1], 1, -1)
    old = {name: entry for name, entry in content.items() if name != "readings"} | {
        "format": "rosenblatt-certificate/2",
        "data_sha256": checker.digest(X.tolist(), signs.tolist(), content["layout"]),
    }
    return old | {"decimals": powers} if any(powers) else old


def version_2_of(X: Any, y: Any, **options: Any) -> dict[str, Any]:
    """The certificate of version 2 of these rows: in decimals where it has such, else in floats."""
    try:
        return as_version_2(rb.separability(X, y, **options).certificate.content, X, y)
    except ValueError:
        return as_version_2(rb.separability(X, y, **options | {"numbers": "binary"}).certificate.content, X, y)


def rewrite_file(certificate: str | Path, table: str | Path) -> None:
    """Write the certificate of a CSV file in the old way, in its place."""
    content = json.loads(Path(certificate).read_text())
    named = {name: entry for name, entry in content.items() if name != "readings"}
    X, y, *_ = checker.read_table(named | {"format": "rosenblatt-certificate/2"}, str(table))
    Path(certificate).write_text(json.dumps(as_version_2(content, X, y)))
