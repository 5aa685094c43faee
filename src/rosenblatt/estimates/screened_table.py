"""A file's columns as a screening takes them: which are outcomes, and the others as numbers."""

import os
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.data.encoding import Column
from rosenblatt.data.named_columns import read_columns
from rosenblatt.data.refusal import Refused, Remedy, quoted

__all__ = ["ScreenedTable"]


@dataclass(frozen=True)
class ScreenedTable:
    """X with its columns' names, and a column for each outcome."""

    X: npt.NDArray[np.float64]
    features: list[str]
    Y: npt.NDArray[Any]
    outcomes: list[str]
    references: list[str]  # of the factors: the level that each is measured against
    dropped: int  # rows that lack a value in X

    @classmethod
    def read(
        cls, path: str | os.PathLike[str], patterns: list[str], leave_out: list[str], missing: str = "refuse"
    ) -> "ScreenedTable":
        """Outcomes are the columns whose names match a pattern such as "y*"; texts become 0/1 columns, R's way."""
        columns = read_columns(path)
        outcomes = [name for name in columns if any(fnmatchcase(name, one) for one in patterns)]
        if not outcomes:
            raise Refused(f"{path} has no column that is called {' or '.join(map(quoted, patterns))}.")
        for name in leave_out:
            if name not in columns:
                raise Refused(f"{path} has no column {quoted(name)} to leave out.")
        others = {name: v for name, v in columns.items() if name not in outcomes and name not in leave_out}
        if not others:
            raise Refused(f"{path} has outcomes only: there is no column to explain them with.")
        absent = np.array([[_is_missing(v) for v in values] for values in others.values()]).T
        if absent.any() and missing == "refuse":
            name = list(others)[int(np.argmax(absent.any(axis=0)))]
            lacking = f"{path}: {int(absent.any(axis=1).sum())} rows lack a value, the first in column {quoted(name)}: "
            raise Refused(lacking + "leave such rows out with ", Remedy("missing", "drop"), ".")
        kept = ~absent.any(axis=1)
        coded = [_coded(name, values[kept]) for name, values in others.items()]
        return cls(
            np.hstack([X for _, X in coded]),
            [name for column, _ in coded for name in column.names()],
            np.array([columns[name][kept] for name in outcomes], dtype=object).T,
            outcomes,
            [column.reference_name for column, _ in coded if column.reference],
            int((~kept).sum()),
        )


def _is_missing(value: Any) -> bool:
    return value is None or bool(value != value)


def _coded(name: str, values: npt.NDArray[Any]) -> tuple[Column, npt.NDArray[np.float64]]:
    """A column of numbers, or 0/1 columns for all levels but the first."""
    if values.dtype != object:
        return Column(name), values.astype(np.float64)[:, None]
    levels, codes = np.unique(values.astype(str), return_inverse=True)
    column = Column(name, "category", tuple(levels.tolist()), reference=True)
    X = np.zeros((len(values), column.width))
    column.fill(X, codes)
    return column, X
