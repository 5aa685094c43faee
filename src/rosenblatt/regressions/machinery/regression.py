"""What a regression is: the columns that it takes, its rows z, its loss, its sentences, options and other names."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, ClassVar, Literal, cast

import numpy as np

from rosenblatt.arrays import Places
from rosenblatt.data.roles import Kind, Role
from rosenblatt.regressions.machinery.given import Given, ModelColumns
from rosenblatt.regressions.machinery.names import ModelName
from rosenblatt.regressions.machinery.rows import ModelRows, Values
from rosenblatt.regressions.machinery.terms import BetweenTerms, Link, Outcomes, Terms

__all__ = ["Asked", "ModelWords", "Option", "Reader", "Regression", "WrongArgument", "argument_of", "taking"]

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

    def classes(self, y: object) -> list[Any] | None:
        """The classes to list where y alone does not say what counts as a success; else None."""
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
