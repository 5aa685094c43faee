"""`rosenblatt verify`: check a certificate, believing nobody."""

from pathlib import Path
from typing import Annotated, Any

import typer

from rosenblatt.cli.exits import BAD_INPUT, DONE, NO
from rosenblatt.cli.options import Format, Json

__all__ = ["command"]

_LARGE = 1 << 22  # values from which the checker in pure Python would take minutes and gigabytes


def command(
    certificate: Annotated[Path, typer.Argument(metavar="CERTIFICATE", help="What `check --certificate` wrote.")],
    data: Annotated[str, typer.Argument(metavar="DATA", help="The data it is about; - reads standard input.")],
    format: Format = None,  # noqa: A002 (the option's name)
    json: Json = False,
) -> int:
    """Check the proof in a certificate on the data it is about.

    The checker is one file of the standard library, rosenblatt/verdicts/checker.py, and shares no code with what found
    the proof; for CSV files it also runs alone: python checker.py CERTIFICATE DATA. Beyond four million
    values a faster one takes over, and the answer says so.

    For example:
      rosenblatt check sonar.csv --target y --certificate sonar.json
      rosenblatt verify sonar.json sonar.csv

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

    content = Certificate.load(certificate).content
    table = content.get("table") if isinstance(content, dict) else None
    if table is None:
        raise ValueError(f"{certificate} does not say which columns of a table it is about.")
    loaded = load_alike(data, Encoding.from_json(table), format)
    large = loaded.X.shape[0] * loaded.X.shape[1] > _LARGE
    answer, code = "", DONE
    try:
        with waiting("checking"):
            answer = Certificate(content).examine(as_rows(loaded.X), loaded.signs, _LARGE)
    except checker.Refused as why:
        answer, code = f"{certificate} does not hold: {why}.", NO
    except checker.OtherData as why:
        answer, code = f"{certificate} is not about {data}: {why}.", BAD_INPUT
    if json:
        print_json("rosenblatt-verify/1", _to_json(loaded, certificate, answer, code, large))
    elif code == DONE:
        page = Page()
        page.headline(loaded.headline)
        page.answer(f"It holds. {answer[0].upper()}{answer[1:]}.", proved=True)
        page.facts([("checked by", "verdicts/fast.py, too large for checker.py" if large else "verdicts/checker.py")])
    else:
        complain(answer)
    return code


def _to_json(loaded: Any, certificate: Path, answer: str, code: int, large: bool) -> dict[str, Any]:
    return {
        **loaded.to_json(),
        "certificate": str(certificate),
        "holds": code == DONE,
        "about_these_data": code != BAD_INPUT,
        "sentence": answer,
        "checker": "fast" if large else "independent",
    }
