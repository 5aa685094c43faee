"""`rosenblatt report`: everything about the classes of a table in one HTML file."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import rosenblatt as rb
from rosenblatt.cli.options import Groups, Intercept, TableOptions, option, takes_table
from rosenblatt.cli.output import DONE, LIMIT, Page, deciding, outputs, waiting
from rosenblatt.cli.tables import load_grouped

if TYPE_CHECKING:
    from rosenblatt.data.tables import Table

__all__ = ["command", "write"]


@takes_table
def command(
    table: TableOptions,
    output: Annotated[Path, option("The HTML file to write.", "FILE", name="--output -o")] = Path("report.html"),
    title: Annotated[str | None, option("The page's heading; by default the name of the data.")] = None,
    groups: Groups = None,
    intercept: Intercept = True,
    time_limit: Annotated[float | None, option("Seconds for the verdict.", "SECONDS", min=0.0)] = None,
) -> int:
    """Write the verdict, its proof and the run to one HTML file.

    It also has the margins, sortable lists of rows and coefficients, and all learners side by side. The file needs no
    network and no other file. It contains values of the rows it shows: think before you send it to others.

    For example:
      rosenblatt report sonar.csv --target y
      rosenblatt report survey.parquet --target churn --drop id -o churn.html
      rosenblatt report iris.csv --target species

    Exit codes: 0 written, 2 bad input,
    3 written, but a limit was hit before the verdict was known.
    """
    from rosenblatt.report import ClassesStudy, write_classes_page

    outputs.make_ready(output, inputs=table.files)
    loaded, groups_of_rows = load_grouped(table, intercept, groups, multiclass=True)
    wanted: dict[str, Any] = {"fit_intercept": intercept, "time_limit": time_limit}
    if len(loaded.classes) > 2:  # all together, every two, and each against the rest
        if groups is not None:
            raise ValueError("--groups is for two classes: leave it out, or say --positive CLASS.")
        with waiting(f"deciding {len(loaded.classes)} classes"):
            study = ClassesStudy(loaded.rows(), loaded.y, loaded.classes, **wanted)
        study.describe(loaded.encoding)
        write_classes_page(study, output, title or Path(loaded.name).name, loaded.name)
        verdict, undecided = study.together, study.undecided
    else:
        with deciding(time_limit) as progress:
            verdict = rb.separability(loaded.rows(), loaded.y, groups=groups_of_rows, **wanted, progress=progress)
        with waiting("writing the report"):
            write(output, loaded, verdict, title, intercept, groups_of_rows)
        undecided = verdict.kind == "unknown"
    page = Page()
    page.headline(loaded.headline)
    page.answer(verdict.sentence, proved=verdict.proved)
    page.facts([("report", f"{output} ({output.stat().st_size:,} bytes): open it in a browser")])
    return LIMIT if undecided else DONE


def write(
    output: Path,
    loaded: "Table",
    verdict: "rb.Verdict",
    title: str | None = None,
    intercept: bool = True,
    groups: Any = None,
) -> "rb.report.Report":
    """Write the report of a table and its verdict, with the names that rows, columns and classes have in the table."""
    if verdict.certificate is not None:
        verdict = replace(verdict, certificate=verdict.certificate.about(loaded.encoding))
    return rb.report.write_report(
        output,
        loaded.rows(),
        loaded.y,
        title=title or Path(loaded.name).name,
        source=loaded.name,
        features=loaded.encoding.features,
        class_names=loaded.classes,
        target=loaded.encoding.target or "",
        row_numbers=loaded.row_numbers,
        row_names=loaded.ids,
        verdict=verdict,
        fit_intercept=intercept,
        groups=groups,
    )
