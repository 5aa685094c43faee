"""`rosenblatt verify`: check a certificate on its data, by a program that shares no code with what found the proof."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import rosenblatt as rb
from rosenblatt.cli.options import WRITTEN, Json, TableOptions, argument, option, takes_some
from rosenblatt.cli.output import BAD_INPUT, DONE, NO, Page, complain, count, few, print_json, waiting
from rosenblatt.cli.tables import load_alike
from rosenblatt.data.refusal import Refused

if TYPE_CHECKING:
    from rosenblatt.data.tables import Table

__all__ = ["command"]

_LARGE = 1 << 22  # with more values, the checker in pure Python would take minutes and gigabytes
_TEXT = (
    ".csv",
    ".tsv",
    ".txt",
    ".dat",
    ".data",
    "",
)  # what checker.py reads by itself, if nothing has to be said of how it is written
_MODEL_CHECKERS = {"fast": "verdicts/certificates/holding.py", "independent": "verdicts/checker.py"}
_CHECKERS = {"fast": "verdicts/certificates/holding.py, too large for checker.py", "independent": "verdicts/checker.py"}


@takes_some(*WRITTEN)
def command(
    options: TableOptions,
    certificate: Annotated[Path, argument("CERTIFICATE", "What `check --certificate` wrote.")],
    json: Json = False,
    program: Annotated[
        str | None, option("Let this program check it; 'proved': that of `make verified`.", "PROGRAM", name="--with")
    ] = None,
) -> int:
    """Check the proof in a certificate on the data it is about.

    The checker, rosenblatt/verdicts/checker.py, is one file that needs only Python, and shares no code with what found
    the proof; for CSV files it also runs alone: python checker.py CERTIFICATE DATA. Beyond four million values a faster
    checker takes over, and the answer says so. `make verified` builds a checker that is itself proved: --with proved
    has it check the rows that were read, --with PROGRAM any other. The CSV file of a model it reads itself; where an
    option says how a file is written, and of other formats, rosenblatt reads the table, and checks it by the faster
    checker.

    For example:
      rosenblatt check sonar.csv --target y --certificate sonar.json
      rosenblatt verify sonar.json sonar.csv
      rosenblatt verify sonar.json sonar.csv --with proved

    Exit codes: 0 it holds, 1 it does not, 2 the data are not those it is about,
    or bad input.
    """
    from rosenblatt.verdicts.certificates import examine_with, program_named

    if options.data is None:
        raise ValueError(
            "say which data: those that the certificate is about, as in rosenblatt verify p.json rows.csv."
        )
    data, content = options.data, rb.Certificate.load(certificate).content
    table = content.get("table") if isinstance(content, dict) else None
    if table is None:
        raise ValueError(f"{certificate} does not say which columns of a table it is about.")
    other = None if program is None else program_named(program)
    if "model" in content:
        return _verify_model(certificate, content, options, other, json)
    try:
        loaded = load_alike(options, rb.data.Encoding.from_json(table))
    except Refused as why:  # the certificate says how the table is read: options that would change that do not exist
        raise ValueError(why.problem) from None
    rows = loaded.rows()
    proof = rb.Certificate(content)
    independent = proof.work(rows) <= _LARGE

    def check() -> str:
        if other:
            return str(examine_with(other, certificate, rows, loaded.y))
        return str(proof.examine(rows, loaded.y, independent))

    checked = _checked(certificate, data, check)
    name = "other" if other else "independent" if independent else "fast"
    if json:
        columns = [{"name": one.name, "kind": one.kind} for one in loaded.encoding.columns]
        how = {"checker": name, "target": loaded.encoding.target, "columns": columns, "rows_left_out": loaded.left_out}
        print_json("rosenblatt-verify/1", loaded.to_json() | checked.to_json() | how)
    else:
        facts = [*_how_read(loaded), ("checked by", str(other or _CHECKERS[name]))]
        _show_checked(checked, loaded.headline, facts)
    return checked.code


def _verify_model(
    certificate: Path, content: dict[str, Any], options: TableOptions, other: Path | None, json: bool
) -> int:
    """Check the certificate of a model with a checker that reads the table itself."""
    from rosenblatt.verdicts import checker
    from rosenblatt.verdicts.certificates import examine_file_with

    data, told = str(options.data), options.besides("data")
    read, name = f"{Path(data).name}, by {other}", "other" if other else "independent"
    if other and told:
        raise ValueError(f"{other} reads a plain CSV file by itself: leave out {', '.join(told)}.")

    def check() -> str:
        nonlocal read, name
        if other:
            return examine_file_with(other, certificate, Path(data))
        if not told and Path(data).suffix.lower() in _TEXT:
            X, y, columns, read = checker.read_table(content, data)
            return str(checker.check(content, X, y, **columns))
        read, name = " with ".join(filter(None, [f"{Path(data).name}, by rosenblatt", ", ".join(told)])), "fast"
        return _of_rows_read(content, options)

    checked = _checked(certificate, data, check)
    if json:
        how = {"checker": name, "read": read}
        print_json("rosenblatt-verify-model/1", {"data": data} | checked.to_json() | how)
    else:
        facts = [("read as", read), ("checked by", str(other or _MODEL_CHECKERS[name]))]
        _show_checked(checked, f"{data} · {content['model']['name']} model", facts)
    return checked.code


def _of_rows_read(content: dict[str, Any], options: TableOptions) -> str:
    """What the certificate of a model proves about a file that is read as other commands read it."""
    from rosenblatt.regressions import regression_of
    from rosenblatt.verdicts import checker
    from rosenblatt.verdicts.existence import examine

    model = content["model"]
    checker.model_schema(model, content.get("p"), content.get("fit_intercept"))
    try:
        how = {"roles": model["columns"], "reads": regression_of(model["name"]).roles}
        given = load_alike(options, rb.data.Encoding.from_json(content["table"]), **how).arguments()
    except Refused as why:
        raise checker.OtherData(why.problem.rstrip(".")) from None
    X, weights, _ = given.pop("X"), given.pop("sample_weight", None), given.pop("classes", None)
    return str(examine(content, X, given, weights))


class _Checked(NamedTuple):
    """What a checker says of a certificate, and the exit code for that."""

    certificate: Path
    answer: str
    code: int

    def to_json(self) -> dict[str, Any]:
        """The fields that the schemas for two classes and for models share."""
        return {
            "certificate": str(self.certificate),
            "holds": self.code == DONE,
            "about_these_data": self.code != BAD_INPUT,
            "sentence": self.answer,
        }


def _checked(certificate: Path, data: str, check: Callable[[], str]) -> _Checked:
    from rosenblatt.verdicts import checker

    try:
        with waiting("checking"):
            return _Checked(certificate, check(), DONE)
    except checker.DoesNotHold as why:
        return _Checked(certificate, f"{certificate} does not hold: {why}.", NO)
    except (checker.OtherData, UnicodeDecodeError) as why:
        return _Checked(certificate, f"{certificate} is not about {data}: {why}.", BAD_INPUT)


def _show_checked(checked: _Checked, headline: str, facts: list[tuple[str, str]]) -> None:
    """Print the answer for a person."""
    if checked.code != DONE:
        complain(checked.answer)
        return
    page = Page()
    page.headline(headline)
    page.answer(f"It holds. {checked.answer[0].upper()}{checked.answer[1:]}.", proved="proved")
    page.facts(facts)


def _how_read(loaded: "Table") -> list[tuple[str, str]]:
    """How the certificate says to read the table: it may come from somebody else, who chose the columns."""
    encoding = loaded.encoding
    outcome = encoding.target or " and ".join(encoding.counts or ("y",))
    columns = few([f"{one.name} ({one.kind})" for one in encoding.columns], 6)
    facts = [("read as", f"target {outcome}, positive class {loaded.classes[1]}; from {columns}")]
    if loaded.left_out:
        why = "a value is missing" if encoding.missing == "drop" else "they weigh nothing"
        away = f"{count(loaded.left_out, 'row')} of the data, because {why}: nothing is proved about them"
        facts.append(("left out", away))
    return facts
