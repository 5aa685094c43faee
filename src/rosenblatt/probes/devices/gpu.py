"""The blocked perceptron on a GPU: products by cuBLAS, the recurrence by Triton, a pass as one CUDA graph.

float32 without TF32. Weights and labels stay on the device. The graph works on a slab of rows that is filled before
it is replayed: from the device where X fits there, else from the host, while the slab before is at work.

With a CPU as device (Triton's interpreter) the same code runs without graphs and streams; the tests do that.
"""

import ctypes
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import Floats, Places, Signs
from rosenblatt.probes.devices.arrays import RowSource
from rosenblatt.probes.devices.training import Deal, Tick, Trained, run

if TYPE_CHECKING:
    import torch

__all__ = ["Tuning", "available", "missing", "train"]

_BLOCKS = 256  # a graph's blocks at most
_FEW = 128  # columns whose weights fit in registers
_SHARE = 0.85  # of the free memory to be used


class Tuning(NamedTuple):
    """Settings that change the speed, and the results by rounding alone."""

    rows: int = 128  # R of a block, a multiple of `sub`
    sub: int = 16  # rows of a block whose responses a thread keeps in registers
    warps: int = 4  # a program has 32 × warps probes
    group: int = 0  # probes whose products are made together; 0: all
    streams: int = 1  # groups at work at the same time
    parts: int = 0  # 1: the corrections' product on tensor cores, X in three parts of bfloat16 (as exact as float32)
    whole: int = 0  # probes a program that keeps all their weights in registers, for few columns; 0: by blocks
    registers: int = 255  # of a thread of such a program
    together: int = 16  # blocks whose corrections enter the average's sums together: the sums are large


def missing() -> str:
    """Why there is no GPU to use, in words; empty if there is one."""
    try:
        import torch
        import triton  # noqa: F401
    except ImportError as error:
        return f"{error.name} is not installed (pip install 'rosenblatt[gpu]')"
    return "" if torch.cuda.is_available() else "torch sees no CUDA device"


def available() -> bool:
    """Whether probes can be trained on a GPU here. Without a driver, torch, which is slow to load, is not asked."""
    if "torch" not in sys.modules:
        try:
            ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")
        except OSError:
            return False
    return not missing()


def train(
    X: RowSource,
    Y: Signs,
    passes: int,
    deal: Deal | None = None,
    average: bool = False,
    tick: Tick | None = None,
    *,
    device: str = "cuda",
    tuning: Tuning | None = None,
    resident: bool | None = None,
) -> Trained:
    """Train one probe for each column of Y (−1, +1, 0 for no label) on the rows of X.

    `deal` gives the rows of a pass in their order (None: in turn). `resident` says whether X is kept on the device;
    None decides by the memory that is free. Probes too many for the memory are trained in portions.
    """
    import torch

    tuning = tuning or _tuned(X.shape[1], average)
    place = torch.device(device)
    n, p = X.shape
    # Bytes that a probe needs: its labels (one a row), its weights and sums in float32, its responses in a block.
    each = n + 4 * p * (1 + average) + (12 + 4 * tuning.together * average) * tuning.rows + 64
    free = torch.cuda.mem_get_info(place)[0] * _SHARE if place.type == "cuda" else np.inf
    # X stays on the device where it fits beside 4,096 probes: to fetch it for every pass takes longer than the pass.
    if resident is None:
        resident = 8 * n * p + min(Y.shape[1], 4096) * each <= free
    room = max(free - 8 * p * (n if resident else 2 * _BLOCKS * tuning.rows), free / 10)
    # Twice the memory: when finished probes leave, the others are copied.
    portion = int(min(Y.shape[1], max(1, room // (2 * each))))
    with _full_precision(torch), torch.inference_mode():
        source, parts = _Source(torch, X, place, resident, tuning.rows), []
        for first in range(0, Y.shape[1], portion):
            labels = Y[:, first : first + portion]
            team = _DeviceTeam.start(source, labels, average, tuning, deal is None)
            parts.append(run(team, labels.shape[1], p + 1, passes, deal, average, tick))
    return Trained.join(parts)


def _tuned(p: int, average: bool) -> Tuning:
    """What was fastest on an H200: weights in registers where they fit, then small blocks, and large ones at last."""
    if p <= _FEW and not average:
        return Tuning(whole=32)
    return Tuning(rows=64, parts=1) if p < 1024 else Tuning(256, 16, 2, 8192, 2, 1)


@contextmanager
def _full_precision(torch: ModuleType) -> Iterator[None]:
    """Products of float32 in float32, whatever the process does otherwise."""
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("highest")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)


class _Source:
    """Where rows come from, slab after slab: a copy on the device, or the host's array through pinned memory."""

    def __init__(self, torch: ModuleType, X: RowSource, place: "torch.device", resident: bool, R: int) -> None:
        self.torch, self.place = torch, place
        self.n, self.p = map(int, X.shape)
        self.blocks = min(_BLOCKS, -(-self.n // R))
        self.slab_rows = self.blocks * R
        self.slab = torch.zeros((self.slab_rows, self.p), device=place)
        self.X = self._to_device(X) if resident else X
        self.resident = resident
        self._filled: int | None = None
        if not resident:
            # Two of each: one slab is gathered and copied while the device works on the other.
            pinned = place.type == "cuda"
            self._lanes = [torch.empty((self.slab_rows, self.p), pin_memory=pinned) for _ in range(2)]
            self._stages = [torch.empty_like(self.slab) for _ in range(2)]
            self._events = [torch.cuda.Event() for _ in range(2)] if pinned else []
            self._copies = torch.cuda.Stream(place) if pinned else None

    def fill(self, rows: Places | None, first: int, turn: int) -> None:
        """Put rows first..first + slab_rows of a pass in the slab; in turn where `rows` is None."""
        last = min(self.n, first + self.slab_rows)
        # All rows fit into one slab, and it holds them already.
        if rows is None and self._filled == first:
            return
        self._filled = first if rows is None else None
        if not self.resident:
            self._fill_from_host(slice(first, last) if rows is None else rows[first:last], last - first, turn % 2)
        elif rows is None:
            self.slab[: last - first].copy_(self.X[first:last])
        else:
            wanted = self.torch.from_numpy(rows[first:last]).to(self.place)
            self.torch.index_select(self.X, 0, wanted, out=self.slab[: last - first])

    def _fill_from_host(self, rows: Places | slice, count: int, lane: int) -> None:
        """Gather on the host and copy, while the device is at work on the slab before."""
        pinned, stage = self._lanes[lane], self._stages[lane]
        if self._copies is None:
            self.slab[:count] = self._host_rows(rows)
            return
        # Wait until the device has read what this lane held before.
        self._events[lane].synchronize()
        pinned[:count] = self._host_rows(rows)
        # A stream of its own: the copy goes on beside the work on the slab before.
        with self.torch.cuda.stream(self._copies):
            stage[:count].copy_(pinned[:count], non_blocking=True)
        main = self.torch.cuda.current_stream()
        main.wait_stream(self._copies)
        self.slab[:count].copy_(stage[:count])
        self._events[lane].record(main)

    def _host_rows(self, rows: Places | slice) -> Any:
        if isinstance(self.X, self.torch.Tensor):
            return self.X[rows if isinstance(rows, slice) else self.torch.from_numpy(rows)]
        return self.torch.from_numpy(np.asarray(self.X[rows], dtype=np.float32))

    def _to_device(self, X: RowSource) -> Any:
        if isinstance(X, self.torch.Tensor):
            return X.to(self.place, self.torch.float32)
        Xd = self.torch.empty((self.n, self.p), device=self.place)
        for first in range(0, self.n, self.slab_rows):  # in pieces: a memory map need not fit in memory
            piece = np.array(X[first : first + self.slab_rows], dtype=np.float32)
            Xd[first : first + len(piece)].copy_(self.torch.from_numpy(piece))
        return Xd


class _DeviceTeam:
    """The probes at work: columns of W, b, Y, and of the average's sums; a slab is one replay of a graph."""

    def __init__(self, source: _Source, tuning: Tuning, in_turn: bool, *learned: "torch.Tensor") -> None:
        self.torch, self.source, self.tuning = source.torch, source, tuning
        self.in_turn = in_turn  # every pass shows the rows as they lie
        self._labelled: int | None = None
        self.W, self.b, self.Y, self.A, self.a = learned
        torch, R, place, B = self.torch, tuning.rows, self.W.device, self.W.shape[1]
        group = tuning.group or B
        self.groups = [slice(first, min(B, first + group)) for first in range(0, B, group)]
        self.mistakes = torch.zeros(B, dtype=torch.int32, device=place)
        # Where the host reads them. Pinned: other memory is reached through a buffer of the driver, which takes longer.
        self._counts = torch.zeros(B, dtype=torch.int32, pin_memory=place.type == "cuda")
        # Two places more than rows: the kernel that keeps weights in registers asks for labels one step ahead.
        self._places = torch.full((source.slab_rows + 2,), source.n, dtype=torch.int32, device=place)
        self.rows = self._places[:-2].view(source.blocks, R)
        # How many rows the slab holds, made even: the same kernel takes two at a time.
        self.shown = torch.zeros(1, dtype=torch.int32, device=place)
        self.times = torch.zeros((source.blocks, R, 1), device=place)
        self.G = torch.empty((source.blocks, R, R), device=place)
        self.together = min(tuning.together, source.blocks) if len(self.A) else 1
        self.S = [torch.empty((self.together, R, cut.stop - cut.start), device=place) for cut in self.groups]
        parts = (3, *source.slab.shape) if tuning.parts else (0,)
        self.parts = torch.zeros(parts, dtype=torch.bfloat16, device=place)
        # Not with an average: its sums need the corrections of whole blocks, and that kernel keeps none.
        self.whole = bool(tuning.whole) and source.p <= _FEW and not len(self.A)
        self.graph = self._capture() if place.type == "cuda" else None

    @classmethod
    def start(cls, source: _Source, Y: Signs, average: bool, tuning: Tuning, in_turn: bool) -> "_DeviceTeam":
        """All probes with zero weights."""
        torch, p, B = source.torch, source.p, Y.shape[1]
        # Three rows without labels at the end: row n stands for none, and labels are asked for two rows ahead.
        labels = torch.zeros((len(Y) + 3, B), dtype=torch.int8, device=source.place)
        labels[:-3].copy_(torch.from_numpy(np.ascontiguousarray(Y)))
        shapes = ((p, B), (B,), (p if average else 0, B), (B,))
        W, b, A, a = (torch.zeros(shape, device=source.place) for shape in shapes)
        return cls(source, tuning, in_turn, W, b, labels, A, a)

    def sweep(self, number: int, rows: Places | None) -> npt.NDArray[np.int32]:
        """Make a pass, slab after slab."""
        source, n = self.source, self.source.n
        self.mistakes.zero_()
        for turn, first in enumerate(range(0, n, source.slab_rows)):
            source.fill(rows, first, turn)
            self._label(np.arange(n) if rows is None else rows, first, number * n)
            # A graph starts all kernels of a slab by itself; one by one they would wait for the interpreter.
            self.graph.replay() if self.graph else self._slab()
        self._counts.copy_(self.mistakes)
        return np.array(self._counts.numpy())

    def dismiss(self, columns: Places) -> None:
        """Strike out the labels of these columns: without labels nothing is corrected any more."""
        # The columns stay, as moving the others costs more: `run` does that when enough probes have finished.
        if columns.size:
            self.Y.index_fill_(1, self.torch.from_numpy(columns).to(self.Y.device), 0)

    def keep(self, columns: Places) -> "_DeviceTeam":
        """A team of these columns."""
        kept = self.torch.from_numpy(columns).to(self.W.device)
        parts = (part.index_select(part.ndim - 1, kept) for part in (self.W, self.b, self.Y, self.A, self.a))
        return _DeviceTeam(self.source, self.tuning, self.in_turn, *parts)

    def fetch(self, weights: Floats, sums: Floats, index: Places) -> None:
        """Copy what was learned to the host."""
        # Nearly always these are all columns, and a slice is many times as fast as their numbers.
        columns = slice(None) if index.size == weights.shape[1] else index
        weights[:-1, columns], weights[-1, columns] = self.W.cpu().numpy(), self.b.cpu().numpy()
        if len(sums):
            sums[:-1, columns], sums[-1, columns] = self.A.cpu().numpy(), self.a.cpu().numpy()

    def _label(self, rows: Places, first: int, t: int) -> None:
        """Set which rows of Y the slab holds (row n, without labels, where it is not full), and when they are shown."""
        # All rows fit into one slab, which has them already; an average needs new times in every pass.
        if self.in_turn and self._labelled == first and not len(self.A):
            return
        self._labelled = first
        some = np.full(self.rows.numel(), self.source.n, dtype=np.int32)
        shown = rows[first : first + some.size]
        some[: shown.size] = shown
        self.rows.copy_(self.torch.from_numpy(some).view(self.rows.shape))
        self.shown.fill_(shown.size + shown.size % 2)
        if len(self.A):
            times = np.arange(t + first, t + first + some.size, dtype=np.float32)
            self.times.copy_(self.torch.from_numpy(times).view(self.times.shape))

    def _capture(self) -> Any:
        """Record the work on a slab. Its first block runs beforehand, without labels: everything is compiled then."""
        torch = self.torch
        # A graph cannot record a compilation. Without labels nothing is corrected, so this run leaves no trace.
        warm_up = torch.cuda.Stream()
        warm_up.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(warm_up):
            self._gram()
            for number in range(len(self.groups)):
                self._block(number, 0)
            if self.whole:
                self._sweep()
        torch.cuda.current_stream().wait_stream(warm_up)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            self._slab()
        return graph

    def _slab(self) -> None:
        """All blocks of the slab for all groups of probes.

        Blocks of one group must follow each other. Groups are independent: on several streams one of them uses the
        device while another waits.
        """
        if self.whole:
            self._sweep()
            return
        self._gram()
        if self.tuning.streams == 1 or self.W.device.type != "cuda":
            for number in range(len(self.groups)):
                for k in range(self.source.blocks):
                    self._block(number, k)
            return
        cuda = self.torch.cuda
        main, streams = cuda.current_stream(), [cuda.Stream() for _ in range(self.tuning.streams)]
        for stream in streams:
            stream.wait_stream(main)
        for number in range(len(self.groups)):
            with cuda.stream(streams[number % len(streams)]):
                for k in range(self.source.blocks):
                    self._block(number, k)
        for stream in streams:
            main.wait_stream(stream)

    def _sweep(self) -> None:
        """The whole slab in one kernel."""
        from rosenblatt.probes.devices.recurrence import sweep

        X, (p, width), T = self.source.slab, self.W.shape, self.tuning.whole
        # The kernel takes two rows at a time. Their product says how a correction on the first changes the response of
        # the second, so both responses can be computed at once. One number more is read than used.
        pairs = self.torch.zeros(len(X) // 2 + 1, device=X.device)
        self.torch.sum(X[0::2] * X[1::2], 1, out=pairs[:-1])
        pairs += 1.0
        arrays = (X, pairs, self.Y, self._places, self.shown, self.W, self.b, self.mistakes)
        sizes = {"p": p, "P": max(16, 1 << (p - 1).bit_length()), "T": T, "FULL": width % T == 0}
        how = {"IN_TURN": self.in_turn, "num_warps": 1, "maxnreg": self.tuning.registers}
        sweep[(-(-width // T),)](*arrays, width, **sizes, **how)

    def _gram(self) -> None:
        """Products of all pairs of rows of a block, and the rows in bfloat16 parts."""
        # What a correction on one row adds to the responses of later rows of its block; 1 is the bias.
        blocks = self.source.slab.view(self.source.blocks, self.tuning.rows, self.source.p)
        self.torch.bmm(blocks, blocks.transpose(1, 2), out=self.G)
        self.G.add_(1.0)
        # Three bfloat16 numbers hold the 24 bits of a float32, and the device multiplies them many times as fast.
        rest = self.source.slab
        for part in self.parts:
            part.copy_(rest)
            rest = rest - part

    def _block(self, number: int, k: int) -> None:
        """Block k of the slab for one group: S = X_b·W, the recurrence, W += X_bᵀ·C."""
        cut, R, place = self.groups[number], self.tuning.rows, k % self.together
        C = self.S[number][place]
        self.torch.mm(self.source.slab[k * R : (k + 1) * R], self.W[:, cut], out=C)
        self._recur(cut, C, k)
        self._correct(cut, C, k)
        if len(self.A) and (place + 1 == self.together or k + 1 == self.source.blocks):
            self._average(number, k - place, k + 1)

    def _average(self, number: int, first: int, last: int) -> None:
        """Corrections of these blocks, each times when it was made, into the average's sums."""
        # Not block by block: the sums are as large as the weights, and would be read and written each time.
        cut, R = self.groups[number], self.tuning.rows
        C = self.S[number][: last - first].mul_(self.times[first:last]).flatten(0, 1)
        self.A[:, cut].addmm_(self.source.slab[first * R : last * R].T, C)
        self.a[cut].add_(C.sum(0))

    def _correct(self, cut: slice, C: "torch.Tensor", k: int) -> None:
        """W += X_bᵀ·C."""
        R, p, width = self.tuning.rows, self.source.p, C.shape[1]
        W = self.W[:, cut]
        if not self.tuning.parts:
            W.addmm_(self.source.slab[k * R : (k + 1) * R].T, C)
            return
        import triton.language as tl

        from rosenblatt.probes.devices.recurrence import correct

        P, T, X = 128, 64, self.parts[:, k * R : (k + 1) * R]
        # The interpreter cannot multiply bfloat16.
        how = {"R": R, "K": min(R, 32), "P": P, "T": T, "KIND": tl.bfloat16 if W.is_cuda else tl.float32}
        correct[(-(-width // T), -(-p // P))](
            W, X, C, width, W.stride(0), X.stride(0), p, **how, num_warps=4, num_stages=2
        )

    def _recur(self, cut: slice, S: "torch.Tensor", k: int) -> None:
        from rosenblatt.probes.devices.recurrence import LANES_PER_WARP, recur

        tuning, width = self.tuning, S.shape[1]
        T = LANES_PER_WARP * tuning.warps
        arrays = (S, self.G[k], self.Y[:, cut], self.rows[k], self.b[cut], self.mistakes[cut])
        # Fused or not, the products are exact: they are with −1, 0, 1.
        how = {"R": tuning.rows, "SUB": tuning.sub, "T": T, "num_warps": tuning.warps, "enable_fp_fusion": True}
        recur[(-(-width // T),)](*arrays, width, S.stride(0), self.Y.stride(0), **how)
