"""Options that several commands share. Those that describe a table are written once; `takes_table` adds them."""

import inspect
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from enum import StrEnum
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

from rosenblatt.data.roles import KINDS, Role

if TYPE_CHECKING:
    from rosenblatt.data.paths import Told
    from rosenblatt.regressions import ModelName, Regression

__all__ = ["WRITTEN", "ModelOptions", "TableOptions", "argument", "flag", "listed", "option", "refuse"]
__all__ += ["takes_some", "takes_table"]
__all__ += [
    "Cluster",
    "Format",
    "Formula",
    "Intercept",
    "Json",
    "Missing",
    "ShardRows",
]  # options that several commands have

WRITTEN = ("format", "table", "delimiter", "charset", "header", "na", "decimal", "thousands")  # how a file is written
DATA_HELP = (
    "CSV or TSV, Parquet (also a folder), JSON, Excel or LibreOffice, R, Stata, SPSS, SAS, SQLite, DuckDB, Arrow, "
    "LIBSVM, .npy/.npz, also packed; several files, or a pattern; an http(s) address; - reads standard input. "
    "FILE::NAME is a table, sheet or file in it."
)
Missing = StrEnum("Missing", "refuse drop indicator level mean")  # what to do with rows that lack a value


def argument(metavar: str, text: str) -> Any:
    """A positional argument: the word for it in the usage line, and its help."""
    return typer.Argument(metavar=metavar, help=text)


def option(text: str, metavar: str | None = None, *, name: str = "", **more: Any) -> Any:
    """An option: its help, the word for its value in the help, and limits of the value.

    Its name is that of the parameter, unless `name` gives others, with blanks between them.
    """
    return typer.Option(*name.split(), help=text, metavar=metavar, **more)


def flag(name: str, text: str) -> Any:
    """An option without a value."""
    return typer.Option(name, help=text)


Several = tuple[str, ...]  # of an option that may be repeated
Data = Annotated[list[str] | None, argument("DATA", DATA_HELP)]
Format = Annotated[str | None, option("What the file is, where its name does not say it.", "NAME")]
Intercept = Annotated[bool, option("Whether the hyperplane may miss the origin.")]
Formula = Annotated[
    str | None,
    option(
        "Instead of --target: outcome and terms as in R (needs formulaic); Surv(time, event) on the left for times.",
        "'Y ~ A + C(B)'",
    ),
]
Groups = Annotated[
    str | None, option("The column of who or what rows are of: rows of one are related, and no feature.", "COL")
]
Json = Annotated[bool, flag("--json", "Print the answer as JSON.")]
Cluster = Annotated[
    str | None,
    option(
        "Work on a Dask cluster: 'local' (a process per core), its address, or its scheduler file.", "local|ADDRESS"
    ),
]
ShardRows = Annotated[int | None, option("With --cluster: rows in a shard (by default 1,000,000).", "ROWS", min=1)]


@dataclass(frozen=True)
class TableOptions:
    """Where the data are, and what their columns mean."""

    data: Annotated[str | None, "the first of DATA"] = None
    target: Annotated[str | None, option("The column that holds the two classes.", "COL")] = None
    positive: Annotated[str | None, option("The class to tell from all the others.", "VALUE")] = None
    features: Annotated[Several, option("Use these columns only.", "COL,COL", name="--features --keep")] = ()
    drop: Annotated[Several, option("Leave these columns out.", "COL,COL")] = ()
    categorical: Annotated[
        Several,
        option(
            "Take the column's values as names, one 0/1 column each; =A,B,C is their order.",
            "COL[=A,B,C]",
            name="--categorical --factor",
        ),
    ] = ()
    number: Annotated[Several, option("Take the column's texts as numbers.", "COL")] = ()
    date: Annotated[
        Several, option("Take dates as days since 1970, or as year, month, day, weekday, hour.", "COL[=PART]")
    ] = ()
    id: Annotated[str | None, option("The column that names the rows.", "COL")] = None
    hash: Annotated[Several, option("Take a column of very many names as hashed 0/1 columns.", "COL")] = ()
    na: Annotated[
        Several, option("A text that means a missing value, such as NA or -99.", "TEXT", name="--na --missing-values")
    ] = ()
    missing: Annotated[
        Missing,
        option(
            "Missing values: refuse the table; drop the row; indicator: 0, and a 0/1 column that marks it; level: one "
            "more name, in columns of names; mean of the column."
        ),
    ] = Missing.refuse
    weights: Annotated[str | None, option("A column of row weights.", "COL")] = None
    counts: Annotated[
        tuple[str, str] | None, option("Grouped rows: columns with the numbers of successes and failures.", "SUCC FAIL")
    ] = None
    degree: Annotated[int, option("Add all products of up to so many columns.", min=1, max=9)] = 1
    sql: Annotated[str | None, option("Take the rows of this query; it may name files.", "QUERY")] = None
    table: Annotated[str | None, option("Which table of a database, or sheet of a workbook.", "NAME")] = None
    delimiter: Annotated[str | None, option("The character between fields.", "CHAR")] = None
    decimal: Annotated[str | None, option("The decimal mark of numbers.", ".|,")] = None
    thousands: Annotated[str | None, option("The mark between thousands; '' for none.", "CHAR")] = None
    charset: Annotated[str | None, option("How text is encoded, such as latin-1.", "NAME")] = None
    header: Annotated[
        bool,
        option("Whether the first line has the names; without, columns are c1, c2, …", name="--header/--no-header"),
    ] = True
    format: Format = None
    store: Annotated[
        str | None,
        option(
            "Keep the rows in this folder, not in memory; by default DATA.store, if they do not fit in memory.",
            "FOLDER",
        ),
    ] = None
    more: Annotated[tuple[str, ...], "the others of DATA"] = ()
    limit: Annotated[float | None, "--time-limit of the command"] = None

    @property
    def path(self) -> str | list[str] | None:
        """The data: one name, or several."""
        return [self.data, *self.more] if self.data is not None and self.more else self.data

    @property
    def factor_names(self) -> list[str]:
        """Columns of --categorical without an order."""
        return [name for name in self.categorical if "=" not in name]

    @property
    def factor_orders(self) -> dict[str, list[str]]:
        """Columns of --categorical with an order, COLUMN=LOW,…,HIGH, and their levels in that order."""
        pairs = (name.partition("=") for name in self.categorical if "=" in name)
        return {name: order.split(",") for name, _, order in pairs}

    @property
    def date_parts(self) -> dict[str, str]:
        """Columns of --date, each with what is taken of the dates."""
        pairs = (one.partition("=") for text in self.date for one in re.split(r",(?=[^,=]+=)", text))
        return {name: part or "days" for name, _, part in pairs}

    def written(self) -> dict[str, Any]:
        """The options on how the file is written, as arguments of `open_table`."""
        return {name: getattr(self, name) for name in WRITTEN}

    def told(self) -> "Told":
        """The same for what reads columns only."""
        from rosenblatt.data.paths import Told

        return Told(**self.written())

    def besides(self, *known: str) -> list[str]:
        """The options that were given and are not among `known`, as they are written on the command line."""
        given = [one.name for one in fields(self) if getattr(self, one.name) != one.default and one.name != "limit"]
        words = {"data": "DATA", "more": "the other files"}  # arguments have no name with dashes
        return [words.get(name, f"--{name}") for name in given if name not in known]

    @property
    def files(self) -> list[str]:
        """The files among the data."""
        from rosenblatt.data.paths import plain_files

        return [file for name in (self.data, *self.more) if name is not None for file in plain_files(name)]


@dataclass(frozen=True)
class ModelOptions:
    """The options about a regression: the columns that have a role in it, and choices."""

    model: Annotated[
        str | None,
        option(
            "The regression: logistic (two classes), binomial (successes of --trials), poisson (counts), multinomial "
            "(three or more classes), ordinal, conditional (cases of --strata), cox (--time and --event), paired.",
            "NAME",
        ),
    ] = None
    trials: Annotated[str | None, option("binomial: the column of trials.", "COL")] = None
    offset: Annotated[str | None, option("A column that is added to the linear predictor.", "COL")] = None
    exposure: Annotated[str | None, option("poisson: a column whose logarithm is added to it.", "COL")] = None
    fixed_effects: Annotated[
        Several, option("Columns such as firm or year, with an effect for each of their values.", "COL,COL")
    ] = ()
    strata: Annotated[str | None, option("conditional, cox: the column of sets or strata.", "COL")] = None
    time: Annotated[str | None, option("cox: the column of times.", "COL")] = None
    event: Annotated[
        str | None, option("cox: 1 for an event, 0 for censored; status=2: where status is 2.", "COL[=VALUE]")
    ] = None
    entry: Annotated[str | None, option("cox: when a row enters.", "COL")] = None
    items: Annotated[Several, option("paired: the two columns of who is compared with whom.", "COL,COL")] = ()
    ties: Annotated[str | None, option("cox: efron, breslow or exact.", "NAME")] = None
    levels: Annotated[Several, option("ordinal: the levels in their order.", "LOW,…,HIGH")] = ()

    @property
    def given(self) -> bool:
        """Whether any of these options was given."""
        return any(vars(self).values())

    @property
    def name(self) -> str:
        """The regression; where none was named, the one that the given options belong to."""
        if self.model is not None:
            return self.model
        options = {"cox": self.time, "binomial": self.trials, "ordinal": self.levels, "conditional": self.strata}
        return next((model for model, given in options.items() if given), "logistic")

    def model_or(self, usual: "ModelName") -> "ModelName":
        """The regression that was named or is meant; else the usual one of the data."""
        from rosenblatt.regressions import regression_of

        return regression_of(self.name).name if self.given else usual

    @property
    def roles(self) -> "dict[Role, str | Sequence[str]]":
        """The columns that have a role."""
        named = {_ROLES.get(one.name, one.name): getattr(self, one.name) for one in fields(self)}
        return {role: named[role] for role in KINDS if named.get(role)}

    @property
    def level_names(self) -> list[str]:
        """The levels in their order."""
        return [level for text in self.levels for level in listed(text)]

    def of(self, table: TableOptions) -> "Regression":
        """The regression; refuses options that it does not take, and the lack of those that it needs."""
        from rosenblatt.regressions import regression_of

        found = regression_of(self.name)
        given = {*self.roles, *(["target"] if table.target else [])}
        given |= {name for name in ("ties", "levels") if getattr(self, name)}
        for role in (role for role in found.needs if role not in given):
            if role == "target":
                raise ValueError("say the column that the model explains: --target COLUMN.")
            raise ValueError(f"--model {found.name} needs --{_option_name(role)}.")
        for name in sorted(given - {*found.roles, *found.options}):
            raise ValueError(f"--model {found.name} does not take --{_option_name(name)}.")
        return found


_NO_OPTIONS = ("data", "more", "limit")  # fields of TableOptions that are no options of the table
_ROLES = {"strata": "groups"}  # options with another name than the role


def _option_name(role: str) -> str:
    """What the option of a role, or of a choice, is called."""
    return next((name for name, one in _ROLES.items() if one == role), role).replace("_", "-")


def listed(text: str | None) -> list[str]:
    """The parts of an option's text between its commas."""
    return [one.strip() for one in (text or "").split(",") if one.strip()]


def refuse(why: str, **options: object) -> None:
    """Refuse the first of these options that was given; `why` ends the sentence."""
    for name, value in options.items():
        if value is not None and value is not False:
            raise ValueError(f"--{name.replace('_', '-')} {why}")


def takes_table(function: Callable[..., int]) -> Callable[..., int]:
    """Exchange the parameters of a command that are `TableOptions` or `ModelOptions` for an option a field."""
    return takes_some(*(one.name for one in fields(TableOptions)))(function)


def takes_some(*names: str, data: bool = True) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """The same as `takes_table`, with options for the named fields of `TableOptions` only; `data`: and its files."""
    named = [one for one in fields(TableOptions) if one.name in names and one.name not in _NO_OPTIONS]
    kind = inspect.Parameter.KEYWORD_ONLY

    def exchange(function: Callable[..., int]) -> Callable[..., int]:
        _, *others = inspect.signature(function).parameters.values()
        model = next((one for one in others if one.annotation is ModelOptions), None)
        of_model = [] if model is None else list(fields(ModelOptions))

        @wraps(function)
        def command(**given: Any) -> int:
            own = {one.name: _told(given.pop(one.name)) for one in named}
            first, *more = given.pop("data", None) or [None]
            if model is not None:
                given[model.name] = ModelOptions(**{one.name: _told(given.pop(one.name)) for one in of_model})
            return function(TableOptions(data=first, more=tuple(more), limit=given.get("time_limit"), **own), **given)

        exchanged = [inspect.Parameter("data", kind, annotation=Data, default=None)] if data else []
        exchanged += [
            inspect.Parameter(one.name, kind, annotation=_typed(one.type), default=one.default)
            for one in [*named, *of_model]
        ]
        others = [one for one in others if one is not model]
        required = [one for one in others if one.default is inspect.Parameter.empty]
        optional = [one for one in others if one not in required]
        parameters = [one.replace(kind=kind) for one in (*required, *exchanged, *optional)]
        command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        command.__annotations__ = {one.name: one.annotation for one in parameters}
        return command

    return exchange


def _told(value: object) -> Any:
    """What Typer has read, as a field of the options: a tuple where an option may be repeated."""
    return tuple(value) if isinstance(value, list) else value


def _typed(annotation: object) -> Any:
    """The type as Typer takes it: a list where an option may be repeated."""
    kind, told = get_args(annotation)
    return Annotated[list[str], told] if kind == Several else annotation
