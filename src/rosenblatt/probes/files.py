"""Activations and labels from files: npy, npz, safetensors, parquet; CSV and parquet."""

from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["read_activations", "read_label_table"]


def read_activations(path: str | Path) -> Any:
    """Rows × columns, or layers × rows × columns.

    `.npy` is memory-mapped. An `.npz` or `.safetensors` file with several arrays of one shape is a stack of layers, in
    the order of their names (numbers in names by value: layer.2 before layer.10). A `.parquet` file has numbers only.
    """
    path = _existing(path)
    kind = path.suffix.lower()
    if kind == ".npy":
        return _loaded(path, lambda: np.load(path, mmap_mode="r"))
    if kind == ".npz":
        return _stack(path, _loaded(path, lambda: dict(np.load(path))))
    if kind == ".safetensors":
        return _stack(path, _loaded(path, lambda: _tensors(path)))
    if kind == ".parquet":
        columns = _query(path)
        for name, values in columns.items():
            if values.dtype.kind not in "fiub":
                raise ValueError(f"{path}: column {name!r} holds {values.dtype}, not numbers; activations are numbers.")
        return np.column_stack([_filled(path, name, values) for name, values in columns.items()])
    raise ValueError(
        f"{path}: activations come as .npy, .npz, .safetensors or .parquet, not {kind or 'without a suffix'}."
    )


def read_label_table(path: str | Path) -> "LabelTable":
    """The columns of a CSV or parquet file, as `fit` takes them."""
    path = _existing(path)
    if path.suffix.lower() not in (".csv", ".tsv", ".parquet"):
        raise ValueError(f"{path}: labels come as .csv, .tsv or .parquet, not {path.suffix or 'without a suffix'}.")
    return LabelTable(_query(path))


class LabelTable:
    """Named columns; a missing value is None."""

    def __init__(self, columns: dict[str, Any]) -> None:
        self._columns = columns
        self.columns = list(columns)

    def __getitem__(self, name: str) -> Any:
        values = self._columns[name]
        return np.asarray(values.filled(None), dtype=object) if np.ma.is_masked(values) else np.asarray(values)

    def __len__(self) -> int:
        return len(next(iter(self._columns.values())))

    def without(self, name: str) -> "LabelTable":
        """All other columns."""
        return LabelTable({other: values for other, values in self._columns.items() if other != name})


def _existing(path: str | Path) -> Path:
    path = Path(path)
    if not path.is_file():
        raise ValueError(f"{path}: there is no such file.")
    return path


def _loaded(path: Path, load: Any) -> Any:
    try:
        return load()
    except (OSError, EOFError, KeyError) as error:
        raise ValueError(f"{path}: cannot be read: {error}.") from None
    except ValueError as error:
        if "Object arrays" in str(error):
            raise ValueError(f"{path}: holds Python objects, not numbers; save a numeric array.") from None
        if "pickle" in str(error):  # NumPy's guess at bytes it does not know
            raise ValueError(f"{path}: cannot be read: it is not a file of this kind, or it is damaged.") from None
        raise ValueError(f"{path}: cannot be read: {error}.") from None


def _tensors(path: Path) -> dict[str, Any]:
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        return dict(load_file(path))
    except SafetensorError as error:
        raise ValueError(str(error)) from None
    except (AttributeError, TypeError):  # bfloat16, which NumPy does not know
        raise ValueError("it has a type that NumPy lacks (bfloat16?); save the tensors as float32") from None


def _stack(path: Path, arrays: dict[str, Any]) -> Any:
    if not arrays:
        raise ValueError(f"{path}: there is no array in it.")
    names = sorted(arrays, key=_by_numbers)
    if len(names) == 1:
        return arrays[names[0]]
    shapes = {arrays[name].shape for name in names}
    if len(shapes) > 1 or len(next(iter(shapes))) != 2:
        listed = ", ".join(f"{name} {arrays[name].shape}" for name in names[:4])
        raise ValueError(f"{path}: its arrays are no layers of one shape, rows × columns: {listed}.")
    return np.stack([arrays[name] for name in names])


def _by_numbers(name: str) -> list[Any]:
    import re

    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", name)]


def _query(path: Path) -> dict[str, Any]:
    import duckdb

    reader = "read_parquet" if path.suffix.lower() == ".parquet" else "read_csv"
    try:
        with duckdb.connect() as connection:
            columns = connection.execute(f"select * from {reader}(?)", [str(path)]).fetchnumpy()
    except duckdb.Error as error:
        raise ValueError(f"{path}: cannot be read: {str(error).splitlines()[0]}") from None
    if not columns or not len(next(iter(columns.values()))):
        raise ValueError(f"{path}: there are no rows in it.")
    return dict(columns)


def _filled(path: Path, name: str, values: Any) -> Any:
    if np.ma.is_masked(values):
        row = int(np.flatnonzero(np.ma.getmaskarray(values))[0])
        raise ValueError(f"{path}: column {name!r} has no value in row {row}; fill it or drop the row.")
    return np.asarray(values)
