"""`verify`: a certificate checked on data that are never in one place, shard by shard."""

from typing import Any

from rosenblatt.distributed.hashing import begin_digest, finish_digest
from rosenblatt.distributed.pointsets import PointSet
from rosenblatt.verdicts import checker
from rosenblatt.verdicts.certificate import Certificate, in_words
from rosenblatt.verdicts.claim import Claim
from rosenblatt.verdicts.fast import holds

__all__ = ["verify"]


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
    ...     said = verify(certificate, da.from_array(data.X, chunks=(20, -1)), da.from_array(data.y, chunks=20), client)
    >>> said[:58], said == certificate.verify(*data)
    ('complete: w has each of the 60 rows strictly on its side, ', True)
    """
    return in_words(lambda: _examine(certificate, X, y, client))


def _examine(certificate: Certificate, X: Any, y: Any, client: Any) -> str:
    claim = Claim.of(certificate.content)
    points = PointSet.read(client, X, y, claim.bias)
    if (claim.n, claim.p) != (points.n, points.p):
        raise checker.OtherData(f"it is about {claim.n} rows and {claim.p} columns")
    if claim.digest != finish_digest(begin_digest(points.shards, claim.layout)):
        raise checker.OtherData("the data have another hash")
    if claim.decimals is not None:
        if not points.fits(claim.decimals):
            raise checker.Refused("a value is not a decimal of its column's power of ten")
        points = points.read_as(claim.decimals)
    return holds(claim, points)
