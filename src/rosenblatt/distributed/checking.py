"""`verify`: a certificate checked on data that are never in one place, shard by shard."""

from typing import Any

from rosenblatt.blocks import DataWanted, reach
from rosenblatt.distributed.hashing import begin_digest, old_digest
from rosenblatt.distributed.pointsets import GivenRows
from rosenblatt.verdicts.certificates import Certificate, Claim, holds, in_words

__all__ = ["verify"]


def verify(certificate: Certificate, X: Any, y: Any = None, client: Any = None, *, sample_weight: Any = None) -> str:
    """Check a certificate on shards, every row on its worker; returns what is proved, or raises ValueError.

    The certificate may come from one machine or from a cluster: it is the same file. X, y, client and sample_weight are
    as in `fit`; rows of weight zero are absent.

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
    return in_words(lambda: _examine(certificate, X, y, client, sample_weight))


def _examine(certificate: Certificate, X: Any, y: Any, client: Any, sample_weight: Any) -> str:
    claim = Claim.of(certificate.content)
    given = GivenRows.read(reach(client), X, DataWanted(y, sample_weight), claim.bias)
    claim.refuse_other_shape(given.shards.n, given.p)
    if claim.version < 3:  # its hash is of the floats
        claim.refuse_other_data(old_digest(given.shards, given.p, claim.layout))
    points = given.as_claimed(claim)
    if claim.version > 2:
        claim.refuse_other_data(begin_digest(points.shards, points.readings, claim.layout)())
    return holds(claim, points)
