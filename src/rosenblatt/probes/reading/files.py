"""Activations and labels from files: npy, npz, safetensors, parquet; CSV and parquet."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.data.tables import read_columns

__all__ = ["read_activations", "read_label_table"]

_LONGEST_WHOLE = 2.0**53  # from here on float64 does not tell a whole number from the next


def read_activations(path: str | Path, tensors: str | None = None) -> tuple[Any, list[str]]:
    """Rows × columns and no names, or layers × rows × columns and the layers' names.

    `.npy` is memory-mapped. An `.npz` or `.safetensors` file with several arrays of one shape is a stack of layers, in
    the order of their names (numbers in names by value: layer.2 before layer.10). `tensors` chooses among the arrays:
    names with * and ?, commas between; only those are read. A `.parquet` file has numbers only.
    """
    path = _existing(path)
    kind = path.suffix.lower()
    if kind in (".npz", ".safetensors"):
        return _stack(path, (_npz if kind == ".npz" else _safetensors)(path, tensors))
    if tensors is not None:
        raise ValueError(f"{path}: --tensors names arrays of .npz and .safetensors files; this file has one.")
    if kind == ".npy":
        with _reading(path):
            return np.load(path, mmap_mode="r"), []
    if kind == ".parquet":
        columns = read_columns(path)
        for name, values in columns.items():
            _refuse_gaps_and_text(path, name, values)
        return np.column_stack(list(columns.values())), []
    how = "; safetensors.torch.save_file writes tensors" if kind in (".pt", ".pth", ".bin") else ""
    raise ValueError(
        f"{path}: activations come as .npy, .npz, .safetensors or .parquet, not {kind or 'without a suffix'}{how}."
    )


def read_label_table(path: str | Path) -> dict[str, Any]:
    """The columns of a CSV or parquet file, as `fit` takes them; a missing value is NaN or None."""
    path = _existing(path)
    if path.suffix.lower() not in (".csv", ".tsv", ".parquet"):
        raise ValueError(f"{path}: labels come as .csv, .tsv or .parquet, not {path.suffix or 'without a suffix'}.")
    return {name: _as_whole_labels(path, name, values) for name, values in read_columns(path).items()}


def _as_whole_labels(path: Path, name: str, values: npt.NDArray[Any]) -> Any:
    """Whole numbers as such, so that a class is called 3 and not 3.0; long ones, which would merge, are refused."""
    if values.dtype.kind != "f" or not np.all(np.isnan(values) | (values == np.rint(values))):
        return values
    long = np.flatnonzero(np.abs(values) >= _LONGEST_WHOLE)
    if long.size:
        raise ValueError(
            f"{path}: column {name!r} has a whole number of more than 15 digits in row {long[0] + 1}; as labels such "
            f"numbers would merge: write a letter before each of them."
        )
    missing = np.isnan(values)
    whole = np.where(missing, 0.0, values).astype(np.int64)
    if not missing.any():
        return whole
    some = whole.astype(object)
    some[missing] = None
    return some


def _existing(path: str | Path) -> Path:
    path = Path(path)
    if not path.is_file():
        raise ValueError(f"{path}: there is no such file.")
    return path


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Whatever goes wrong while a file is read becomes a sentence that names the file."""
    try:
        yield
    except (OSError, EOFError, KeyError) as error:
        raise ValueError(f"{path}: cannot be read: {error}.") from None
    except ValueError as error:
        if "Object arrays" in str(error):
            raise ValueError(f"{path}: holds Python objects, not numbers; save a numeric array.") from None
        if "pickle" in str(error):  # NumPy's guess at bytes it does not know
            raise ValueError(f"{path}: cannot be read: it is not a file of this kind, or it is damaged.") from None
        raise ValueError(f"{path}: cannot be read: {error}.") from None


def _npz(path: Path, tensors: str | None) -> dict[str, Any]:
    with _reading(path):
        file = np.load(path)
        if not hasattr(file, "files"):
            raise ValueError("it holds one array, as an .npy file does: call it .npy")
    with file:
        chosen = _chosen(path, file.files, tensors)
        with _reading(path):
            return {name: file[name] for name in chosen}


def _safetensors(path: Path, tensors: str | None) -> dict[str, Any]:
    from safetensors import SafetensorError, safe_open

    with _reading(path):
        try:
            with safe_open(path, framework="np") as file:
                kinds = {name: file.get_slice(name).get_dtype() for name in file.keys()}  # noqa: SIM118 (no dict)
        except SafetensorError as error:
            raise ValueError(str(error)) from None
    chosen = _chosen(path, list(kinds), tensors)
    with _reading(path), safe_open(path, framework="np") as file:
        try:
            return {name: _bfloat16(path, name) if kinds[name] == "BF16" else file.get_tensor(name) for name in chosen}
        except (AttributeError, TypeError, SafetensorError):  # 8-bit floats, for instance
            lacking = ", ".join(sorted({kinds[name] for name in chosen}))
            raise ValueError(f"NumPy lacks one of its types ({lacking}); save the tensors as float32") from None


def _bfloat16(path: Path, name: str) -> Any:
    """A tensor of bfloat16, which NumPy lacks, as float32: bfloat16 is the upper half of its bits."""
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        entry = json.loads(file.read(length))[name]
    first, last = entry["data_offsets"]
    halves = np.fromfile(path, "<u2", (last - first) // 2, offset=8 + length + first)
    return (halves.astype(np.uint32) << 16).view(np.float32).reshape(entry["shape"])


def _chosen(path: Path, names: list[str], tensors: str | None) -> list[str]:
    """The names that fit one of the patterns; all of them without patterns."""
    if tensors is None:
        return names
    found: dict[str, None] = {}
    for pattern in map(str.strip, tensors.split(",")):
        fitting = [name for name in names if fnmatchcase(name, pattern)]
        if not fitting:
            raise ValueError(f"{path}: no array is called {pattern!r}; they are {', '.join(names[:8])}.")
        found |= dict.fromkeys(fitting)
    return list(found)


def _stack(path: Path, arrays: dict[str, Any]) -> tuple[Any, list[str]]:
    if not arrays:
        raise ValueError(f"{path}: there is no array in it.")
    names = sorted(arrays, key=_by_numbers)
    if len(names) == 1:
        return arrays[names[0]], names if arrays[names[0]].ndim == 2 else []
    shapes = {arrays[name].shape for name in names}
    if len(shapes) > 1 or len(next(iter(shapes))) != 2:
        listed = ", ".join(f"{name} {arrays[name].shape}" for name in names[:4])
        raise ValueError(f"{path}: its arrays differ in shape, so they cannot be layers: {listed}.")
    return np.stack([arrays[name] for name in names]), names


def _by_numbers(name: str) -> list[Any]:
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", name)]


def _refuse_gaps_and_text(path: Path, name: str, values: npt.NDArray[Any]) -> None:
    if values.dtype.kind not in "fb":
        raise ValueError(f"{path}: column {name!r} holds text or gaps, not numbers; activations are numbers.")
    missing = np.flatnonzero(np.isnan(values))
    if missing.size:
        raise ValueError(f"{path}: column {name!r} has no value in row {missing[0] + 1}; fill it or drop the row.")
