"""`separability` and `verify` on a cluster: a verdict on rows that are never in one place, and the check of one."""

import time
from typing import TYPE_CHECKING, Any, Literal

from rosenblatt.blocks import DataWanted, reach
from rosenblatt.context import Context, Progress
from rosenblatt.verdicts import Verdict, decided, refuse_numbers
from rosenblatt.verdicts.certificates import Certificate, Claim, holds, in_words
from rosenblatt.verdicts.rounds import ByRounds, GivenRows, begin_digest, old_digest

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["separability", "verify"]


def separability(
    X: Any,
    y: Any = None,
    client: "Client | None" = None,
    *,
    fit_intercept: bool = True,
    margin: bool = True,
    coefficients: bool = False,
    time_limit: float | None = None,
    sample_weight: Any = None,
    numbers: Literal["decimal", "binary"] = "decimal",
    progress: Progress | None = None,
) -> Verdict:
    """Decide linear separability of two classes on a cluster, and prove it in exact arithmetic.

    The verdict and its certificate are of the same kind as those of one machine, and so is the file: it can be
    checked anywhere (`rb.verify`, `rb.distributed.verify`, the stand-alone checker).

    Parameters
    ----------
    X, y, client, sample_weight, progress : as in `fit`
        The shards. Rows of weight zero are absent (row numbers stay the caller's); other weights make no difference.
    fit_intercept, margin, coefficients, time_limit, numbers
        As in `rb.separability`.

    Examples
    --------
    >>> import dask.array as da, rosenblatt as rb
    >>> from distributed import Client
    >>> data = rb.datasets.margin_cloud(3000, 3, margin=0.1, random_state=0)
    >>> X, y = da.from_array(data.X, chunks=(1000, -1)), da.from_array(data.y, chunks=1000)
    >>> with Client(processes=False, dashboard_address=":0") as client:  # threads; else rb.distributed.connect(address)
    ...     verdict = rb.distributed.separability(X, y, client)
    >>> verdict.kind, verdict.certificate.verify(data.X, data.y)[:32]
    ('complete', 'complete: w has each of the 3000')
    """
    began = time.monotonic()
    refuse_numbers(numbers)
    context = Context.of(time_limit)
    given = GivenRows.read(reach(client), X, DataWanted(y, sample_weight), fit_intercept, Context(progress=progress))
    return decided(ByRounds(given, margin, numbers, context), coefficients, began)


def verify(
    certificate: Certificate, X: Any, y: Any = None, client: "Client | None" = None, *, sample_weight: Any = None
) -> str:
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


def _examine(certificate: Certificate, X: object, y: object, client: "Client | None", sample_weight: object) -> str:
    claim = Claim.of(certificate.content)
    given = GivenRows.read(reach(client), X, DataWanted(y, sample_weight), claim.bias)
    claim.refuse_other_shape(given.shards.n, given.p)
    if claim.version < 3:  # its hash is of the floats
        claim.refuse_other_data(old_digest(given.shards, given.p, claim.layout))
    points = given.as_claimed(claim)
    if claim.version > 2:
        claim.refuse_other_data(begin_digest(points.shards, points.readings, claim.layout)())
    return holds(claim, points)
