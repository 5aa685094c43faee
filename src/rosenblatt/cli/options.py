"""The options by which commands are told what is in a table, written once and given to each with `takes_table`."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from enum import StrEnum
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

if TYPE_CHECKING:
    from rosenblatt.data.sources import Told

__all__ = [
    "READING",
    "Cluster",
    "Format",
    "Intercept",
    "Json",
    "Missing",
    "Numbers",
    "ShardRows",
    "TableOptions",
    "refuse_with_cluster",
    "refuse_without_cluster",
    "takes_some",
    "takes_table",
]

READING = ("format", "table", "delimiter", "charset", "na", "decimal", "thousands")  # options on how a file is written
DATA_HELP = (
    "CSV or TSV, Parquet (also a folder), JSON, Excel or LibreOffice, Stata, SPSS, SAS, SQLite, DuckDB, Arrow, LIBSVM, "
    ".npy/.npz, also packed; several files, or a pattern; an http(s) address; - reads standard input. FILE::NAME is a "
    "table, sheet or file in it."
)
Data = Annotated[list[str] | None, typer.Argument(metavar="DATA", help=DATA_HELP)]
Format = Annotated[
    str | None, typer.Option("--format", help="What the file is, where its name does not say it.", metavar="NAME")
]
Intercept = Annotated[
    bool, typer.Option("--intercept/--no-intercept", help="Whether the hyperplane may miss the origin.")
]
Json = Annotated[bool, typer.Option("--json", help="Print the answer as JSON.")]
Cluster = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        help="Work on a Dask cluster: 'local' (a process per core), its address, or its scheduler file.",
        metavar="local|ADDRESS",
    ),
]
ShardRows = Annotated[
    int | None,
    typer.Option("--shard-rows", help="With --cluster: rows in a shard (by default 1,000,000).", min=1, metavar="ROWS"),
]


class Missing(StrEnum):
    """What to do with rows that lack a value."""

    refuse = "refuse"
    drop = "drop"
    indicator = "indicator"
    level = "level"
    mean = "mean"


class Numbers(StrEnum):
    """What 0.1 is in a column of decimals."""

    decimal = "decimal"
    binary = "binary"


def _option(name: str, text: str, metavar: str | None = "COL") -> Any:
    return typer.Option(name, help=text, metavar=metavar)


@dataclass(frozen=True)
class TableOptions:
    """Where the data are, and what their columns mean."""

    data: Annotated[str | None, "the first of DATA"] = None
    target: Annotated[str | None, _option("--target", "The column that holds the two classes.")] = None
    positive: Annotated[
        str | None, _option("--positive", "The class to tell from all the others.", metavar="VALUE")
    ] = None
    features: Annotated[
        list[str], typer.Option("--features", "--keep", help="Use this column only; may be repeated.", metavar="COL")
    ] = field(default_factory=list)
    drop: Annotated[list[str], _option("--drop", "Leave this column out; may be repeated.")] = field(
        default_factory=list
    )
    categorical: Annotated[
        list[str],
        typer.Option(
            "--categorical",
            "--factor",
            help="Take the column's values as names, one 0/1 column each; =A,B,C is their order.",
            metavar="COL[=A,B,C]",
        ),
    ] = field(default_factory=list)
    number: Annotated[list[str], _option("--number", "Take the column's texts as numbers.")] = field(
        default_factory=list
    )
    date: Annotated[
        list[str],
        _option(
            "--date", "Take dates as days since 1970, or as year, month, day, weekday, hour.", metavar="COL[=PART]"
        ),
    ] = field(default_factory=list)
    id: Annotated[str | None, _option("--id", "The column that names the rows.")] = None
    hash: Annotated[list[str], _option("--hash", "The same for a column of very many names, hashed.")] = field(
        default_factory=list
    )
    na: Annotated[
        list[str],
        typer.Option("--na", "--missing-values", help="This means that a value is missing: NA, -99.", metavar="TEXT"),
    ] = field(default_factory=list)
    missing: Annotated[
        Missing,
        _option(
            "--missing",
            "Missing values: refuse; drop the rows; indicator: 0 and a column that says so; level: the same for names; "
            "mean: of the column.",
            metavar=None,
        ),
    ] = Missing.refuse
    weights: Annotated[str | None, _option("--weights", "A column of row weights.")] = None
    counts: Annotated[
        tuple[str, str] | None,
        _option("--counts", "Grouped rows: columns with the numbers of successes and failures.", metavar="SUCC FAIL"),
    ] = None
    degree: Annotated[
        int,
        typer.Option(help="All products of up to so many columns.", min=1, max=9),
    ] = 1
    sql: Annotated[str | None, _option("--sql", "Take the rows of this query; it may name files.", metavar="QUERY")] = (
        None
    )
    table: Annotated[
        str | None, _option("--table", "Which table of a database, or sheet of a workbook.", metavar="NAME")
    ] = None
    delimiter: Annotated[str | None, _option("--delimiter", "What separates fields.", metavar="CHAR")] = None
    decimal: Annotated[str | None, _option("--decimal", "The decimal mark of numbers.", metavar=".|,")] = None
    thousands: Annotated[
        str | None, _option("--thousands", "What stands between thousands; '' is nothing.", metavar="CHAR")
    ] = None
    charset: Annotated[str | None, _option("--charset", "How text is encoded, such as latin-1.", metavar="NAME")] = None
    format: Format = None
    store: Annotated[
        str | None,
        _option(
            "--store",
            "Keep the rows in this folder, not in memory; by default DATA.store, if they do not fit in memory.",
            metavar="FOLDER",
        ),
    ] = None

    more: Annotated[tuple[str, ...], "the others of DATA"] = ()

    @property
    def path(self) -> str | list[str] | None:
        """What is read: one name, or several."""
        return [self.data, *self.more] if self.data is not None and self.more else self.data

    @property
    def factor_names(self) -> list[str]:
        """Columns that hold names, of which no order was said."""
        return [name for name in self.categorical if "=" not in name]

    @property
    def factor_orders(self) -> dict[str, list[str]]:
        """Columns that hold names, with their levels in the order that was said: COLUMN=LOW,…,HIGH."""
        pairs = (name.partition("=") for name in self.categorical if "=" in name)
        return {name: order.split(",") for name, _, order in pairs}

    def told(self) -> "Told":
        """What was said of how the file is written."""
        from rosenblatt.data.sources import Told

        return Told(**{name: getattr(self, name) for name in READING} | {"na": tuple(self.na)})

    @property
    def files(self) -> list[str]:
        """What is read, as far as it is a file."""
        from rosenblatt.data.places import plain_files

        return [file for name in (self.data, *self.more) if name is not None for file in plain_files(name)]


def refuse_with_cluster(**given: Any) -> None:
    """Refuse options that are for one machine."""
    for name, value in given.items():
        if value is not None and value is not False:
            raise ValueError(f"--{name.replace('_', '-')} is for one machine: leave out that, or --cluster.")


def refuse_without_cluster(**given: Any) -> None:
    """Refuse options that are for a cluster."""
    for name, value in given.items():
        if value is not None:
            raise ValueError(f"--{name.replace('_', '-')} goes with --cluster.")


def takes_table(function: Callable[..., Any]) -> Callable[..., Any]:
    """Exchange the first parameter of a command, a `TableOptions`, for one option for each of its fields."""
    return takes_some(*(one.name for one in fields(TableOptions)))(function)


def takes_some(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The same, for some of the fields and the data."""
    return lambda function: _exchanged(function, names)


def _exchanged(function: Callable[..., Any], names: tuple[str, ...]) -> Callable[..., Any]:
    named = [one for one in fields(TableOptions) if one.name in names and one.name not in ("data", "more")]

    @wraps(function)
    def command(**given: Any) -> Any:
        own = {one.name: given.pop(one.name) for one in named}
        data, *more = given.pop("data") or [None]
        return function(TableOptions(data=data, more=tuple(more), **own), **given)

    hints = get_type_hints(TableOptions, include_extras=True)
    table = [_parameter("data", Data, None), *(_parameter(one.name, hints[one.name], _default(one)) for one in named)]
    theirs = get_type_hints(function, include_extras=True)
    _, *rest = inspect.signature(function).parameters.values()
    others = [_parameter(one.name, theirs[one.name], one.default) for one in rest]
    required = [one for one in others if one.default is inspect.Parameter.empty]
    parameters = [*required, *table, *[one for one in others if one not in required]]
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {one.name: one.annotation for one in parameters}
    return command


def _parameter(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation, default=default)


def _default(one: Any) -> Any:
    return one.default_factory() if callable(one.default_factory) else one.default
