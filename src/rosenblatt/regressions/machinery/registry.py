"""The regressions that there are: one for each file of the folder `regressions`, loaded when it is asked for."""

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING

import rosenblatt.regressions as folder

if TYPE_CHECKING:
    from rosenblatt.regressions.machinery.regression import Regression

__all__ = ["REGRESSIONS", "regression_of"]


class _Regressions(Mapping[str, "Regression"]):
    """The regressions by name. A name is that of a file, so that a list of names loads none of them."""

    def __iter__(self) -> Iterator[str]:
        return iter(_model_names())

    def __len__(self) -> int:
        return len(_model_names())

    def __contains__(self, name: object) -> bool:
        return name in _model_names()

    def __getitem__(self, name: str) -> "Regression":
        if name not in _model_names():
            raise KeyError(name)
        return _loaded(name)


@cache
def _model_names() -> tuple[str, ...]:
    return tuple(sorted(one.name for one in iter_modules(folder.__path__) if not one.ispkg and one.name[0] != "_"))


@cache
def _loaded(name: str) -> "Regression":
    found: Regression = import_module(f"{folder.__name__}.{name}").REGRESSION
    assert found.name == name, f"the regression of {name}.py is called {found.name}"
    return found


REGRESSIONS = _Regressions()


def regression_of(name: str, arguments: set[str] | None = None) -> "Regression":
    """The regression of this name; with `arguments`, refuses those it does not take, and asks for those it needs."""
    if name not in REGRESSIONS:
        raise ValueError(f"model must be one of {', '.join(REGRESSIONS)}; it is {name!r}.")
    found = REGRESSIONS[name]
    if arguments is not None:
        found.refuse(arguments)
    return found
