"""Every Numba switch in one place.

`kernel` compiles a function on its first call, releases the GIL, and keeps the machine code on disk. No fast-math: it
would change bits from one CPU to the next. `error_model="numpy"` drops the check for division by zero in hot loops.
`_nrt=False` compiles without reference counting: the atomic counters, raised once a row for every array, would cost
more than the row, and threads would wait for each other. The price: a kernel allocates nothing, and returns no array.

Machine code on disk is used again only if no source file of this folder has changed. (Numba itself looks only at the
kernel's own file. It would not see a change in another file, in a function that the kernel calls.)
"""

import hashlib
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from importlib.resources import files
from typing import Any

import numba
from numba import types
from numba.core import event
from numba.core.caching import FunctionCache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.extending import register_jitable

__all__ = ["INLINE", "kernel", "kernel_inlined", "kernel_with_blas", "seconds_compiling"]

# For small functions called once a row: a call that LLVM does not inline costs ten times the row itself.
INLINE: Any = {"forceinline": True, "error_model": "numpy", "_nrt": False}


class _CompilingTime(event.Listener):
    """Adds up the time of compilations; a compilation inside another one is counted once, with the outer one."""

    def __init__(self) -> None:
        self.seconds, self._depth, self._began = 0.0, 0, 0.0

    def on_start(self, event: event.Event) -> None:
        """A compilation begins. Numba's lock lets one thread compile at a time."""
        self._began = time.perf_counter() if self._depth == 0 else self._began
        self._depth += 1

    def on_end(self, event: event.Event) -> None:
        """A compilation ends."""
        self._depth -= 1
        self.seconds += time.perf_counter() - self._began if self._depth == 0 else 0.0


_clock = _CompilingTime()
event.register("numba:compile", _clock)


def seconds_compiling() -> float:
    """How long this process has spent compiling so far; 0 where all machine code was on disk."""
    return _clock.seconds


def _hash_sources() -> str:
    """One hash of all source files of this folder, also where the package is in a zip file."""
    total = hashlib.sha256()
    for file in sorted(files(__package__).iterdir(), key=lambda file: file.name):
        if file.name.endswith(".py"):
            content = file.read_bytes()
            total.update(f"{file.name} {len(content)}\n".encode() + content)
    return total.hexdigest()


_hash_sources_at_start = cache(_hash_sources)


class _FolderCache(FunctionCache):
    """Numba's cache on disk; the sources of the whole folder decide whether an entry is stale.

    Where the cache cannot be read or written, the function is compiled again. (Numba itself would fail.)
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        own = self._cache_file._source_stamp  # of the kernel's file; of the whole program, where that is one file
        self._cache_file._source_stamp = (own, _hash_sources_at_start())

    def load_overload(self, *arguments: Any) -> Any:
        try:
            return super().load_overload(*arguments)
        except Exception:  # a file cut short by a full disk, say; unpickling it may raise anything
            self._forget()
            return None

    def save_overload(self, *arguments: Any) -> None:
        try:
            # after an edit or an upgrade of the files, what runs here may be part old and part new: do not keep it
            if _hash_sources() == _hash_sources_at_start():
                super().save_overload(*arguments)
        except OSError:  # no space left, no right to write, or the package was removed
            self._forget()

    def _forget(self) -> None:
        try:
            self.flush()
        except OSError:
            self.disable()


# `no_cfunc_wrapper`: no entry point for C, which nothing here uses.
_SWITCHES = {"nogil": True, "error_model": "numpy", "_nrt": False, "no_cfunc_wrapper": True}

_njit: Any = numba.njit  # its stubs do not know _nrt


def _compile_and_keep(function: Callable[..., Any], **switches: Any) -> Any:
    compiled = _njit(**(_SWITCHES | switches))(function)
    # without a folder that can be written, or a source that can be read, every process compiles anew
    with suppress(RuntimeError, OSError):
        compiled._cache = _FolderCache(function)
    return compiled


class _ToLink(JITCodeLibrary):
    """Code that only other code calls: LLVM works on it once, in each kernel that it is linked into."""

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """Python does not call it."""
        self._ensure_finalized()
        return 0

    @property
    def codegen(self) -> Any:
        """That of the library, but for the surroundings of the function, which nothing here looks at."""
        return self

    def set_env(self, *arguments: Any) -> None:
        pass


class _HelperCompiler(Compiler):
    """Numba's compiler, for code that is linked only."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.state.library = _ToLink(self.state.targetctx.codegen(), "helper")
        self.state.library.enable_object_caching()


def kernel(function: Callable[..., Any]) -> Any:
    """Compile `function` on its first call, and keep the machine code on disk if a folder can be written."""
    return _compile_and_keep(function)


def kernel_inlined(function: Callable[..., Any]) -> Any:
    """The same for a small function that other kernels call once a row."""
    return _compile_and_keep(function, forceinline=True)


def kernel_with_blas(function: Callable[..., Any]) -> Any:
    """The same for a function that calls np.dot. Numba counts references for that; once a block, it costs little."""
    return _compile_and_keep(function, _nrt=True)


def also_compiled(function: Callable[..., Any]) -> None:
    """Let kernels call a function that stays a function of Python."""
    register_jitable(**_SWITCHES)(function)


def also_compiled_inlined(function: Callable[..., Any]) -> None:
    """The same for a small function that is called once a row."""
    register_jitable(**INLINE)(function)


def helper(function: Callable[..., Any]) -> Any:
    """Compile a function that only kernels call. Python cannot call it, which shortens its compilation by a third."""
    return _njit(**_SWITCHES, no_cpython_wrapper=True, pipeline_class=_HelperCompiler)(function)


def helper_once(function: Callable[..., Any]) -> Any:
    """A helper compiled once, whatever numbers it is called with: Numba compiles anew for each constant in a call."""
    compiled = helper(function)
    compile_for = compiled.compile
    compiled.compile = lambda arguments: compile_for(tuple(types.unliteral(kind) for kind in arguments))
    return compiled


def helper_inlined(function: Callable[..., Any]) -> Any:
    """The same for a small function that is called once a row."""
    return _njit(**_SWITCHES, no_cpython_wrapper=True, forceinline=True, pipeline_class=_HelperCompiler)(function)
