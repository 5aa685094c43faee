"""`rosenblatt check --model …`: does the maximum-likelihood estimate of another model exist? With proof."""

import csv
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rosenblatt as rb
from rosenblatt.cli.options import TableOptions
from rosenblatt.cli.output import Page, count, deciding, few, print_json
from rosenblatt.cli.tables import tell, typed
from rosenblatt.data.files import write_whole

if TYPE_CHECKING:
    from rosenblatt.data.tables import CodedTable

__all__ = ["ModelOptions", "check_model", "has_named_columns"]

_COMPARED = ("time", "entry", "groups", "fixed_effects", "items", "strata")
_BY_ROW = ("logistic", "binomial", "poisson")  # models that predict single rows, which may be dropped
_REFUSED = ("positive", "counts", "sql", "store", "hash", "degree", "number", "date", "id")  # options for two classes
_RELATIONS = 5  # groups of collinear columns that are shown


@dataclass(frozen=True)
class ModelOptions:
    """The options about a model: names of columns, and choices."""

    model: str | None = None
    trials: str | None = None
    exposure: str | None = None
    strata: str | None = None
    time: str | None = None
    event: str | None = None
    entry: str | None = None
    ties: str | None = None
    fixed_effects: list[str] = field(default_factory=list)
    levels: list[str] = field(default_factory=list)
    drop_separated: Path | None = None

    @property
    def given(self) -> bool:
        """Whether any of these options was given."""
        return any(vars(self).values())

    def columns(self) -> dict[str, Any]:
        """The arguments of `rb.existence` that are columns, each with the name of its column."""
        listed = ("trials", "exposure", "strata", "time", "event", "entry", "fixed_effects")
        named = {"groups" if name == "strata" else name: getattr(self, name) for name in listed}
        return {argument: column for argument, column in named.items() if column}

    @property
    def name(self) -> str:
        """The model; where none was named, the one that the given options belong to."""
        if self.model is not None:
            return self.model
        options = {"cox": self.time, "binomial": self.trials, "ordinal": self.levels, "conditional": self.strata}
        return next((model for model, given in options.items() if given), "logistic")


def has_named_columns(table: TableOptions) -> bool:
    """Whether the data are a file with named columns, as models need it."""
    from rosenblatt.data.readers import format_by_name

    return table.data is not None and format_by_name(table.data.partition("::")[0]) not in (None, "libsvm", "npz")


def check_model(
    table: TableOptions, options: ModelOptions, wanted: dict[str, Any], certificate: Path | None, json: bool
) -> Any:
    """Read the table, decide, print the answer; returns the verdict. `wanted` are arguments of `rb.existence`."""
    from rosenblatt.data.tables import Named

    _refuse(table, options)
    read = _read(table, options, wanted["fit_intercept"])
    tell(read.where, read.notes)
    given: dict[str, Any] = {
        argument: [Named(read.apart[name], [name]) for name in names] if isinstance(names, list) else read.apart[names]
        for argument, names in options.columns().items()
    }
    began = time.monotonic()
    columns = {"y": table.target} | options.columns()
    with deciding(wanted["time_limit"]) as progress, _in_options(read, columns):
        verdict = rb.existence(
            Named(read.X, read.features, read.origin),
            None if table.target is None else read.apart[table.target],
            options.name,  # type: ignore[arg-type]  # refused where it is none
            **given,
            **wanted,
            ties=options.ties,
            levels=options.levels or None,
            sample_weight=None if table.weights is None else read.apart[table.weights],
            progress=progress,
        )
    answer = _ModelAnswer(read, verdict, options, table, time.monotonic() - began)
    if certificate is not None and verdict.certificate is not None:
        answer.certificate().save(certificate)
    if options.drop_separated is not None:
        answer.left_out = answer.write_others(options.drop_separated)
    if json:
        print_json("rosenblatt-check-model/1", answer.to_json(certificate))
    else:
        answer.show(Page(), certificate)
    return verdict


def _refuse(table: TableOptions, options: ModelOptions) -> None:
    """Refuse options that a model cannot use, and the lack of options that it needs."""
    for name in _REFUSED:
        if getattr(table, name) not in (None, (), 1):
            raise ValueError(f"--{name} is for two classes; with --model {options.name} leave it out.")
    if table.missing.value not in ("refuse", "drop"):
        raise ValueError(f"--missing {table.missing.value} does not go with a model: say refuse or drop.")
    if table.data is None:
        raise ValueError("say which data: a file with named columns, as in rosenblatt check data.csv --model poisson.")
    if table.target is None and options.name != "cox":
        raise ValueError("say the column that the model explains: --target COLUMN.")
    if options.drop_separated is not None and options.name not in _BY_ROW:
        raise ValueError(
            f"--drop-separated is for {', '.join(_BY_ROW)}: in a {options.name} model comparisons of rows are "
            f"separated, not rows."
        )


def _read(table: TableOptions, options: ModelOptions, intercept: bool) -> "CodedTable":
    """The table; the columns that are no features are kept apart: target, weights, and those that options name."""
    from rosenblatt.data.tables import CodedTable

    named: list[str] = []
    for names in options.columns().values():
        named += names if isinstance(names, list) else [names]
    apart = dict.fromkeys(name for name in (table.target, *named, table.weights) if name)
    return CodedTable.read(
        table.path or "",
        list(apart),
        features=table.features,
        leave_out=table.drop,
        categorical=table.factor_names,
        orders=table.factor_orders,
        told=table.told(),
        missing=table.missing.value,
        compared=_compared(options.columns()),
        # other models never have an intercept of their own: they compare rows, or have thresholds
        reference=intercept or options.name not in (*_BY_ROW, "multinomial"),
    )


def _compared(columns: dict[str, Any]) -> list[str]:
    """The columns of which a model asks only whether two values are equal, or which is larger."""
    chosen = [names for argument, names in columns.items() if argument in _COMPARED]
    return [name for names in chosen for name in (names if isinstance(names, list) else [names])]


@contextmanager
def _in_options(read: "CodedTable", columns: dict[str, Any]) -> Iterator[None]:
    """Turn a complaint about an argument into one about the option, or about the file's column and row."""
    from rosenblatt.regressions.machinery.given import BadValue
    from rosenblatt.regressions.machinery.regression import WrongArgument

    try:
        yield
    except BadValue as bad:
        column = columns.get(bad.argument, bad.argument)  # a fixed effect goes by its column's name already
        raise ValueError(f"{read.where}: {bad.in_file(column, int(read.numbers[bad.row]))}") from None
    except WrongArgument as wrong:
        raise ValueError(wrong.in_options) from None


@dataclass
class _ModelAnswer:
    """The verdict about a model, and what is needed to put it into words."""

    read: "CodedTable"
    verdict: Any
    options: ModelOptions
    table: TableOptions
    seconds: float
    left_out: int | None = None  # rows that the copy of --drop-separated does not have

    def certificate(self) -> Any:
        """The certificate, with all that a checker needs to rebuild the model's rows from the file."""
        content = self.verdict.certificate.content
        named = {name: column for name, column in self.options.columns().items() if name in content["model"]["columns"]}
        encoding = replace(self.read.coding, target=self.table.target, weights=self.table.weights)
        described = {"table": encoding.to_json(), "features": self.read.features}
        return rb.Certificate(content | described | {"model": content["model"] | {"columns": named}})

    def _numbers(self, rows: Any) -> list[int]:
        return [int(self.read.numbers[i]) for i in rows]

    @property
    def _separated(self) -> list[int]:
        """Rows that are predicted with certainty, as the file counts them."""
        return self._numbers(self.verdict.rows["strict"]) if self.verdict.rows else []

    def _pairs(self) -> list[tuple[int, str]]:
        """Comparisons that are decided with certainty: the row, and what it is compared with."""
        model = self.verdict.model
        if model is None or not model.compared:
            return []
        rows, others = self._numbers(model.pairs[:, 0]), model.pairs[:, 1]
        named = [model.against[k] for k in others] if model.against else [f"row {k}" for k in self._numbers(others)]
        return list(zip(rows, named, strict=True))

    def write_others(self, path: Path) -> int:
        """Write a copy of the table without the separated rows; returns their number."""
        source = Path(self.read.where)
        if source.suffix.lower() not in (".csv", ".tsv", ".txt"):
            raise ValueError(f"--drop-separated copies text files, such as CSV; {source.name} is none.")
        # Latin-1 has a character for each byte, so bytes stay as they are; the marks of CSV are the same in UTF-8
        lines = [line.decode("latin-1") for line in source.read_bytes().splitlines(keepends=True)]
        if any("\0" in line for line in lines):
            raise ValueError(f"--drop-separated copies text of one byte a character, such as UTF-8; {source} is none.")
        separated, kept, number, first = set(self._separated), [], 0, 0
        records = csv.reader(lines, delimiter=self.read.coding.delimiter)
        for record in records:  # of one line, or of several where quotes hold line ends; the first is the header
            if record and number not in separated:
                kept += lines[first : records.line_num]
            number, first = number + bool(record), records.line_num
        write_whole(path, "".join(kept).encode("latin-1"))
        return len(separated)

    def _collinear(self) -> list[list[str]]:
        """Groups of columns that depend on each other, or are zero, once the separated rows are dropped."""
        return [sorted(relation) for relation in self.verdict.model.collinear] if self.left_out else []

    def show(self, page: Page, certificate: Path | None) -> None:
        """Print the answer."""
        from rosenblatt.verdicts.words import readings_in_words

        verdict = self.verdict
        n, p = self.read.X.shape
        page.headline(f"{self.read.where} · {count(n, 'row')} × {count(p, 'column')} · {self.options.name} model")
        page.answer(verdict.sentence, proved=verdict.certificate is not None)
        facts = [("note", note) for note in (verdict.model.notes if verdict.model else ())]
        pairs = self._pairs()
        if pairs:
            facts.append(("certain", few(f"row {row} against {other}" for row, other in pairs)))
        elif verdict.kind in ("quasi", "complete"):
            facts.append(("separated rows", few(self._separated)))
        facts += [(one.name, one.advice) for one in verdict.coefficients or [] if one.kind != "finite"]
        finite = sum(one.kind == "finite" for one in verdict.coefficients or [])
        if finite:
            facts.append(("finite", count(finite, "coefficient")))
        if read := readings_in_words(verdict.readings, verdict.numbers):
            facts.append(("numbers read", read))
        if self.left_out is not None:
            facts.append(("written", f"{self.options.drop_separated}: the table without {count(self.left_out, 'row')}"))
            facts += [("then collinear", few(names)) for names in self._collinear()[:_RELATIONS]]
        page.facts(facts)
        small = [f"{self.seconds:.1f} s"]
        if self.read.dropped:
            small.append(f"{count(self.read.dropped, 'row')} left out, which lack a value")
        if self.read.references:
            small.append(f"factors are measured against {few(self.read.references)}")
        if certificate is not None and verdict.certificate is not None:
            check = typed("rosenblatt", "verify", certificate, self.read.where)
            small.append(f"proof in {certificate}; check it with: {check}")
        page.small_print(" · ".join(small))

    def _exists(self) -> bool | None:
        """Whether there is an estimate: None where that is not known. Where all values are equally likely, none is."""
        if self.verdict.kind == "overlap":
            return self.verdict.model is None or not self.verdict.model.silent
        return None if self.verdict.kind == "unknown" else False

    def to_json(self, certificate: Path | None) -> dict[str, Any]:
        """The fields of schema rosenblatt-check-model/1."""
        verdict = self.verdict
        n, p = self.read.X.shape
        coefficients = [
            {"name": one.name, "kind": one.kind, "rows": self._numbers(_places(one.rows))}
            for one in verdict.coefficients or []
        ]
        return {
            "data": self.read.where,
            "n": n,
            "p": p,
            "model": self.options.name,
            "verdict": verdict.kind,
            "estimate_exists": self._exists(),
            "sentence": verdict.sentence,
            "proved": verdict.certificate is not None,
            "separated_rows": self._separated,
            "certain": [list(pair) for pair in self._pairs()],
            "readings": [one.entry() for one in verdict.readings],
            "coefficients": coefficients,
            "then_collinear": self._collinear(),
            "certificate": None if certificate is None else str(certificate),
            "seconds": self.seconds,
        }


def _places(rows: Any) -> list[int]:
    """The rows of a list of rows, or of comparisons (row, other)."""
    return sorted({row[0] if isinstance(row, tuple) else row for row in rows})
