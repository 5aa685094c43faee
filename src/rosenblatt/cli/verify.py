"""`rosenblatt verify`: check a certificate, believing nobody."""

from pathlib import Path
from typing import Annotated, Any

import typer

from rosenblatt.cli.options import Format, Json
from rosenblatt.cli.output import BAD_INPUT, DONE, NO, count, few

__all__ = ["command"]

_LARGE = 1 << 22  # values from which the checker in pure Python would take minutes and gigabytes


_CHECKERS = {
    "fast": "verdicts/fast.py, too large for checker.py",
    "independent": "verdicts/checker.py",
}


def command(
    certificate: Annotated[Path, typer.Argument(metavar="CERTIFICATE", help="What `check --certificate` wrote.")],
    data: Annotated[str, typer.Argument(metavar="DATA", help="The data it is about; - reads standard input.")],
    format: Format = None,  # noqa: A002 (the option's name)
    json: Json = False,
    program: Annotated[
        Path | None,
        typer.Option("--with", metavar="PROGRAM", help="Let this program check it, such as ./rosenblatt-verify."),
    ] = None,
) -> int:
    """Check the proof in a certificate on the data it is about.

    The checker is one file of the standard library, rosenblatt/verdicts/checker.py, and shares no code with what found
    the proof; for CSV files it also runs alone: python checker.py CERTIFICATE DATA. Beyond four million
    values a faster one takes over, and the answer says so. `make verified` builds a checker that is itself proved;
    --with has that one, or any other program, check the rows that were read.

    For example:
      rosenblatt check sonar.csv --target y --certificate sonar.json
      rosenblatt verify sonar.json sonar.csv
      rosenblatt verify sonar.json sonar.csv --with verified/rosenblatt-verify

    Exit codes: 0 it holds, 1 it does not, 2 the data are not those it is about,
    or bad input.
    """
    from rosenblatt.cli.output import Page, complain, print_json
    from rosenblatt.cli.tables import load_alike
    from rosenblatt.cli.waiting import waiting
    from rosenblatt.data import Encoding
    from rosenblatt.data.rows import as_rows
    from rosenblatt.verdicts import checker
    from rosenblatt.verdicts.certificate import Certificate
    from rosenblatt.verdicts.other_checker import examine_with

    content = Certificate.load(certificate).content
    table = content.get("table") if isinstance(content, dict) else None
    if table is None:
        raise ValueError(f"{certificate} does not say which columns of a table it is about.")
    if "model" in content:
        return _verify_model(certificate, content, data, program, json)
    loaded = load_alike(data, Encoding.from_json(table), format)
    rows = as_rows(loaded.X)
    proof = Certificate(content)
    independent = proof.work(rows) <= _LARGE
    name = "other" if program else "independent" if independent else "fast"
    answer, code = "", DONE
    try:
        with waiting("checking"):
            if program:
                answer = examine_with(program, certificate, rows, loaded.signs)
            else:
                answer = proof.examine(rows, loaded.signs, independent)
    except checker.Refused as why:
        answer, code = f"{certificate} does not hold: {why}.", NO
    except checker.OtherData as why:
        answer, code = f"{certificate} is not about {data}: {why}.", BAD_INPUT
    if json:
        print_json("rosenblatt-verify/1", _to_json(loaded, certificate, answer, code, name))
    elif code == DONE:
        page = Page()
        page.headline(loaded.headline)
        page.answer(f"It holds. {answer[0].upper()}{answer[1:]}.", proved=True)
        page.facts([*_reading(loaded), ("checked by", str(program) if program else _CHECKERS[name])])
    else:
        complain(answer)
    return code


def _verify_model(certificate: Path, content: Any, data: str, program: Path | None, json: bool) -> int:
    """The certificate of a model, by the independent checker, which reads the table by the names in it."""
    from rosenblatt.cli.output import Page, complain, print_json
    from rosenblatt.cli.waiting import waiting
    from rosenblatt.verdicts import checker

    if program:
        raise ValueError("--with is for certificates of two classes; this one is about a model: leave it out.")
    read, code = "", DONE
    try:
        with waiting("checking"):
            X, y, columns, read = checker.read_table(content, data)
            answer = checker.check(content, X, y, **columns)
    except checker.Refused as why:
        answer, code = f"{certificate} does not hold: {why}.", NO
    except (checker.OtherData, UnicodeDecodeError) as why:
        answer, code = f"{certificate} is not about {data}: {why}.", BAD_INPUT
    if json:
        about = {"data": data, "certificate": str(certificate), "holds": code == DONE}
        told = {"about_these_data": code != BAD_INPUT, "sentence": answer, "checker": "independent", "read": read}
        print_json("rosenblatt-verify-model/1", about | told)
    elif code == DONE:
        page = Page()
        page.headline(f"{data} · {content['model']['name']} model")
        page.answer(f"It holds. {answer[0].upper()}{answer[1:]}.", proved=True)
        page.facts([("read as", read), ("checked by", _CHECKERS["independent"])])
    else:
        complain(answer)
    return code


def _reading(loaded: Any) -> list[tuple[str, str]]:
    """How the certificate has the table read: somebody else may have chosen that."""
    encoding = loaded.encoding
    outcome = encoding.target or " and ".join(encoding.counts or ("y",))
    columns = few([f"{one.name} ({one.kind})" for one in encoding.columns], 6)
    facts = [("read as", f"target {outcome}, positive class {loaded.classes[1]}; from {columns}")]
    if loaded.dropped:
        why = "a value is missing" if encoding.missing == "drop" else "they weigh nothing"
        facts.append(
            ("left out", f"{count(loaded.dropped, 'row')} of the data, because {why}: nothing is proved about them")
        )
    return facts


def _to_json(loaded: Any, certificate: Path, answer: str, code: int, checker: str) -> dict[str, Any]:
    return {
        **loaded.to_json(),
        "certificate": str(certificate),
        "holds": code == DONE,
        "about_these_data": code != BAD_INPUT,
        "sentence": answer,
        "checker": checker,
        "target": loaded.encoding.target,
        "columns": [{"name": one.name, "kind": one.kind} for one in loaded.encoding.columns],
        "rows_left_out": loaded.dropped,
    }
