"""Whether a certificate is about some data, and holds for them: in memory, on disk or in shards, by the one `holds`."""

from collections.abc import Callable

from rosenblatt.verdicts.checker import OtherData, Refused
from rosenblatt.verdicts.claim import Claim
from rosenblatt.verdicts.decimals import Powers
from rosenblatt.verdicts.fast import Weighable, holds

__all__ = ["examine"]


def examine(
    claim: Claim, n: int, p: int, digest: Callable[[str], str], read_as: Callable[[Powers | None], Weighable | None]
) -> str:
    """What the claim proves of n rows and p columns; raises `Refused` or `OtherData`.

    `digest` gives the hash of the data in a layout; `read_as` the rows with columns as decimals, None where a value is
    no such decimal.
    """
    if (claim.n, claim.p) != (n, p):
        raise OtherData(f"it is about {claim.n} rows and {claim.p} columns")
    if claim.digest != digest(claim.layout):
        raise OtherData("the data have another hash")
    points = read_as(claim.decimals)
    if points is None:
        raise Refused("a value is not a decimal of its column's power of ten")
    return holds(claim, points)
