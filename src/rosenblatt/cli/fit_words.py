"""What came of a fit, in the words a person would say, and as JSON."""

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rosenblatt.cli.fit_plan import Plan
from rosenblatt.cli.output import Page, count

if TYPE_CHECKING:
    from rosenblatt.comparison.measures import Measure
    from rosenblatt.learners.table_fit import Judged, TableFit

__all__ = ["Fitted"]


@dataclass(frozen=True)
class Fitted:
    """What came of a fit."""

    fit: "TableFit"
    plan: Plan
    seconds: float
    resumed: bool
    training: "Judged"
    validation: "Judged | None"
    validated: "dict[str, Measure] | None"

    @classmethod
    def judged(cls, fit: "TableFit", plan: Plan, seconds: float, resumed: bool = False) -> "Fitted":
        """A fit that has ended, judged on the rows that it learned from and on others."""
        return cls(fit, plan, seconds, resumed, fit.judge_training(), fit.judge_validation(), _measures_of(fit))

    def show(self, page: Page) -> None:
        """Print it."""
        model, fit = self.fit.model, self.fit
        page.headline(fit.loaded.headline)
        page.answer(f"{model.outcome_}: {model.outcome_.sentence}")
        penalty = getattr(model, "regularizer", 0.0)
        learner = f"{self.plan.name}, regularizer {penalty:g}" if penalty else self.plan.name
        facts = [("learner", f"{learner}, {count(model.n_passes_, 'pass', 'passes')}")]
        if self.plan.scale:
            facts.append(("columns", "scaled for learning; the model takes them as they are"))
        if self.plan.wanted.rff is not None:
            width = fit.before[-1].width_
            drawn = f"{count(self.plan.wanted.rff, 'random Fourier feature')} of the scaled columns, width {width:.4g}"
            facts.append(("features", f"{drawn}; the model takes the columns as they are"))
        facts.append(("training", _in_words(self.training)))
        if self.validation is not None:
            facts.append(("validation", _in_words(self.validation)))
        if fit.trace is not None:
            facts.append(("trace", f"{count(len(model.trace_), 'correction')} in {fit.trace}"))
        page.facts(facts + self._what_next())
        self._show_judgements(page)
        resumed = ", resumed" if self.resumed else ""
        page.small_print(
            f"{self.seconds:.2f} s{resumed} · model in {fit.output}; apply it with: rosenblatt predict {fit.output} "
            f"{fit.loaded.where if os.path.exists(fit.loaded.where) else 'DATA'}"
        )

    def _show_judgements(self, page: Page) -> None:
        """The measures on rows that were not learned from; of all candidates too, where one was chosen."""
        from rosenblatt.comparison.measures import MEASURES

        judged, choice = self.plan.judged, self.plan.choice
        if choice is not None:
            page.gap()
            page.paragraph(f"Chosen by cross-validation: {choice.sentence}")
            page.gap()
            page.table(*choice.cells())
        columns: dict[str, dict[str, Measure]] = {}
        if judged is not None:
            columns[f"{judged.folds} folds"] = judged.measures
        if self.validated is not None:
            columns["validation"] = self.validated
        if columns:
            page.gap()
            lines = [[words, *(str(one[name]) for one in columns.values())] for name, words in MEASURES.items()]
            page.table(["95 % intervals", *columns], lines)
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
        advice = "rosenblatt check says whether a hyperplane exists at all"
        if self.plan.name == "perceptron":
            advice += "; where none does, --learner averaged or pocket finds a good compromise"
        return [("what next", f"{advice}; more passes: --passes."), *self._scale()]

    def _scale(self) -> list[tuple[str, str]]:
        """A word on columns of very different sizes."""
        from rosenblatt.data.rows import as_rows
        from rosenblatt.learners.scaling import advise_scaling

        loaded = self.fit.loaded
        here = hasattr(loaded.X, "dtype")  # and not on the workers of a cluster alone
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
        """On rows that were not learned from."""
        found, folds = self.plan.judged, None
        if found is not None:
            folds = {"folds": found.folds, "rows": found.rows, "wrong": found.wrong, **_plain(found.measures)}
        return {"cross_validation": folds, "validation": self.validated and _plain(self.validated)}

    def _candidates(self) -> list[dict[str, Any]] | None:
        """All that came to the contest, the simplest first."""
        choice = self.plan.choice
        if choice is None:
            return None
        return [
            {"learner": name, "chosen": name == choice.name, **_plain(one.measures)}
            for name, one in choice.results.items()
        ]


def _plain(measures: "dict[str, Measure]") -> dict[str, Any]:
    """Each value with the ends of its interval; null where there is none."""
    return {name: {"value": one.value, "low": one.low, "high": one.high} for name, one in measures.items()}


def _in_words(found: "Judged") -> str:
    right = f" ({1 - found.wrong / found.rows:.2%} right)" if found.rows else ""
    return f"{found.wrong:,} of {count(found.rows, 'row')} wrong{right}"


def _measures_of(fit: "TableFit") -> "dict[str, Measure] | None":
    """The measures of a fitted model on the rows to validate it, if there are any."""
    from rosenblatt.comparison.folds import answered
    from rosenblatt.comparison.measures import measure
    from rosenblatt.data.loaded import Loaded
    from rosenblatt.learners.table_fit import places, written_labels

    if fit.validation is None:
        return None
    loaded, kept = (fit.validation, slice(None)) if isinstance(fit.validation, Loaded) else (fit.loaded, fit.held_out)
    classes = written_labels(fit.loaded.classes)
    return measure(answered(fit.whole, loaded.X[kept], places(loaded)[kept], classes))
