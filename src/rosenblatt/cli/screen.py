"""`rosenblatt screen`: one table, many outcomes; for each the verdict, and which coefficients are finite."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import rosenblatt as rb
from rosenblatt.cli.options import Json, TableOptions, flag, option, refuse, takes_table
from rosenblatt.cli.output import DONE, Page, count, counting, outputs, print_json
from rosenblatt.cli.tables import load_roles

if TYPE_CHECKING:
    from rosenblatt.data.tables import Table
    from rosenblatt.estimates.screening import Screening

__all__ = ["command"]

_SHOWN = 20  # outcomes that are printed


@takes_table
def command(
    table: TableOptions,
    outcomes: Annotated[list[str], option("Columns that are outcomes, such as 'y*'; may be repeated.", "PATTERN")],
    output: Annotated[
        str | None,
        option(
            "Write a line for each coefficient of each outcome: to a CSV file, or as Parquet parts to a folder/.",
            "FILE|FOLDER/",
            name="-o --output",
        ),
    ] = None,
    firth: Annotated[bool, flag("--firth", "Also Firth's estimates, intervals and p-values.")] = False,
    level: Annotated[float, option("The level of the intervals.", min=0.5, max=0.9999)] = 0.95,
    intercept: Annotated[bool, option("Whether there is an intercept.")] = True,
    time_limit: Annotated[float | None, option("Seconds for each verdict.", "SECONDS", min=0.0)] = None,
    jobs: Annotated[int | None, option("Processes; by default one a core.", min=1)] = None,
    json: Json = False,
) -> int:
    """Decide many outcomes on one table, each with proof.

    Rows that lack an outcome are left out for that outcome. With -o the lines are written as they come; after a crash
    the same command goes on where it ended.

    For example:
      rosenblatt screen cohort.csv --outcomes 'icd_*' -o fates.csv
      rosenblatt screen cohort.csv --outcomes 'icd_*' --firth -o estimates.csv
      rosenblatt screen cohort.parquet --outcomes 'icd_*' -o fates/
    """
    import numpy as np

    from rosenblatt.data.tables import Named
    from rosenblatt.estimates.screening_files import is_folder

    told = {name: getattr(table, name) for name in ("target", "positive", "counts", "weights", "store")}
    refuse("does not go with many outcomes: leave it out.", **told)
    outputs.make_ready(None if output is None or is_folder(output) else output, inputs=table.files)
    if output is not None:
        outputs.watch(output, "has the outcomes decided so far, and the same command goes on from there")
    read = load_roles(table, {"outcomes": outcomes}, intercept=intercept)
    if not read.features:
        raise ValueError(f"{read.name} has outcomes only: there is no column to explain them with.")
    found_outcomes = read.column("outcomes")
    assert isinstance(found_outcomes, list)
    names = [one.name for one in found_outcomes]
    with counting("outcomes decided", len(names)) as progress:
        found = rb.screen(
            read.arguments()["X"],
            Named(np.array([np.asarray(one) for one in found_outcomes], dtype=object).T, names),
            firth=firth,
            level=level,
            fit_intercept=intercept,
            time_limit=time_limit,
            output=output,
            jobs=jobs,
            progress=progress,
        )
    if json:
        print_json("rosenblatt-screen/1", {"data": read.name, "lines": [asdict(line) for line in found.lines]})
        return DONE
    _show_screening(read, names, found, output, firth)
    return DONE


def _show_screening(read: "Table", names: list[str], found: "Screening", output: str | None, firth: bool) -> None:
    """Print the outcomes (of many, only those without an estimate), and which rows were left out."""
    page = Page()
    page.headline(
        f"{read.name} · {count(read.n, 'row')} × {count(len(read.features), 'column')} · {count(len(names), 'outcome')}"
    )
    page.answer(found.sentence)
    rows = found.summary()
    if len(rows) > _SHOWN:  # outcomes with an estimate are in the file
        rows = [row for row in rows if row[2] != "overlap"]
    if rows:
        page.table(["outcome", "positives", "verdict", "without a finite estimate"], rows[:_SHOWN])
    if len(rows) > _SHOWN:
        page.small_print(f"and {count(len(rows) - _SHOWN, 'more outcome')} without an estimate: -o FILE has them all")
    if read.left_out:
        page.small_print(f"{count(read.left_out, 'row')} left out, which lack a value")
    if read.encoding.references:
        page.small_print(f"factors are measured against {', '.join(read.encoding.references)}")
    if output is not None:
        page.small_print(f"all lines: {output}")
    elif firth:
        page.small_print("Firth's estimates: -o FILE writes them, --json prints them")
