"""Libraries that are loaded when something of theirs is first used: a small table is decided without them.

They take a third of the time that `rosenblatt check` has for a small table. Type checkers see the libraries themselves.
"""

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

__all__ = ["flint", "highspy", "linalg", "sparse"]

if TYPE_CHECKING:
    import flint as flint
    import highspy as highspy
    from scipy import linalg as linalg
    from scipy import sparse as sparse
else:

    class _Later:
        """Has what the module of this name has."""

        def __init__(self, name: str) -> None:
            self.__name__ = name

        def __getattr__(self, name: str) -> Any:
            value = getattr(import_module(self.__name__), name)
            setattr(self, name, value)
            return value

    class _LaterSparse(_Later):
        @staticmethod
        def issparse(X: Any) -> bool:
            """Whether X is a sparse matrix: none is, before the library is loaded."""
            return "scipy.sparse" in sys.modules and sys.modules["scipy.sparse"].issparse(X)

    flint, highspy, linalg, sparse = (
        _Later("flint"),
        _Later("highspy"),
        _Later("scipy.linalg"),
        _LaterSparse("scipy.sparse"),
    )
