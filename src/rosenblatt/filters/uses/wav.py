"""Sound in WAV files, a piece at a time: 8, 16, 24 and 32 bits, float32 and float64, read in constant memory."""

import os
import struct
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from rosenblatt.data.files import Replacement

__all__ = ["WavReader", "WavWriter"]

_PCM, _FLOAT, _EXTENSIBLE = 1, 3, 0xFFFE
_FULL = 0xFFFFFFFF  # a length of this is not known, or too long for 32 bits: whatever the file has
# fmt: off
_SPEAKERS = (  # by the bits of a channel mask: front left, front right, front center, subwoofer, back left, …
    "FL", "FR", "FC", "LFE", "BL", "BR", "FLC", "FRC", "BC", "SL", "SR", "TC", "TFL", "TFC", "TFR", "TBL", "TBC", "TBR",
)
# fmt: on


class WavReader:
    """The samples of a WAV file, as parts of full scale, between −1 and 1.

    `names` are the channels': "left" and "right" of two; of more, the loudspeakers if the file names them (FL, FR, FC,
    LFE, BL, …), else numbers from 0.

    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with WavWriter(pathlib.Path(folder) / "a.wav", 8000) as writer:
    ...         writer.write(np.array([0.0, 0.5]))
    ...     reader = WavReader(pathlib.Path(folder) / "a.wav")
    ...     (reader.rate, reader.channels, len(reader), reader.read(0, 2).tolist())
    (8000, 1, 2, [[0.0], [0.5]])
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        if not Path(path).is_file():
            raise ValueError(f"{path}: there is no such file.")
        with open(path, "rb") as file:
            try:
                self._look(file)
            except (struct.error, EOFError, ValueError) as error:
                raise ValueError(f"{path}: cannot be read as sound ({error or 'it ends too early'}).") from None

    def __len__(self) -> int:
        return int(self._frames)

    def read(self, start: int, stop: int) -> npt.NDArray[Any]:
        """Samples start..stop, a channel in each column; refuses a value that is not finite, and says where it is."""
        with open(self.path, "rb") as file:
            file.seek(self._begin + start * self._width)
            raw = file.read((min(stop, self._frames) - start) * self._width)
        values = self._numbers(raw).reshape(-1, self.channels)
        if not np.isfinite(values).all():
            row, column = np.argwhere(~np.isfinite(values))[0]
            raise ValueError(
                f"{self.path}: sample {start + row} of channel {column} is not finite; a filter would carry it on for "
                f"ever: fill it in first."
            )
        return values

    def _look(self, file: BinaryIO) -> None:
        """Find the format and the samples among the chunks."""
        kind, _, wave = struct.unpack("<4sI4s", file.read(12))
        if kind not in (b"RIFF", b"RF64") or wave != b"WAVE":
            raise ValueError("it does not begin with RIFF and WAVE")
        code, self.rate, size, end, mask = 0, 0, 0, os.fstat(file.fileno()).st_size, 0
        while True:
            name, size = struct.unpack("<4sI", file.read(8))
            if name == b"data":
                break
            content = file.read(min(size, end) + size % 2)
            if name == b"fmt ":
                code, self.channels, self.rate, _, self._width, self._bits = struct.unpack("<HHIIHH", content[:16])
                if code == _EXTENSIBLE:
                    mask, code = struct.unpack("<IH", content[20:26])
        self._float, self._begin = code == _FLOAT, file.tell()
        allowed = {_PCM: (8, 16, 24, 32), _FLOAT: (32, 64)}.get(code, ())
        if self._bits not in allowed or not self.channels or self._width * 8 != self.channels * self._bits:
            raise ValueError(f"format {code} with {self._bits} bits is none of 8 to 32 bits and float")
        self._frames = min(end - self._begin, end if size == _FULL else size) // self._width
        self.top = 1 - 2.0 ** (1 - min(self._bits, 16))  # the largest sample of 8 or of 16 bits; longer ones hold 16
        self.names = _channel_names(self.channels, mask)

    def _numbers(self, raw: bytes) -> npt.NDArray[Any]:
        if self._float:
            return np.frombuffer(raw, dtype=f"<f{self._bits // 8}").astype(f"f{self._bits // 8}")
        if self._bits == 8:
            return (np.frombuffer(raw, dtype=np.uint8).astype(np.float32) - 128) / 128
        if self._bits == 16:
            return np.frombuffer(raw, dtype="<i2").astype(np.float32) / 2**15
        if self._bits == 24:
            padded = np.zeros((len(raw) // 3, 4), dtype=np.uint8)
            padded[:, 1:] = np.frombuffer(raw, dtype=np.uint8).reshape(-1, 3)
            return padded.view("<i4")[:, 0] / 2.0**31
        return np.frombuffer(raw, dtype="<i4") / 2.0**31


def _channel_names(channels: int, mask: int) -> list[str]:
    """What the channels are called."""
    named = [name for bit, name in enumerate(_SPEAKERS) if mask >> bit & 1]
    if channels == 2:
        return ["left", "right"]
    return named if len(named) == channels > 2 else [str(k) for k in range(channels)]


class WavWriter:
    """A WAV file of one channel as 32-bit floats, which do not clip. It appears under its name when it is complete."""

    def __init__(self, path: str | os.PathLike[str], rate: float) -> None:
        self._replacement, self.rate, self._bytes = Replacement(path), round(rate), 0

    def __enter__(self) -> "WavWriter":
        self._file = open(self._replacement.__enter__(), "wb")
        self._file.write(self._header())
        return self

    def write(self, samples: npt.NDArray[Any]) -> None:
        """Add samples."""
        self._file.write(samples.astype("<f4").tobytes())
        self._bytes += 4 * len(samples)

    def __exit__(self, kind: type[BaseException] | None, error: object, traceback: TracebackType | None) -> None:
        self._file.seek(0)
        self._file.write(self._header())
        self._file.close()
        self._replacement.__exit__(kind, error, traceback)

    def _header(self) -> bytes:
        form = struct.pack("<4sIHHIIHH", b"fmt ", 16, _FLOAT, 1, self.rate, 4 * self.rate, 4, 32)
        size = self._bytes if self._bytes < _FULL - 64 else _FULL  # too long for 32 bits: readers take what there is
        return (
            struct.pack("<4sI4s", b"RIFF", min(36 + size, _FULL), b"WAVE") + form + struct.pack("<4sI", b"data", size)
        )
