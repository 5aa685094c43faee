"""`verify`: a certificate checked on data that are never in one place, shard by shard."""

from fractions import Fraction
from typing import Any

import numpy as np

from rosenblatt.data.rows import as_rows
from rosenblatt.distributed import looking
from rosenblatt.distributed.hashing import begin_digest, finish_digest
from rosenblatt.distributed.pointsets import PointSet
from rosenblatt.exact.linear import rank
from rosenblatt.theory import sqrt_above
from rosenblatt.verdicts import checker
from rosenblatt.verdicts.certificate import Certificate
from rosenblatt.verdicts.points import Points, Whole

__all__ = ["check_shards", "verify"]


def verify(certificate: Certificate, X: Any, y: Any = None, client: Any = None) -> str:
    """Check a certificate on shards, every row on its worker; returns what is proved, or raises ValueError.

    The certificate may come from one machine or from a cluster: it is the same file.

    Examples
    --------
    >>> import dask.array as da, rosenblatt as rb
    >>> from distributed import Client
    >>> data = rb.datasets.margin_cloud(60, 2, margin=0.25, random_state=0)
    >>> certificate = rb.separability(*data).certificate
    >>> with Client(processes=False, dashboard_address=":0") as client:  # threads; else rb.distributed.connect(address)
    ...     verify(certificate, da.from_array(data.X, chunks=(20, -1)), da.from_array(data.y, chunks=20), client)
    'complete: proved on 60 rows'
    """
    content = certificate.content
    bias = content.get("fit_intercept")
    if content.get("format") != "rosenblatt-certificate/1" or not isinstance(bias, bool):
        raise ValueError("the certificate does not hold: it has an unknown format.")
    points = PointSet.read(client, X, y, bias)
    if (content.get("n"), content.get("p")) != (points.n, points.p):
        about = f"{content.get('n')} rows and {content.get('p')} columns"
        raise ValueError(f"the certificate is not about these data: it is about {about}.")
    if content.get("data_sha256") != finish_digest(begin_digest(points.shards, content.get("layout", "dense"))):
        raise ValueError("the certificate is not about these data: the data have another hash.")
    return check_shards(content, points)


def check_shards(content: dict[str, Any], points: PointSet) -> str:
    """The same for data that are known to be the certified ones."""
    try:
        good = _holds(content, points)
    except checker.Refused as why:
        raise ValueError(f"the certificate does not hold: {why}.") from None
    if not good:
        raise ValueError("the certificate does not hold: its numbers do not have the signs and sums they should.")
    return f"{content['verdict']}: proved on {points.n} rows"


def _holds(content: dict[str, Any], points: PointSet) -> bool:
    kind = content.get("verdict")
    if kind not in ("complete", "quasi", "overlap"):
        return False
    w = None if kind == "overlap" else checker.vector(content.get("w"), points.d)
    base = checker.number(content["base"]) if "base" in content else None
    null = [checker.vector(v, points.d) for v in content.get("null", [])]
    mixture = _entries(content.get("lambda", {}), points.n)
    parts = points.ask_each(
        looking.weigh,
        "checking the proof",
        points.split(mixture),
        w=w,
        base=base,
        null=null,
        complete=kind == "complete",
    )
    lowest, highest = min(part.lowest for part in parts), max(part.highest for part in parts)
    if kind != "overlap" and (lowest < 0 or highest <= 0):
        return False
    if kind == "complete":
        return lowest > 0 and ("margin" not in content or _margin_holds(content["margin"], w or [], points))
    if not (mixture or base is not None) or not all(part.good for part in parts):
        return False
    if any(sum(column) for column in zip(*(part.residual for part in parts), strict=True)):
        return False
    if base is not None:
        return True
    return rank(null) == len(null) and rank(Whole(points.floats(list(mixture))).rows) >= points.d - len(null)


def _entries(entries: Any, n: int) -> dict[int, int]:
    if not isinstance(entries, dict) or not all(isinstance(i, str) and i.isdecimal() and int(i) < n for i in entries):
        raise checker.Refused("lambda names a row that is not there")
    mixture = {int(i): checker.number(m) for i, m in entries.items()}
    if len(mixture) < len(entries):
        raise checker.Refused("lambda names a row twice")
    return mixture


def _margin_holds(margin: Any, w: list[int], points: PointSet) -> bool:
    lower, upper = (Fraction(*(checker.number(part) for part in margin[end].split("/"))) for end in ("lower", "upper"))
    mixture = _entries(margin["lambda"], points.n)
    if not mixture or min(mixture.values()) <= 0 or lower < 0:
        return False
    X, y = points.take(np.array(list(mixture), dtype=np.int64))
    mixed = Points(as_rows(X), y, points.bias).mixed(dict(enumerate(mixture.values())))
    if sum((v * v for v in mixed), Fraction(0)) > upper**2 * sum(mixture.values()) ** 2:
        return False
    bound = lower * sqrt_above(Fraction(sum(v * v for v in w)))
    return lower == 0 or all(points.ask_each(looking.at_least, "measuring the margin", w=w, bound=bound))
