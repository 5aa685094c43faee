"""`rosenblatt estimate`: one table with the estimates of a regression, and what is proved about each."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import rosenblatt as rb
from rosenblatt.cli.options import Formula, Json, ModelOptions, TableOptions, flag, option, refuse, takes_table
from rosenblatt.cli.output import DONE, LIMIT, complain, json_text, outputs, say, screen_width, waiting
from rosenblatt.cli.streams import take_data
from rosenblatt.cli.tables import load_for_model, load_formula
from rosenblatt.data.files import write_whole

if TYPE_CHECKING:
    from rosenblatt.estimates.maximum import Robust
    from rosenblatt.regressions.machinery.terms import Link

__all__ = ["command"]


@takes_table
def command(
    table: TableOptions,
    asked: ModelOptions,
    formula: Formula = None,
    level: Annotated[float, option("The level of the intervals.", "PART")] = 0.95,
    exponentiate: Annotated[bool, flag("--exponentiate", "Show odds ratios (poisson: rate ratios).")] = False,
    firth: Annotated[bool, option("Whether to show Firth's estimates too.")] = True,
    exact: Annotated[
        bool, flag("--exact", "For small tables: also exact conditional estimates, intervals and p-values.")
    ] = False,
    robust: Annotated[
        str | None, option("Robust standard errors, HC0 to HC3, and Wald intervals with them.", "KIND")
    ] = None,
    groups: Annotated[
        str | None, option("The column of who or what rows are of: errors are robust, and clustered by it.", "COL")
    ] = None,
    cluster: Annotated[str | None, option("The same as --groups.", "COL")] = None,
    link: Annotated[str | None, option("logit, probit or cloglog: of what the response is a quantile.", "NAME")] = None,
    intercept: Annotated[bool, option("Whether the model has an intercept.")] = True,
    time_limit: Annotated[
        float | None, option("Seconds for the verdict, and for each exact analysis (exit 3).", "SECONDS", min=0.0)
    ] = None,
    json: Json = False,
    latex: Annotated[bool, flag("--latex", "The table for LaTeX (booktabs).")] = False,
    markdown: Annotated[bool, flag("--markdown", "The table for Markdown.")] = False,
    output: Annotated[
        Path | None,
        option(
            "Write it to this file, as its name ends: .csv, .tsv, .xlsx, .json, .md, .html, .tex, .docx, .txt; .png, "
            ".svg, .pdf: a forest plot.",
            "FILE",
            name="--output -o",
        ),
    ] = None,
) -> int:
    """Estimate a regression, and say what is proved.

    For each coefficient: whether its estimate is finite, the maximum-likelihood estimate, its profile-likelihood
    interval (with an infinite end where that is the truth), and Firth's estimate, interval and p-value.

    For example:
      rosenblatt estimate study.csv --target died
      rosenblatt estimate study.csv --target died --exponentiate --level 0.9
      rosenblatt estimate study.csv --formula 'died ~ age + C(centre)'
      rosenblatt estimate gp.csv --target visits --model poisson --exposure time
      rosenblatt estimate flowers.csv --target species --model multinomial
      rosenblatt estimate trial.csv --model cox --time months --event died
      rosenblatt estimate lung.csv --formula 'Surv(time, status == 2) ~ age + sex'
      rosenblatt estimate mice.csv --target dead --model binomial --trials size
      rosenblatt estimate pilot.csv --target died --exact
      rosenblatt estimate trade.csv --formula 'y ~ dist' --groups firm
      rosenblatt estimate trade.csv --formula 'y ~ x | firm' --model poisson
      rosenblatt estimate dose.csv --target dead --trials size --link probit
      rosenblatt estimate study.csv --target died --exponentiate -o t.docx

    Exit codes: 0 done, 2 bad input,
    3 a limit was hit before the answer was known.
    """
    from rosenblatt.estimates.arguments import BesideColumns
    from rosenblatt.estimates.arguments import asked as given_rows
    from rosenblatt.estimates.design import Undecided
    from rosenblatt.estimates.estimating import Wanted, estimate_given
    from rosenblatt.regressions import WrongArgument

    if groups is not None:
        refuse("is another name of --groups: say one of them.", cluster=cluster)
    related = groups or cluster
    form = _form(output, {".json": json, ".tex": latex, ".md": markdown})
    outputs.make_ready(output, inputs=table.files)
    kinds = cast("Robust | None", robust), cast("Link | None", link)
    wanted = Wanted(level, firth, exact, exponentiate, time_limit, asked.ties, *kinds)
    if formula is not None:
        given, bias = load_formula(table, formula, intercept, asked, related)
    else:
        given, bias = given_rows(
            load_for_model(table, asked, intercept, related), None, BesideColumns(), intercept=intercept
        )
    given = replace(given, ordered=asked.level_names or given.ordered)
    try:
        with waiting("estimating"):
            found = estimate_given(given, asked.model_or(given.usual_model), bias, wanted)
    except Undecided as why:
        complain(str(why))
        return LIMIT
    except WrongArgument as wrong:
        raise ValueError(wrong.in_options) from None
    _show_estimates(found, str(table.data or "the query"), form, output)
    return LIMIT if found.late else DONE


def _form(output: Path | None, flags: dict[str, bool]) -> str:
    """How the table is written, as the ending of a file: that of the output's name, or a flag's; "": for a person."""
    from rosenblatt.estimates.results.files import form_of

    asked = [form for form, given in flags.items() if given]
    if len(asked) > 1:
        raise ValueError("say one of --json, --latex and --markdown.")
    if output is None:
        return asked[0] if asked else ""
    if asked and output.suffix.lower() in ("", asked[0]):
        return asked[0]
    form = form_of(output)
    if asked:
        raise ValueError(f"{output} would be {form}, and an option asks for {asked[0]}: leave one of them out.")
    return form


def _show_estimates(found: "rb.Estimates", where: str, form: str, output: Path | None) -> None:
    from rosenblatt.estimates.results.files import PICTURES, table_file
    from rosenblatt.estimates.results.layout import text

    if form in PICTURES and output is not None:
        rb.plot.EstimatesDisplay.from_estimates(found).save(output)
    elif form == ".json":
        content = (json_text(found.to_json() | {"data": where}) + "\n").encode()
        _hand_over(content, output)
    elif form:
        _hand_over(table_file(found, form), output)
    else:
        say(*text(found, screen_width()).splitlines())
    if output is not None:
        say(f"written to {output}")


def _hand_over(content: bytes, output: Path | None) -> None:
    if output is None:
        take_data()
        print(content.decode(), end="")
    else:
        write_whole(output, content)
