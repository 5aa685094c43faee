"""Every Numba switch in one place.

`kernel` compiles a function on its first call, releases the GIL, and keeps the machine code on disk. No fast-math: it
would change bits from one CPU to the next. `error_model="numpy"` drops the check for division by zero in hot loops.
`_nrt=False` compiles without reference counting: the counters' atomic increments, once a row for every array, cost more
than the row, and threads would fight over them. The price: a kernel allocates nothing, and returns no array.

Numba decides staleness by the kernel's own file alone, so every file in this folder is self-contained: a compiled
function never calls one that lives in another file.
"""

from collections.abc import Callable
from typing import Any

import numba

__all__ = ["INLINE", "kernel", "kernel_inlined", "kernel_with_blas"]

# For small functions called once a row: a call that LLVM leaves standing costs ten times the row itself.
INLINE: Any = {"forceinline": True, "error_model": "numpy", "_nrt": False}


def _compile(function: Callable[..., Any], **switches: Any) -> Any:
    switches = {"nogil": True, "error_model": "numpy", "_nrt": False} | switches
    njit: Any = numba.njit  # its stubs do not know _nrt
    try:
        compiled = njit(cache=True, **switches)(function)
    except (RuntimeError, OSError):  # no writable cache folder: compile in every process instead
        return njit(**switches)(function)
    _rebuild_damaged(compiled._cache)
    return compiled


def _rebuild_damaged(cache: Any) -> None:
    """Compile again where the files of the cache cannot be read, cut short by a full disk, say; Numba would fail."""
    load = cache.load_overload

    def load_or_forget(*arguments: Any) -> Any:
        try:
            return load(*arguments)
        except Exception:  # unpickling a damaged file may raise anything
            cache.flush()
            return None

    cache.load_overload = load_or_forget


def kernel(function: Callable[..., Any]) -> Any:
    """Compile `function` lazily; cache it on disk where a folder for that can be written."""
    return _compile(function)


def kernel_inlined(function: Callable[..., Any]) -> Any:
    """The same for a small function that is called once a row."""
    return _compile(function, forceinline=True)


def kernel_with_blas(function: Callable[..., Any]) -> Any:
    """The same for a function that calls np.dot, where Numba counts references: once a block, which is no matter."""
    return _compile(function, _nrt=True)
