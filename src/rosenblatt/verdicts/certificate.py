"""Certificates: a verdict and its proof in one JSON file, bound to the data by a hash."""

import json
import os
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.data.encoding import Encoding
from rosenblatt.data.files import write_whole
from rosenblatt.data.labels import signs_of
from rosenblatt.data.rows import Rows, as_rows
from rosenblatt.verdicts import checker, fast
from rosenblatt.verdicts.points import Points
from rosenblatt.verdicts.search import Proof

__all__ = ["Certificate", "verify"]

_LARGE = 1 << 18  # values from which the fast path is taken


@dataclass(frozen=True)
class Certificate:
    """What `verify`, or `python -m rosenblatt.verdicts.checker`, can check without trusting whoever made it.

    `content` is the JSON object, format "rosenblatt-certificate/1".
    """

    content: dict[str, Any]

    @classmethod
    def of(cls, proof: Proof, points: Points, digest: str, classes: list[Any], features: list[str]) -> "Certificate":
        """The certificate of a proof."""
        content: dict[str, Any] = {
            "format": "rosenblatt-certificate/1",
            "verdict": proof.kind,
            "n": points.n,
            "p": points.rows.p,
            "fit_intercept": points.bias,
            "layout": "csr" if points.rows.sparse else "dense",
            "data_sha256": digest,
            "classes": [str(c) for c in classes],
            "features": features,
            "table": {
                "target": "y",
                "positive": str(classes[1]),
                "missing": "refuse",
                "columns": [{"name": name, "kind": "number"} for name in features],
            },
        }
        if proof.w:
            content["w"] = [hex(v) for v in proof.w]
        if proof.mixture:
            content["lambda"] = {str(i): hex(m) for i, m in sorted(proof.mixture.items())}
            if proof.base:
                content["base"] = hex(proof.base)
            else:
                content["null"] = []
        if proof.margin:
            content["margin"] = proof.margin
        return cls(content)

    def about(self, table: Encoding) -> "Certificate":
        """The same, with all that is needed to rebuild X from the file it was read from (`table.encoding`)."""
        described = {"classes": list(table.classes), "features": table.features, "table": table.to_json()}
        return Certificate(self.content | described)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the JSON file."""
        write_whole(path, json.dumps(self.content, indent=1).encode())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "Certificate":
        """Read a certificate; nothing in it is believed before it is verified."""
        try:
            return cls(checker.read_certificate(os.fspath(path)))
        except checker.Refused as why:
            raise ValueError(f"{path} cannot be a certificate: {why}.") from None

    def verify(self, X: Any, y: Any) -> str:
        """Check the proof on these data; returns what is proved, or raises ValueError saying why it does not hold."""
        rows = as_rows(X)
        signs = signs_of(y, rows.n)
        try:
            if rows.n * rows.p <= _LARGE:
                return str(checker.check(self.content, rows.take(np.arange(rows.n)).tolist(), signs.tolist()))
            self._check_fits(rows, signs)
        except checker.Refused as why:
            raise ValueError(f"the certificate does not hold: {why}.") from None
        except checker.OtherData as why:
            raise ValueError(f"the certificate is not about these data: {why}.") from None
        return self.check(Points(rows, signs, self.content["fit_intercept"]))

    def check(self, points: Points) -> str:
        """The same for large data that are known to be the certified ones, by the fast path."""
        try:
            good = fast.holds(self.content, points)
        except checker.Refused as why:
            raise ValueError(f"the certificate does not hold: {why}.") from None
        if not good:
            raise ValueError("the certificate does not hold: its numbers do not have the signs and sums they should.")
        return f"{self.content['verdict']}: proved on {points.n} rows"

    def _check_fits(self, rows: Rows, signs: npt.NDArray[np.int8]) -> None:
        bias = self.content.get("fit_intercept")
        if self.content.get("format") != "rosenblatt-certificate/1" or not isinstance(bias, bool):
            raise checker.Refused("it has an unknown format")
        if (self.content.get("n"), self.content.get("p")) != (rows.n, rows.p):
            raise checker.OtherData(f"it is about {self.content.get('n')} rows and {self.content.get('p')} columns")
        if self.content.get("data_sha256") != fast.digest(rows, signs, self.content.get("layout", "dense")):
            raise checker.OtherData("the data have another hash")


def verify(certificate: Certificate, X: Any, y: Any) -> str:
    """Check a certificate on data; returns what is proved, or raises ValueError."""
    return certificate.verify(X, y)
