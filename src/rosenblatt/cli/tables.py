"""From what was said on the command line to rows of numbers: in memory where they fit, in a store where they do not."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rosenblatt.cli.options import TableOptions
from rosenblatt.cli.output import count
from rosenblatt.cli.waiting import waiting

if TYPE_CHECKING:
    from rosenblatt.data.encoding import Encoding
    from rosenblatt.verdicts.certificate import Certificate

__all__ = ["Loaded", "load", "open_with", "refuse_output_place"]


@dataclass(frozen=True)
class Loaded:
    """Rows, their labels as −1/+1, their weights, and how they were read."""

    where: str
    X: Any
    signs: Any
    weights: Any
    encoding: "Encoding"
    numbers: Any  # of the rows, as the data count them, from 1

    @property
    def classes(self) -> tuple[str, str]:
        """The negative and the positive class."""
        negative, positive = self.encoding.classes
        return negative, positive

    @property
    def headline(self) -> str:
        """What the answer is about, in one line."""
        n, p = self.X.shape
        sizes = " and ".join(f"{name} ({number:,})" for name, number in self._sizes().items())
        return f"{self.where} · {count(n, 'row')} × {count(p, 'column')} · classes {sizes}"

    def _sizes(self) -> dict[str, int]:
        positive = int((self.signs > 0).sum())
        return dict(zip(self.classes, (len(self.signs) - positive, positive), strict=True))

    @property
    def labels(self) -> Any:
        """The class of each row, by name."""
        import numpy as np

        return np.array(self.classes)[(self.signs > 0).astype(np.intp)]

    def row_numbers(self, rows: Any) -> list[int]:
        """What the data call these rows of X: counted from 1, without the header."""
        return [int(self.numbers[i]) for i in rows]

    def certified(self, certificate: "Certificate") -> "Certificate":
        """The certificate with all that is needed to rebuild X from the same file."""
        table = {"classes": list(self.classes), "features": self.encoding.features, "table": self.encoding.to_json()}
        return replace(certificate, content=certificate.content | table)

    def to_json(self) -> dict[str, Any]:
        """What every answer says about its data."""
        n, p = self.X.shape
        return {"data": self.where, "n": n, "p": p, "classes": self._sizes(), "positive": self.classes[1]}


def load(options: TableOptions) -> Loaded:
    """Read a table; what is wrong with it is refused in a sentence."""
    return _loaded(open_with(options))


def load_alike(options_data: str, encoding: "Encoding") -> Loaded:
    """Read another table as one was read before."""
    from rosenblatt.data import open_table

    return _loaded(open_table(path=options_data, encoding=encoding))


def _loaded(table: Any) -> Loaded:
    with waiting(f"reading {table.name}"):
        X, y, weights = table.arrays()
    return Loaded(table.name, X, y, weights, table.encoding, table.row_numbers)


def open_with(options: TableOptions) -> Any:
    """The table that the options describe."""
    from rosenblatt.data import open_table

    if (options.data is None) == (options.sql is None):
        raise ValueError("say which data: a file (rosenblatt check data.csv --target COLUMN), or --sql QUERY.")
    return open_table(
        path=options.data,
        sql=options.sql,
        target=options.target,
        positive=options.positive,
        features=options.features or None,
        drop=options.drop,
        categorical=options.categorical,
        hash_columns=options.hash,
        na=options.na,
        missing=options.missing.value,
        weights=options.weights,
        counts=options.counts,
        degree=options.degree,
    )


def refuse_output_place(path: Path | None) -> None:
    """Refuse a place where a file cannot be written before hours are spent on what belongs there."""
    if path is None:
        return
    if path.is_dir():
        raise ValueError(f"{path} is a folder: say the name of a file to write.")
    if not path.absolute().parent.is_dir():
        raise ValueError(f"{path}: there is no folder {path.parent} to write it into.")
