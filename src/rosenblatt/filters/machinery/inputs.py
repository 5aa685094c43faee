"""Signals as they come in: their dtype, their checks, and the delay line that makes regressors of them."""

from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arguments import checked

__all__ = ["Diverged", "as_numbers", "delay_line", "refuse_nonfinite", "taps_fit", "zeros"]


def as_numbers(values: npt.ArrayLike, name: str) -> npt.NDArray[Any]:
    """An array of float32, float64, complex64 or complex128; anything but numbers is refused. Masked values are NaN."""
    if isinstance(values, np.ma.MaskedArray):
        values = np.ma.filled(values.astype(np.result_type(values, np.float32)), np.nan)
    array = np.asarray(values)
    if array.dtype.kind not in "biufc":
        raise TypeError(
            f"{name} must hold numbers; it holds {array.dtype.name if array.dtype != object else 'objects'}."
        )
    if array.dtype.kind == "c":
        return array.astype(np.complex64 if array.dtype == np.complex64 else np.complex128, copy=False)
    return array.astype(np.float32 if array.dtype in (np.float16, np.float32) else np.float64, copy=False)


def refuse_nonfinite(array: npt.NDArray[Any], name: str) -> None:
    """Name the first NaN or infinite value."""
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(array.sum()):  # the usual case, in one pass
            return
    finite = np.isfinite(array)
    if finite.all():
        return
    place = np.argwhere(~finite)[0]
    what = "NaN" if np.isnan(array[tuple(place)]) else "an infinite value"
    column = f", column {place[1]}" if array.ndim == 2 else ""
    raise ValueError(
        f"{name} has {what} at sample {place[0]}{column}; a filter would carry it on for ever: "
        f"replace it, for example by 0 or by interpolation."
    )


class Diverged(OverflowError, ValueError):
    """Weights left the range of float64: the step is too large for the input, or the input too large."""


def zeros(shape: tuple[int, ...], dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """An array of zeros; refused where it would not fit into memory."""
    try:
        return np.zeros(shape, dtype=dtype)
    except (MemoryError, ValueError):  # the second: more than an address can name
        size = " × ".join(f"{one:,}" for one in shape)
        raise ValueError(f"{size} numbers need more memory than there is: take fewer taps.") from None


def taps_fit(taps: int, n: int, name: str = "u") -> None:
    """Refuse a filter longer than the whole signal."""
    if taps < 1:
        raise ValueError(f"taps must be at least 1; it is {taps}.")
    if taps > n:
        raise ValueError(f"taps={taps} is more than the {n} samples of {name}: take fewer taps or a longer signal.")


@checked
def delay_line(u: Any, taps: int, before: Any = None) -> npt.NDArray[Any]:
    """The regressors x(n) = (u(n), u(n−1), …, u(n−taps+1)) of a signal, one in each row.

    Parameters
    ----------
    u : array of n samples, or n × c for c channels
        The signal. Several channels follow each other in a row: all taps of the first, then of the second, …
    taps : int
        Present and past values of each channel.
    before : array of samples, optional
        What came before u (only the last taps − 1 count); zeros where it is missing.

    Returns
    -------
    X : array of shape (n, taps · c)
        With one channel a read-only view that takes no memory of its own.

    Examples
    --------
    >>> from rosenblatt.filters import delay_line
    >>> delay_line([1, 2, 3], taps=2)
    array([[1., 0.],
           [2., 1.],
           [3., 2.]])
    >>> delay_line([[1, 10], [2, 20]], taps=2, before=[[0, 9]])
    array([[ 1.,  0., 10.,  9.],
           [ 2.,  1., 20., 10.]])
    """
    u = as_numbers(u, "u")
    if u.ndim not in (1, 2):
        raise ValueError(f"u must be a signal (1-D) or channels side by side (2-D); it has {u.ndim} dimensions.")
    if not 1 <= taps <= 2**24:
        raise ValueError(f"taps must be at least 1 and at most 2^24; it is {taps}.")
    long = _with_past(u, taps - 1, before)
    windows = np.lib.stride_tricks.sliding_window_view(long, taps, axis=0)[..., ::-1]
    return windows if u.ndim == 1 else windows.reshape(len(u), -1)


def _with_past(u: npt.NDArray[Any], length: int, before: npt.ArrayLike | None) -> npt.NDArray[Any]:
    """`length` earlier samples, zeros where there are none, then u."""
    earlier = np.zeros((0, *u.shape[1:])) if before is None else as_numbers(before, "before")
    if earlier.shape[1:] != u.shape[1:]:
        raise ValueError(f"before has the shape {earlier.shape}, which does not continue into u, {u.shape}.")
    earlier = earlier[len(earlier) - min(length, len(earlier)) :]
    zeros = np.zeros((length - len(earlier), *u.shape[1:]))
    return np.concatenate([zeros, earlier, u]).astype(np.result_type(u, earlier) if before is not None else u.dtype)
