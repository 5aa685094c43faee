"""`rosenblatt estimate`: one table with the estimates of a regression, and what is proved about each."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import rosenblatt as rb
from rosenblatt.cli.options import WRITTEN, Json, Missing, ModelOptions, TableOptions, flag, option, takes_table
from rosenblatt.cli.output import DONE, LIMIT, complain, json_text, say, screen_width, waiting
from rosenblatt.cli.tables import load_for_model, tell
from rosenblatt.data.files import make_ready, write_whole

if TYPE_CHECKING:
    from rosenblatt.estimates.arguments import RowsGiven

__all__ = ["command"]


@takes_table
def command(
    table: TableOptions,
    asked: ModelOptions,
    formula: Annotated[
        str | None, option("Instead of --target: outcome and terms as in R (needs formulaic).", "'Y ~ A + C(B)'")
    ] = None,
    level: Annotated[float, option("The level of the intervals.", "PART")] = 0.95,
    exponentiate: Annotated[bool, flag("--exponentiate", "Show odds ratios (poisson: rate ratios).")] = False,
    firth: Annotated[bool, option("Whether to show Firth's estimates too.")] = True,
    exact: Annotated[
        bool, flag("--exact", "For small tables: also exact conditional estimates, intervals and p-values.")
    ] = False,
    intercept: Annotated[bool, option("Whether the model has an intercept.")] = True,
    time_limit: Annotated[
        float | None, option("Seconds for the verdict, and for each exact analysis (exit 3).", "SECONDS", min=0.0)
    ] = None,
    json: Json = False,
    latex: Annotated[bool, flag("--latex", "The table for LaTeX (booktabs).")] = False,
    markdown: Annotated[bool, flag("--markdown", "The table for Markdown.")] = False,
    output: Annotated[Path | None, option("Write it to this file.", "FILE", name="--output -o")] = None,
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
      rosenblatt estimate mice.csv --target dead --model binomial --trials size
      rosenblatt estimate pilot.csv --target died --exact
      rosenblatt estimate study.csv --target died --latex -o table.tex

    Exit codes: 0 done, 2 bad input,
    3 a limit was hit before the answer was known.
    """
    from rosenblatt.estimates.arguments import BesideColumns
    from rosenblatt.estimates.arguments import asked as given_rows
    from rosenblatt.estimates.design import Undecided
    from rosenblatt.estimates.estimating import Wanted, estimate_given
    from rosenblatt.regressions import regression_of
    from rosenblatt.regressions.machinery.regression import WrongArgument

    if json + latex + markdown > 1:
        raise ValueError("say one of --json, --latex and --markdown.")
    make_ready(output, inputs=table.files)
    if asked.fixed_effects:
        raise ValueError(
            "--fixed-effects are for `check`: an estimate has a coefficient for each of their values if you say "
            f"--categorical {','.join(asked.fixed_effects)}."
        )
    wanted = Wanted(level, firth, exact, exponentiate, time_limit, asked.ties)
    if formula is not None:
        given, bias = _by_formula(table, formula, intercept, asked)
    else:
        given, bias = given_rows(load_for_model(table, asked, intercept), None, BesideColumns(), intercept=intercept)
    try:
        with waiting("estimating"):
            found = estimate_given(given, regression_of(asked.name).name, bias, wanted)
    except Undecided as why:
        complain(str(why))
        return LIMIT
    except WrongArgument as wrong:
        raise ValueError(wrong.in_options) from None
    _show(found, str(table.data or "the query"), json, latex, markdown, output)
    return LIMIT if found.late else DONE


def _by_formula(table: TableOptions, formula: str, intercept: bool, options: ModelOptions) -> "tuple[RowsGiven, bool]":
    """The rows that a formula describes, and whether it has an intercept."""
    from rosenblatt.data.tables import columns_in_floats, open_columns
    from rosenblatt.data.understood import source_in_words
    from rosenblatt.estimates.arguments import BesideColumns, asked

    if options.name == "cox":
        raise ValueError("a Cox model takes no formula here: say --time, --event and --features.")
    if others := table.besides("data", "more", "missing", "weights", *WRITTEN):
        raise ValueError(f"a formula names the columns and says what they are: leave {', '.join(others)} out.")
    if table.data is None:
        raise ValueError("say which data: a file, as in rosenblatt estimate data.csv --formula 'y ~ a'.")
    if table.missing not in (Missing.refuse, Missing.drop):
        raise ValueError("with a formula, --missing is refuse or drop.")
    if not intercept:
        raise ValueError("a formula says itself that there is no intercept: end it with - 1.")
    source = open_columns(table.path or "", told=table.told())
    data = columns_in_floats(source, table.told(), "rosenblatt check takes such numbers")
    tell(source.where, source_in_words(source))
    beside = BesideColumns(sample_weight=table.weights, **options.roles)
    return asked(formula, None, beside, data, missing=table.missing.value)


def _show(found: "rb.Estimates", where: str, json: bool, latex: bool, markdown: bool, output: Path | None) -> None:
    from rosenblatt.estimates.layout import text

    if json:
        content = json_text(found.to_json() | {"data": where})
    elif latex or markdown:
        content = found.to_latex() if latex else found.to_markdown()
    else:
        content = text(found, None if output else screen_width())
    if output is not None:
        write_whole(output, (content + "\n").encode())
        say(f"written to {output}")
    elif json or latex or markdown:
        print(content)
    else:
        say(*content.splitlines())
