"""One algorithm per file: configuration and `fit`. `registry.py` finds them; they load when they are first used.

What learners share is in `shared/`, the machinery of a run (loop, clock, threads, endings) in `runs/`, what kernels
k(x, x') need in `duals/`.
"""

from typing import Any

from rosenblatt.learners.registry import CLASSES, LEARNERS, Learner

__all__ = ["CLASSES", "LEARNERS", "Learner"]


def __getattr__(name: str) -> Any:
    if name in CLASSES:
        return CLASSES[name].kind
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, *CLASSES]
