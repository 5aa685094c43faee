"""From the options of a command to rows of numbers: in memory if they fit, else in a store, or on a Dask cluster."""

import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rosenblatt as rb
from rosenblatt.cli.options import WRITTEN, Missing, ModelOptions, TableOptions, refuse
from rosenblatt.cli.output import counting, fetching, note, outputs, waiting
from rosenblatt.data.files import owned_folder

if TYPE_CHECKING:
    import numpy.typing as npt

    from distributed import Client
    from rosenblatt.data.roles import Kind, Role
    from rosenblatt.data.tables import Table
    from rosenblatt.estimates.arguments import RowsGiven

__all__ = [
    "MOST_CLASSES",
    "in_file",
    "load",
    "load_alike",
    "load_for_model",
    "load_formula",
    "load_grouped",
    "load_roles",
    "open_as_told",
    "open_like",
    "tell",
]
__all__ += ["typed"]
__all__ += ["Spread", "joined", "spread", "spread_alike"]  # on a cluster

MOST_CLASSES = 20  # a target with more values is probably a measurement; it is refused as a column of classes
_SAME = ("sql", "target", "positive", "drop", "id", "weights", "counts", "degree")  # as in `open_table`
_SHARE = 3  # while arrays grow, reading may need this many times the memory of the rows
_PATIENCE = 60  # seconds for the first worker of a cluster to come
_SHARD_ROWS = 1_000_000
_BESIDE = ".rosenblatt-store-"  # how the name of a store for one `predict` begins


def load(options: TableOptions, intercept: bool = True, multiclass: bool = False) -> "Table":
    """The rows that the options describe: read into memory, or into a store."""
    if (store := _named_store(options)) is not None:
        return store
    table = open_as_told(options, intercept, multiclass)
    if options.store is None and table.estimated_bytes * _SHARE <= _memory():
        _read_in(table)
        loaded = table
    else:
        why = f"the rows take about {table.estimated_bytes / 1e9:.1f} GB, more than fits in memory"
        loaded = _store_of(table, options, why)
    _refuse_many_classes(loaded, options)
    tell(table.name, table.notes)
    return loaded


def load_grouped(
    options: TableOptions, intercept: bool, groups: str | None, multiclass: bool = False
) -> "tuple[Table, npt.NDArray[Any] | None]":
    """The rows that the options describe, and the group of each; or, once, that a column looks like such groups."""
    if groups is None:
        loaded = load(options, intercept, multiclass)
        if likely := loaded.likely_groups():
            note(likely)
        return loaded, None
    if groups in (options.target, options.weights):
        raise ValueError(f"--groups {groups}: this column has another meaning already.")
    without = tuple(name for name in options.features if name != groups)
    drop = options.drop if groups in options.drop else (*options.drop, groups)
    loaded = load(replace(options, features=without, drop=drop), intercept, multiclass)
    return loaded, loaded.groups(groups)


def load_for_model(options: TableOptions, asked: ModelOptions, intercept: bool, cluster: str | None = None) -> "Table":
    """The rows that the options describe, in memory, with the columns that have a role in a regression."""
    regression = asked.of(options)
    told = {"store": options.store, "counts": options.counts}
    told |= {"positive": None if regression.roles.get("target") == "classes" else options.positive}
    refuse(f"is for two classes: with --model {regression.name} leave it out.", **told)
    # models without an intercept of their own compare rows, or have thresholds
    within = intercept or "fit_intercept" not in regression.options
    roles = asked.roles | ({"cluster": cluster} if cluster else {})
    return load_roles(options, roles, regression.roles, within)


def load_roles(
    options: TableOptions,
    roles: "Mapping[Role, str | Sequence[str]]",
    reads: "Mapping[Role, Kind] | None" = None,
    intercept: bool = True,
) -> "Table":
    """The rows that the options describe, in memory, with the columns that have a role."""
    if _is_store(options.data):
        raise ValueError(
            f"{options.data} is a store, which has no columns besides features and classes: name the table."
        )
    table = _read_in(open_as_told(options, intercept, roles=roles, reads=reads))
    tell(table.name, table.notes)
    return table


def load_formula(
    options: TableOptions, formula: str, intercept: bool, asked: ModelOptions, cluster: str | None = None
) -> "tuple[RowsGiven, bool]":
    """The rows that a formula describes, and whether it has an intercept."""
    from rosenblatt.data.tables import columns_in_floats, open_columns
    from rosenblatt.data.understood import source_in_words
    from rosenblatt.estimates.arguments import BesideColumns
    from rosenblatt.estimates.arguments import asked as given_rows

    if others := options.besides("data", "more", "missing", "weights", *WRITTEN):
        raise ValueError(f"a formula names the columns and says what they are: leave {', '.join(others)} out.")
    if asked.name == "cox" and "Surv" not in formula:
        raise ValueError("a Cox model's formula names the times: --formula 'Surv(time, event) ~ x'.")
    if options.data is None:
        raise ValueError("say which data: a file, as in rosenblatt estimate data.csv --formula 'y ~ a'.")
    if options.missing not in (Missing.refuse, Missing.drop):
        raise ValueError("with a formula, --missing is refuse or drop.")
    if not intercept:
        raise ValueError("a formula says itself that there is no intercept: end it with - 1.")
    source = open_columns(options.path or "", told=options.told())
    data = columns_in_floats(source, options.told(), "rosenblatt check takes such numbers")
    tell(source.where, source_in_words(source, formula))
    beside = BesideColumns(sample_weight=options.weights, cluster=cluster, **asked.roles)
    return given_rows(formula, None, beside, data, missing="drop" if options.missing is Missing.drop else "refuse")


@contextmanager
def in_file(table: "Table") -> Iterator[None]:
    """Turn a complaint about a value into one about the file's column and row."""
    from rosenblatt.regressions import BadValue, WrongArgument

    try:
        yield
    except WrongArgument as wrong:
        raise ValueError(wrong.in_options) from None
    except BadValue as bad:
        column = table.called.get(bad.argument, bad.argument)  # a fixed effect goes by its column's name already
        row = table.numbers_of([bad.row])[0]
        raise ValueError(f"{table.name}: {bad.in_file(str(column), row)}") from None


def _refuse_many_classes(table: "Table", options: TableOptions) -> None:
    """Refuse a target with so many values that it is hardly a column of classes."""
    if len(table.classes) > MOST_CLASSES:
        open_as_told(options)  # which wants two classes, and refuses more in a sentence


def tell(where: str, notes: list[str]) -> None:
    """Say in one line how the file was read, where that is not obvious."""
    if notes:
        note(f"{where}: {' · '.join(notes)}")


def typed(*words: object) -> str:
    """Words as a shell takes them, to be copied from an answer; DATA stands for a query or standard input."""
    last = str(words[-1])
    known = os.path.exists(last) or "://" in last
    return " ".join([*(shlex.quote(str(word)) for word in words[:-1]), shlex.quote(last) if known else "DATA"])


def open_like(options: TableOptions, encoding: "rb.data.Encoding", labels: bool = True, **roles: object) -> "Table":
    """Another table, read in the way that `encoding` describes; the options say how its file is written.

    `roles` are the columns of a regression, as `open_table` takes them.
    """
    from rosenblatt.data.tables import open_alike

    how = {**options.written(), **roles}
    with fetching() as progress:
        return open_alike(options.path or "", encoding, labels=labels, progress=progress, id=options.id, **how)


def load_alike(options: TableOptions, encoding: "rb.data.Encoding", **roles: Any) -> "Table":
    """The rows of another table, read in the way that `encoding` describes."""
    return _read_in(open_like(options, encoding, **roles))


def _read_in(table: "Table") -> "Table":
    """The same table, its rows read into memory, and the names of its rows."""
    with counting(f"rows read from {table.name}", table.estimated_rows) as progress:
        table.arrays(progress)
    table.all_ids()
    return table


def open_as_told(
    options: TableOptions,
    intercept: bool = True,
    multiclass: bool = False,
    roles: "Mapping[Role, str | Sequence[str]] | None" = None,
    reads: "Mapping[Role, Kind] | None" = None,
) -> "Table":
    """The table that the options describe; its rows are not read yet."""
    if options.data is None and options.sql is None:
        raise ValueError("say which data: a file, as in rosenblatt check data.csv --target COLUMN, or --sql QUERY.")
    with fetching() as progress:
        return rb.data.open_table(
            path=options.path,
            features=options.features or None,
            categorical=options.factor_names,
            factors=options.factor_orders,
            numbers=options.number,
            dates=options.date_parts,
            hash_columns=options.hash,
            missing=options.missing.value,
            intercept=intercept,
            multiclass=multiclass,
            roles=roles,
            reads=reads,
            time_limit=options.limit,
            progress=progress,
            **{name: getattr(options, name) for name in _SAME},
            **options.written(),
        )


# ---------------------------------------------------------------------------------------------------------- in a store


def _is_store(data: str | None) -> bool:
    return data is not None and os.path.isdir(data) and rb.data.Store.is_store(data)


def _named_store(options: TableOptions) -> "rb.data.Store | None":
    """The store, where the data are one; options on how to read are refused, as they were given when it was built."""
    if options.data is None or not _is_store(options.data):
        return None
    if others := options.besides("data", "target"):
        raise ValueError(
            f"{options.data} is a store, and how its table is read was fixed when it was built: leave out "
            f"{', '.join(others)}."
        )
    store = rb.data.Store.open(options.data)
    if options.target not in (None, store.encoding.target):
        raise ValueError(
            f'{options.data} is a store whose target is "{store.encoding.target}", not "{options.target}".'
        )
    store.name = str(options.data)
    return store


def _store_of(table: "rb.data.Table", options: TableOptions, why: str) -> "rb.data.Store":
    """The store of a table: an existing one if it belongs to this table and the file is unchanged, else a new one."""
    if options.store is None and (options.more or not os.path.exists(options.data or "")):
        raise ValueError(f"{why}: say --store FOLDER.")
    folder = Path(options.store or f"{Path(str(options.data))}.store")
    if rb.data.Store.is_store(folder):
        try:
            store = rb.data.Store.open(folder)
        except rb.data.Refused as why:
            note(f"{why} That is done now.")
        else:
            if store.is_of(table):
                store.name = table.name
                return store
    outputs.watch(folder, "has the rows written so far, and the same command goes on from there")
    with counting(f"rows written to {folder}", table.estimated_rows) as progress:
        store = rb.data.Store.build(table, folder, progress=progress)
    outputs.watch(folder, "is a store of the table, which the next run takes")
    store.name = table.name
    return store


def _memory() -> int:
    """Bytes of free memory, as far as the system tells."""
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            entries = dict(line.split(":", 1) for line in file)
        return int(entries["MemAvailable"].split()[0]) * 1024
    except (OSError, KeyError, ValueError):
        pass
    try:
        return int(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2)
    except (AttributeError, OSError, ValueError):
        return 4 << 30


# --------------------------------------------------------------------------------------------------------- on a cluster


@dataclass(frozen=True)
class Spread:
    """A table in shards, as `rosenblatt.distributed` takes them.

    Where the rows are on the workers alone, `loaded` has their labels and numbers, and of X only the shape.
    """

    loaded: "Table"
    shards: list[Any]


@contextmanager
def joined(cluster: str) -> Iterator[Any]:
    """A client of the cluster once it has a worker; what Dask logs is kept from the terminal."""
    from rosenblatt.blocks import deaf_children, only_our_sentences

    with only_our_sentences(note):
        with waiting(f"reaching the cluster {cluster}"), deaf_children():
            client = rb.distributed.connect(cluster)
        with client:
            try:
                client.wait_for_workers(1, timeout=_PATIENCE)
            except TimeoutError:
                raise ConnectionError(
                    f"the cluster {cluster} has no workers, and none came in {_PATIENCE} s: start some with "
                    f"`dask worker`."
                ) from None
            try:
                yield client
            except RuntimeError as why:  # workers of another version, or killed by a shard
                raise ValueError(str(why)) from why


def spread(
    options: TableOptions, rows: int | None, client: "Client", intercept: bool = True, multiclass: bool = True
) -> Spread:
    """The table that the options describe, in shards: each Parquet file of a folder; else a store cut into pieces."""
    if not _is_folder_of_tables(options.data):
        store = _named_store(options)
        if store is None:  # the workers of a cluster see its folder
            table = open_as_told(options, intercept, multiclass)
            store = _store_of(table, options, "the workers of a cluster need the rows in a folder")
            _refuse_many_classes(store, options)
        return Spread(store, rb.distributed.cut(store, rows or _SHARD_ROWS))
    if rows is not None or options.store is not None:
        unwanted = "--store" if options.store is not None else "--shard-rows"
        raise ValueError(f"{options.data} is a folder, and each Parquet file in it is a shard: leave out {unwanted}.")
    table = open_as_told(options, intercept, multiclass)
    with waiting(f"looking at {options.data}"):
        encoding = table.encoding
    found = _spread_folder(str(options.data), encoding, client)
    y = found.loaded.y
    found.loaded.check_rows(len(y), *((int(y.min()), int(y.max())) if len(y) else ()))
    return found


@contextmanager
def spread_alike(options: TableOptions, encoding: "rb.data.Encoding", client: "Client") -> Iterator[Spread]:
    """Another table, without labels, read in the way that `encoding` describes; a store made for it is removed."""
    table, data = open_like(options, encoding, labels=False), str(options.data)
    if isinstance(table, rb.data.Store):
        yield Spread(table, rb.distributed.cut(table, _SHARD_ROWS))
    elif _is_folder_of_tables(data):
        yield _spread_folder(data, encoding, client, labels=False)
    else:
        with _folder_beside(data) as folder:
            with waiting(f"writing the rows of {data} where workers can see them"):
                store = rb.data.Store.build(table, folder)
            store.name = data
            yield Spread(store, rb.distributed.cut(store, _SHARD_ROWS))


@contextmanager
def _folder_beside(data: str) -> Iterator[str]:
    """A new folder beside a file, removed at the end."""
    parent = Path.cwd() if data == "-" else Path(data).absolute().parent
    with ExitStack() as stack:
        try:
            folder = stack.enter_context(owned_folder(parent, _BESIDE))
        except OSError:
            raise ValueError(
                f"{data}: the rows must be written to a folder beside it, where workers can read them, and {parent} "
                f"cannot be written to."
            ) from None
        yield str(folder)


def _is_folder_of_tables(data: str | None) -> bool:
    return data is not None and os.path.isdir(data) and not _is_store(data)


def _spread_folder(folder: str, encoding: "rb.data.Encoding", client: "Client", labels: bool = True) -> Spread:
    from rosenblatt.blocks import counted, read_alike
    from rosenblatt.data.tables import ArrayTable, Elsewhere

    readings = read_alike(folder, encoding, labels)
    with waiting(f"reading {folder}"):
        found = counted(readings, client)
    X = Elsewhere((found.n, encoding.p))
    table = ArrayTable(X, found.signs, name=folder, encoding=encoding, numbers=found.numbers)
    return Spread(table, [one.shard for one in readings])
