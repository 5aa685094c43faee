"""What a regression is: columns it takes, its rows z, its loss, sentences, options, other names; and all of them."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from types import MappingProxyType
from typing import Any, ClassVar, Literal, cast

import numpy as np

import rosenblatt.regressions as folder
from rosenblatt.arrays import Places
from rosenblatt.data.roles import Kind, Role
from rosenblatt.regressions.machinery.given import Given, ModelColumns
from rosenblatt.regressions.machinery.names import ModelName
from rosenblatt.regressions.machinery.rows import ModelRows, Values
from rosenblatt.regressions.machinery.terms import BetweenTerms, Link, Outcomes, Terms

__all__ = [
    "REGRESSIONS",
    "Asked",
    "ModelWords",
    "Option",
    "Reader",
    "Regression",
    "WrongArgument",
    "argument_of",
    "regression_of",
    "taking",
]

Option = Literal["fit_intercept", "classes", "levels", "ties"]  # arguments that are no columns
_OPTIONS = {"y": "target", "groups": "strata", "fit_intercept": "no-intercept"}  # where options have other names


class WrongArgument(TypeError):
    """A regression needs an argument that was not given, or does not take one that was."""

    def __init__(self, model: str, why: str, argument: str) -> None:
        super().__init__(f"model={model!r} {why} {argument}.")
        self.argument = argument
        option = _OPTIONS.get(argument, argument).replace("_", "-")
        self.in_options = f"--model {model} {why} --{option}."  # the same sentence for the command line


def argument_of(role: str) -> str:
    """What `existence` and `estimate` call a role."""
    return "y" if role == "target" else role


def taking(**kinds: Kind) -> Mapping[Role, Kind]:
    """The columns of a regression by their roles, and how each is read."""
    return cast("Mapping[Role, Kind]", kinds)


@dataclass(frozen=True)
class Asked:
    """A question about a fitted model: its name, the arguments of `existence`, and what a warning must add."""

    name: str
    arguments: dict[str, Any]
    penalty: str = ""  # its strength, where the fit maximises a penalised likelihood
    notes: list[str] = field(default_factory=list)
    finite_part: bool = True  # whether `existence` fits the same model, so that its finite part is that of the fit


Reader = Callable[[Any, Any, Any], Asked | None]  # of a library's fit, X and y; None: it is another model's


@dataclass(frozen=True)
class ModelWords:
    """What sentences say of a regression."""

    about: str  # what it explains, for a list of models: "counts"
    compared: str = ""  # what a row is compared with, where it has several comparisons
    certain: str = "are predicted with certainty"  # of separated rows
    every: str = "every row is predicted with certainty."  # where all rows are separated
    ratio: str = "odds ratio"  # what the exponential of a coefficient is called


class Regression(ABC):
    """One of the models. Whatever lists, reads, decides, estimates or names models asks these objects."""

    name: ClassVar[ModelName]
    roles: ClassVar[Mapping[Role, Kind]]  # the columns besides X and weights, in the order of a certificate's hash
    needs: ClassVar[tuple[Role, ...]] = ("target",)
    options: ClassVar[tuple[Option, ...]] = ()
    words: ClassVar[ModelWords]
    libraries: ClassVar[Mapping[tuple[str, str], Reader]] = MappingProxyType({})  # by library and class
    by_row: ClassVar[bool] = False  # whether single rows are separated, which may be dropped; else comparisons are

    links: ClassVar[tuple[Link, ...]] = ()  # of which estimates may be asked for, the usual one first
    two_classes: ClassVar[bool] = False  # whether it is separability, where it has neither effects nor listed classes

    @property
    def takes(self) -> set[str]:
        """The names of all arguments that it takes, besides X and sample_weight."""
        return {*map(argument_of, self.roles), *self.options}

    def refuse(self, arguments: set[str]) -> None:
        """Refuse arguments that it does not take, and ask for those that it needs."""
        for role in self.needs:
            if argument_of(role) not in arguments:
                raise WrongArgument(self.name, "needs", argument_of(role))
        for argument in sorted(arguments - self.takes):
            raise WrongArgument(self.name, "does not take", argument)

    def classes(self, y: object, positive: object = None) -> list[Any] | None:
        """The classes to list where y alone does not say what counts as a success; else None."""
        if positive is not None:
            raise TypeError(f"positive is one of two classes (model='logistic'); model={self.name!r} does not take it.")
        return None

    @abstractmethod
    def read(self, given: Given) -> ModelColumns:
        """The columns in numbers; refuses bad ones."""

    @abstractmethod
    def rows(self, values: Values, columns: ModelColumns) -> ModelRows:
        """The rows z: the estimate exists exactly if no w has z·w ≥ 0 on all of them and > 0 on some."""

    def outcomes(self, rows: ModelRows, columns: ModelColumns) -> Outcomes | None:
        """Each z as an outcome of a count, where rows have counts: so that a library of such can fit the model."""
        return None

    def terms(self, given: Given, columns: ModelColumns) -> Terms | None:
        """The likelihood, from which estimates are made; None where there are no estimates of this model yet."""
        found = self.outcomes(rows := self.rows(given.values, columns), columns)
        return None if found is None else found.terms(rows, given)

    def between(self, given: Given, columns: ModelColumns, link: Link) -> BetweenTerms:
        """The likelihood with another of its links."""
        raise NotImplementedError

    def constants(self, p: int, columns: ModelColumns) -> Places:
        """The weights that are left without X's p columns, which come first: intercepts, thresholds."""
        return np.arange(p, len(columns.weights))

    def outcome(self, names: Mapping[str, str], columns: ModelColumns) -> str:
        """What the regression is about, in a headline: "died = yes". `names` are those of its columns."""
        return names["y"]


# ------------------------------------------------------------------------------------------------------------- registry


class _Regressions(Mapping[str, Regression]):
    """The regressions by name. A name is that of a file, so that a list of names loads none of them."""

    def __iter__(self) -> Iterator[str]:
        return iter(_model_names())

    def __len__(self) -> int:
        return len(_model_names())

    def __contains__(self, name: object) -> bool:
        return name in _model_names()

    def __getitem__(self, name: str) -> Regression:
        if name not in _model_names():
            raise KeyError(name)
        return _loaded(name)


@cache
def _model_names() -> tuple[str, ...]:
    return tuple(sorted(one.name for one in iter_modules(folder.__path__) if not one.ispkg and one.name[0] != "_"))


@cache
def _loaded(name: str) -> Regression:
    found: Regression = import_module(f"{folder.__name__}.{name}").REGRESSION
    assert found.name == name, f"the regression of {name}.py is called {found.name}"
    return found


REGRESSIONS = _Regressions()


def regression_of(name: str, arguments: set[str] | None = None) -> Regression:
    """The regression of this name; with `arguments`, refuses those it does not take, and asks for those it needs."""
    if name not in REGRESSIONS:
        raise ValueError(f"model must be one of {', '.join(REGRESSIONS)}; it is {name!r}.")
    found = REGRESSIONS[name]
    if arguments is not None:
        found.refuse(arguments)
    return found
