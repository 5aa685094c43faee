"""`rosenblatt fit`: learn a model from a table. Here are its options and its answer; `fit_plan.py` has the way between.

An interrupted fit loses nothing: it goes on from its checkpoint.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from rosenblatt.cli.fit_plan import FitWanted, LearnerName, Order, Plan, Recipe
from rosenblatt.cli.options import (
    Cluster,
    Groups,
    Intercept,
    Json,
    ShardRows,
    TableOptions,
    flag,
    option,
    refuse,
    takes_table,
)
from rosenblatt.cli.output import DONE, INTERRUPTED, Page, count, note, outputs, print_json, waiting
from rosenblatt.cli.tables import joined, typed
from rosenblatt.data.files import held_alone, refuse_existing

if TYPE_CHECKING:
    from rosenblatt.comparison.measures import Measure
    from rosenblatt.learners.shared.table_fit import Judged, TableFit

__all__ = ["command"]

_SECONDS = 60.0  # between checkpoints
_COLUMNS = 10  # so many weights are shown
_CORRECTIONS = 40  # and so many corrections; of more, the first and the last


@takes_table
def command(
    table: TableOptions,
    output: Annotated[Path, option("Where to write the model.", "MODEL", name="--output -o")],
    learner: Annotated[
        LearnerName | None,
        option(
            f"What learns: {', '.join(LearnerName)}. By default logistic, beyond 500 columns averaged; auto is the "
            "simplest of those that do about best by cross-validation.",
            "NAME",
        ),
    ] = None,
    recipe: Annotated[Recipe | None, option("The perceptron as one lecture has it.")] = None,
    passes: Annotated[int | None, option("Stop after so many passes (by default 1000).", min=1)] = None,
    order: Annotated[
        Order | None, option("Rows in turn, shuffled each pass (the default without a recipe), or drawn.")
    ] = None,
    eta: Annotated[float | None, option("The step.", "NUMBER")] = None,
    margin: Annotated[float | None, option("Correct also what is right by less than this.", "NUMBER")] = None,
    multiclass: Annotated[
        str | None,
        option(
            "Three or more classes: ovr (each against the rest), kesler (perceptrons), multinomial (logistic).", "NAME"
        ),
    ] = None,
    regularizer: Annotated[
        float | None, option("A ridge (logistic, least-squares): 1 is usual, with --scale.", "NUMBER", min=0.0)
    ] = None,
    rff: Annotated[int | None, option("Learn from so many random Fourier features of the columns.", "N", min=1)] = None,
    seed: Annotated[int, option("Seeds everything that is drawn.", min=0)] = 0,
    jobs: Annotated[int | None, option("Threads; they change no bit of the model.")] = None,
    intercept: Intercept = True,
    scale: Annotated[
        bool, flag("--scale", "Learn from columns of one size; the model takes them as they are.")
    ] = False,
    balanced: Annotated[bool, flag("--balanced", "Give both classes the same total weight.")] = False,
    validation: Annotated[
        str | None, option("Also judge the model on this table, or on this part of the rows.", "FILE|FRACTION")
    ] = None,
    cv: Annotated[int | None, option("Also judge it by cross-validation with K folds.", "K", min=2)] = None,
    groups: Groups = None,
    trace: Annotated[Path | None, option("Record every correction in this file (perceptrons).", "FILE")] = None,
    show: Annotated[bool, flag("--show", "Print the table of corrections (perceptrons, two classes).")] = False,
    checkpoint_every: Annotated[
        float | None, option("Save a checkpoint every so many seconds (by default 60).", "SECONDS", min=0.0)
    ] = None,
    resume: Annotated[
        bool, flag("--resume", "Go on from the checkpoint of the same command, if there is one.")
    ] = False,
    force: Annotated[bool, flag("--force", "Replace a model that is there already.")] = False,
    cluster: Cluster = None,
    shard_rows: ShardRows = None,
    json: Json = False,
) -> int:
    """Learn to tell the classes apart; write the model to a file.

    Ctrl-C and SIGTERM save a checkpoint beside the model; the same command with --resume goes on, and ends with the
    very model that an undisturbed run would have made, bit for bit. So it does after a power cut, from the last
    checkpoint. Text columns, missing values and the like are read the same way again by `rosenblatt predict`.

    For example:
      rosenblatt fit train.csv --target ill -o ill.model
      rosenblatt fit train.csv --target ill -o m --learner auto
      rosenblatt fit train.csv --target ill -o m --cv 10 --validation test.csv
      rosenblatt fit train.csv --target ill -o m --learner averaged --scale
      rosenblatt fit train.csv --target ill -o m --rff 300 --cv 5
      rosenblatt fit huge.parquet --target clicked -o m --passes 20 --resume
      rosenblatt fit toy.csv --target y -o m --recipe stein --trace toy.trace
      rosenblatt fit iris.csv --target species -o m
      rosenblatt fit rows/ --target y -o m --cluster tcp://10.0.0.7:8786
    """
    from rosenblatt.data.paths import plain_files
    from rosenblatt.learners.runs import Interrupted

    outputs.make_ready(output, trace, inputs=[*table.files, *(plain_files(validation) if validation else [])])
    if not (force or resume):
        refuse_existing(output)
    parameters: dict[str, Any] = {
        "max_passes": passes,
        "order": order and order.value,
        "eta": eta,
        "margin": margin,
        "n_jobs": jobs,
        "fit_intercept": intercept,
        "class_weight": "balanced" if balanced else None,
        "trace": True if trace or show else None,
        "multiclass": multiclass,
        "regularizer": regularizer,
    }
    wanted = FitWanted(
        table,
        learner,
        recipe,
        parameters,
        scale,
        rff,
        cv,
        seed,
        trace,
        output,
        validation=validation,
        resume=resume,
        groups=groups,
    )
    wanted.refuse_contradictions()
    try:
        with held_alone(output):
            if cluster is None:
                refuse("goes with --cluster.", shard_rows=shard_rows)
                done = _Fitted.judged(*wanted.fit_here(_SECONDS if checkpoint_every is None else checkpoint_every))
            else:
                for_one = {
                    "trace": trace,
                    "checkpoint_every": checkpoint_every,
                    "scale": scale,
                    "rff": rff,
                    "cv": cv,
                    "groups": groups,
                }
                refuse("is for one machine: leave out that, or --cluster.", **for_one)
                if learner == "auto":
                    raise ValueError("--learner auto is for one machine: name a learner, or leave out --cluster.")
                with joined(cluster) as client:
                    fitted = wanted.fit_on(client, shard_rows)
                    with waiting("judging the model"):
                        done = _Fitted.judged(*fitted)
    except Interrupted as saved:
        note(f"interrupted. {saved}; the same command with --resume goes on from there.")
        return INTERRUPTED
    if json:
        print_json("rosenblatt-fit/1", done.to_json())
        return DONE
    page = Page()
    done.show(page)
    if show:
        done.show_corrections(page)
    return DONE


@dataclass(frozen=True)
class _Fitted:
    """A fit that has ended, and how its model does on rows: those it learned from, and others."""

    fit: "TableFit"
    plan: Plan
    seconds: float
    resumed: bool
    training: "Judged"
    validation: "Judged | None"
    validated: "dict[str, Measure] | None"

    @classmethod
    def judged(cls, fit: "TableFit", plan: Plan, seconds: float, resumed: bool) -> "_Fitted":
        """Judge the model of a fit."""
        return cls(fit, plan, seconds, resumed, fit.judge_training(), fit.judge_validation(), _measures_of(fit))

    def show(self, page: Page) -> None:
        """Print the answer."""
        model, fit = self.fit.model, self.fit
        page.headline(fit.loaded.headline)
        page.answer(f"{model.outcome_}: {model.outcome_.sentence}")
        penalty = getattr(model, "regularizer", 0.0)
        learner = f"{self.plan.name}, regularizer {penalty:g}" if penalty else self.plan.name
        facts = [*self._learned(), ("learner", f"{learner}, {count(model.n_passes_, 'pass', 'passes')}")]
        if self.plan.scale:
            facts.append(("columns", "scaled for learning; the model takes them as they are"))
        if self.plan.wanted.rff is not None:
            width = fit.before[-1].width_
            drawn = f"{count(self.plan.wanted.rff, 'random Fourier feature')} of the scaled columns, width {width:.4g}"
            facts.append(("features", f"{drawn}; the model takes the columns as they are"))
        facts.append(("training", _wrong_in_words(self.training)))
        if self.validation is not None:
            facts.append(("validation", _wrong_in_words(self.validation)))
        if fit.trace is not None:
            facts.append(("trace", f"{count(len(model.trace_), 'correction')} in {fit.trace}"))
        page.facts(facts + self._what_next())
        self._show_judgements(page)
        resumed = ", resumed" if self.resumed else ""
        page.small_print(
            f"{self.seconds:.2f} s{resumed} · model in {fit.output}; apply it with: "
            f"{typed('rosenblatt', 'predict', fit.output, fit.loaded.name)}"
        )

    def _weights(self) -> dict[str, Any] | None:
        """w by column, b and θ of the hyperplane that was learned; None where there is none, or not one alone."""
        model, names = self.fit.model, self.fit.names
        if not self._is_one_plane or names is None:
            return None
        b = float(model.intercept_[0])
        return {"w": dict(zip(names, model.coef_[0].tolist(), strict=True)), "b": b, "theta": -b}

    @property
    def _is_one_plane(self) -> bool:
        return len(getattr(self.fit.model, "coef_", ())) == 1

    def _learned(self) -> list[tuple[str, str]]:
        """The same in words, at most ten columns."""
        found = self._weights()
        if found is None:
            return []
        w = [f"{name} {value:.6g}" for name, value in found["w"].items()]
        more = f" and {len(w) - _COLUMNS:,} more" if len(w) > _COLUMNS else ""
        fires = f"{found['b']:.6g} (θ = {found['theta']:.6g})"
        return [("w", f"{', '.join(w[:_COLUMNS])}{more}"), ("b", fires)]

    def show_corrections(self, page: Page) -> None:
        """The table of corrections: step, row, response, correction, w after it."""
        from rosenblatt.data.wording import aligned

        fit = self.fit
        table: dict[str, Any] = fit.model.trace_.bind(fit.rows).corrections(fit.loaded.encoding.features)
        steps = range(1, len(table["row"]) + 1)
        table = {"step": steps} | table | {"row": fit.loaded.names_of(table["row"])}  # as the data call them
        rows = [
            [f"{v:g}" if isinstance(v, float) else str(v) for v in one] for one in zip(*table.values(), strict=True)
        ]
        few = rows if len(rows) <= _CORRECTIONS else [*rows[:20], ["…"] * len(table), *rows[-19:]]
        page.gap()
        page.lines(f"  {line}" for line in aligned([[*table], *few], words=()))

    def _show_judgements(self, page: Page) -> None:
        """The measures on rows that the model did not learn from; with `auto` those of all candidates too."""
        from rosenblatt.comparison.measures import MEASURES
        from rosenblatt.data.wording import in_blocks

        judged, choice = self.plan.judged, self.plan.choice
        if choice is not None:
            page.gap()
            page.paragraph(f"Chosen by cross-validation: {choice.sentence}")
            page.gap()
            headings, rows = choice.cells()
            every = range(len(headings))
            page.lines(f"  {line}" for line in in_blocks([headings, *rows], page.width - 2, words=every))
        columns: dict[str, dict[str, Measure]] = {}
        if judged is not None:
            columns[f"{judged.folds} folds"] = judged.measures
        if self.validated is not None:
            columns["validation"] = self.validated
        if columns:
            page.gap()
            lines = [[words, *(str(one[name]) for one in columns.values())] for name, words in MEASURES.items()]
            page.table(["95 % intervals", *columns], lines)
            for said in () if judged is None else filter(None, (judged.copies.sentence, judged.remark)):
                page.paragraph(said)
        if choice is not None and self.validated is None:
            page.gap()
            page.paragraph(
                "The folds chose the learner, so they flatter it a little: --validation judges it on other rows."
            )

    def _what_next(self) -> list[tuple[str, str]]:
        outcome = self.fit.model.outcome_
        if outcome == "RECEDING" or (outcome == "BUDGET" and self.plan.name == "logistic"):
            advice = "rosenblatt check --coefficients says which coefficients are finite"
            return [("what next", f"{advice}; more passes would not help." if outcome == "RECEDING" else f"{advice}.")]
        if outcome != "BUDGET" or self.plan.name == "least-squares":
            return []
        if self.plan.name == "adaline":
            return [("what next", "--learner least-squares goes to the minimum in one step; more passes: --passes.")]
        if "no hyperplane separates" in outcome.sentence:  # proved by the run itself
            return self._scale()
        if "a hyperplane separates" in outcome.sentence:
            return [("what next", "more passes: --passes."), *self._scale()]
        advice = "rosenblatt check says whether a hyperplane exists at all"
        if self.plan.name == "perceptron" and not self.fit.model.average:
            advice += "; where none does, --learner averaged or pocket finds a good compromise"
        return [("what next", f"{advice}; more passes: --passes."), *self._scale()]

    def _scale(self) -> list[tuple[str, str]]:
        """Advice where columns have very different sizes."""
        from rosenblatt.data.numbers import as_rows
        from rosenblatt.learners.shared.scaling import advise_scaling

        loaded = self.fit.loaded
        here = hasattr(loaded.X, "dtype")  # the rows are in this process, not on the workers of a cluster alone
        if self.plan.scale or self.fit.before or not self.fit.model._minds_sizes or not here:
            return []
        names, bias = loaded.encoding.features, self.fit.model.fit_intercept
        sentence = advise_scaling(as_rows(loaded.X), lambda j: repr(names[j]), "--scale", bias)
        return [("columns", sentence)] if sentence else []

    def to_json(self) -> dict[str, Any]:
        """The fields of schema rosenblatt-fit/1; docs/command-line.md says what they mean."""
        model, fit = self.fit.model, self.fit
        return {
            **fit.loaded.to_json(),
            "learner": self.plan.name,
            "scaled": self.plan.scale,
            "regularizer": getattr(model, "regularizer", None),
            "random_features": self.plan.wanted.rff,
            "outcome": str(model.outcome_),
            "sentence": model.outcome_.sentence,
            "passes": model.n_passes_,
            "corrections": model.n_updates_,
            "weights": self._weights(),
            "training": self.training._asdict(),
            "validation": self.validation and self.validation._asdict(),
            "measures": self._measures(),
            "candidates": self._candidates(),
            "model": str(fit.output),
            "trace": fit.trace and str(fit.trace),
            "resumed": self.resumed,
            "seconds": self.seconds,
        }

    def _measures(self) -> dict[str, Any]:
        """The measures on rows that the model did not learn from."""
        judged, folds = self.plan.judged, None
        if judged is not None:
            folds = {
                "folds": judged.folds,
                "rows": judged.rows,
                "wrong": judged.wrong,
                **_measures_to_json(judged.measures),
            }
        return {"cross_validation": folds, "validation": self.validated and _measures_to_json(self.validated)}

    def _candidates(self) -> list[dict[str, Any]] | None:
        """The learners that `auto` compared, the simplest first."""
        choice = self.plan.choice
        if choice is None:
            return None
        return [
            {"learner": name, "chosen": name == choice.name, **_measures_to_json(one.measures)}
            for name, one in choice.results.items()
        ]


def _measures_to_json(measures: "dict[str, Measure]") -> dict[str, Any]:
    """Each measure's value with the ends of its interval; None where there is no such number."""
    return {name: {"value": one.value, "low": one.low, "high": one.high} for name, one in measures.items()}


def _wrong_in_words(judged: "Judged") -> str:
    right = f" ({1 - judged.wrong / judged.rows:.2%} right)" if judged.rows else ""
    return f"{judged.wrong:,} of {count(judged.rows, 'row')} wrong{right}"


def _measures_of(fit: "TableFit") -> "dict[str, Measure] | None":
    """The measures of a fitted model on the rows of --validation, if there are any."""
    from rosenblatt.comparison.folds import answered
    from rosenblatt.comparison.measures import measure
    from rosenblatt.data.tables import Table
    from rosenblatt.learners.shared.table_fit import places, written_labels

    if fit.validation is None:
        return None
    loaded, kept = (fit.validation, slice(None)) if isinstance(fit.validation, Table) else (fit.loaded, fit.held_out)
    classes = written_labels(fit.loaded.classes)
    return measure(answered(fit.whole, loaded.X[kept], places(loaded)[kept], classes))
