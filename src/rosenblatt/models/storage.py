"""Arrays and a little JSON in one file: safetensors with a checksum. A file is complete or absent. Never pickle."""

import hashlib
import json
import os
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.data.files import write_whole

__all__ = ["Damaged", "numbers", "read_arrays", "write_arrays"]


class Damaged(ValueError):
    """A file holds something that cannot have been written by this package."""


def numbers(array: npt.ArrayLike, *shape: int | None, dtype: str = "float64") -> npt.NDArray[Any]:
    """The array, if it has this type and shape (None: any length), because the compiled loops do not check them.

    >>> numbers(np.zeros((2, 3)), None, 3).shape
    (2, 3)
    """
    found = np.asarray(array)
    fits = found.dtype == dtype and found.ndim == len(shape)
    if not fits or any(wanted not in (None, size) for wanted, size in zip(shape, found.shape, strict=True)):
        raise Damaged(f"an array is {found.dtype} of shape {found.shape} and should be {dtype} of shape {shape}")
    return found


def write_arrays(
    path: str | os.PathLike[str], kind: str, arrays: Mapping[str, Any], metadata: Mapping[str, Any]
) -> None:
    """Write a file of the given kind ("trace/1") under a temporary name, and rename it: it is never half written.

    The same content gives the same bytes.
    """
    from safetensors.numpy import save

    plain = {name: np.ascontiguousarray(a) for name, a in arrays.items()}
    described = json.dumps([kind, metadata], sort_keys=True)
    header = {"rosenblatt": f"{_checksum(described, plain)} {described}"}  # one entry: safetensors does not sort them
    write_whole(path, save(plain, metadata=header))


def read_arrays(path: str | os.PathLike[str], kind: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Read (arrays, metadata) back; refuses a file of another kind or version, and a damaged one."""
    from safetensors import SafetensorError, safe_open

    if os.path.isdir(path):
        raise ValueError(f"{path} is a folder, not a rosenblatt file.")
    try:
        with safe_open(os.fspath(path), framework="numpy") as file:
            header = file.metadata() or {}
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (no iterator of its own)
    except (SafetensorError, TypeError, ValueError, AttributeError):  # AttributeError: a type that NumPy does not have
        # what safetensors says may quote the whole header
        raise ValueError(f"{path} is not a rosenblatt file, or it is damaged.") from None
    checksum, _, described = header.get("rosenblatt", "").partition(" ")
    found, metadata = _description(described)
    if found != kind:
        raise ValueError(f"{path} holds {found}, not {kind}.")
    if checksum != _checksum(described, arrays):
        raise ValueError(f"{path} is damaged: its content is not what was written.")
    return arrays, metadata


def _description(text: str) -> tuple[str, dict[str, Any]]:
    """The kind of a file, and the JSON that came with its arrays."""
    try:
        kind, metadata = json.loads(text)
        return str(kind), dict(metadata)
    except (TypeError, ValueError, RecursionError):
        return "something else", {}


def _checksum(described: str, arrays: Mapping[str, Any]) -> str:
    """SHA-256 of all that is in the file."""
    found = hashlib.sha256(described.encode())
    for name, array in sorted(arrays.items()):
        found.update(f"{name} {array.dtype.str} {array.shape}".encode())
        found.update(array.reshape(-1).view(np.uint8).data)
    return found.hexdigest()
