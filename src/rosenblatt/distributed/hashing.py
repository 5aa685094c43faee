"""The certificate's hash of data that are never in one place: its state, a few bytes, travels from shard to shard.

SHA-256 is sequential by design, so this is the one step of a verdict that more workers do not shorten. It runs beside
the search.
"""

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from distributed import Future
from rosenblatt.data.rows import pieces
from rosenblatt.distributed.cluster import gathered
from rosenblatt.distributed.shards import Shards
from rosenblatt.verdicts.holding import as_csr
from rosenblatt.verdicts.points import Points

__all__ = ["HashState", "begin_digest", "fastest", "finish_digest", "own_compress"]


class HashState(NamedTuple):
    """SHA-256's eight words, the bytes that wait for a whole block, and the bytes taken in; of CSR also the values."""

    words: npt.NDArray[np.uint32]
    waiting: bytes = b""
    length: int = 0
    values: int = 0

    def update(self, some: Any) -> "HashState":
        """Take in an array's bytes."""
        data = np.ascontiguousarray(some).view(np.uint8).ravel()
        words, compress = self.words.copy(), fastest()
        needed = (64 - len(self.waiting)) % 64 if self.waiting else 0
        head, rest = data[:needed], data[needed:]
        waiting = self.waiting + head.tobytes()
        if len(waiting) == 64:
            compress(words, np.frombuffer(waiting, dtype=np.uint8))
            waiting = b""
        whole = rest.size - rest.size % 64
        for at in range(0, whole, 1 << 22):  # a compiled call lasts a few hundredths of a second
            compress(words, rest[at : min(whole, at + (1 << 22))])
        return HashState(words, waiting + rest[whole:].tobytes(), self.length + data.size, self.values)

    def digest(self) -> str:
        """The hexadecimal digest."""
        n = self.length
        end = b"\x80" + b"\0" * ((55 - n) % 64) + (8 * n).to_bytes(8, "big")
        return str(self.update(np.frombuffer(end, dtype=np.uint8)).words.astype(">u4").tobytes().hex())


@cache
def fastest() -> Callable[[Any, Any], None]:
    """A function that takes whole blocks into the words: OpenSSL's, which Python's hashes use, or else the kernel."""
    from rosenblatt.kernels.sha256 import START

    try:
        import _hashlib

        update = ctypes.CDLL(_hashlib.__file__).SHA256_Update
    except (ImportError, OSError, AttributeError):
        return own_compress

    def compress(words: Any, data: Any) -> None:
        # OpenSSL's SHA256_CTX: the words, then 20 numbers about bytes that wait; none wait here, so they are 0
        context = (ctypes.c_uint32 * 28)(*words.tolist())
        update(ctypes.byref(context), ctypes.c_void_p(data.ctypes.data), ctypes.c_size_t(data.size))
        words[:] = context[:8]

    blocks, ours, theirs = np.arange(192, dtype=np.uint8), START.copy(), START.copy()
    own_compress(ours, blocks)
    compress(theirs, blocks)
    return compress if np.array_equal(ours, theirs) else own_compress


def own_compress(words: Any, data: Any) -> None:
    """Take whole blocks into the words, by the compiled kernel."""
    from rosenblatt.kernels.sha256 import compress

    compress(words, data, np.empty(64, dtype=np.uint32))


def begin_digest(shards: Shards, layout: str) -> Future:
    """Start the chain: X by its sections, each from the first shard to the last, then y."""
    from rosenblatt.kernels.sha256 import START

    sections = ("dense", "labels") if layout == "dense" else ("indptr", "indices", "data", "labels")
    state: Any = HashState(START.copy())
    for section in sections:
        for at, future in enumerate(shards.futures):
            state = shards.client.submit(_take_in, future, state, section, at == 0, pure=False)
    return state


def finish_digest(state: Any) -> str:
    """Wait for the end of the chain."""
    if isinstance(state, Future):
        state = gathered(state.client, [state], "hashing the data", "task")[0]
    return str(state.digest())


def _take_in(points: Points, state: HashState, section: str, first: bool) -> HashState:
    """One section of a shard as the certificate's `data_sha256` has it; −0.0 + 0.0 is 0.0."""
    rows = points.rows
    if section == "labels":
        return state.update(points.y.astype(np.int8))
    if section == "dense":
        for start, stop in pieces(rows.n, rows.p):
            block = rows.take(np.arange(start, stop)) if rows.sparse else rows.kernel.X[start:stop]
            state = state.update(block.astype("<f8") + 0.0)
        return state
    csr = as_csr(rows).kernel
    if section == "indptr":
        ends = csr.indptr[0 if first else 1 :].astype("<i8") + state.values
        return state.update(ends)._replace(values=int(ends[-1]))
    return state.update(csr.indices.astype("<i8") if section == "indices" else csr.data.astype("<f8") + 0.0)
