"""What came of a fit, in the words a person would say, and as JSON."""

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rosenblatt.cli.learners import LearnerName
from rosenblatt.cli.output import Page, count

if TYPE_CHECKING:
    from rosenblatt.learners.class_fit import ClassFit
    from rosenblatt.learners.judged_fit import Judged
    from rosenblatt.learners.table_fit import TableFit

__all__ = ["Fitted"]


@dataclass(frozen=True)
class Fitted:
    """What came of a fit."""

    fit: "TableFit | ClassFit"
    learner: LearnerName
    seconds: float
    resumed: bool
    training: "Judged"
    validation: "Judged | None"

    def show(self, page: Page) -> None:
        """Print it."""
        model, fit = self.fit.model, self.fit
        page.headline(fit.loaded.headline)
        page.answer(f"{model.outcome_}: {model.outcome_.sentence}")
        facts = [("learner", f"{self.learner}, {count(model.n_passes_, 'pass', 'passes')}")]
        if fit.scaling is not None:
            facts.append(("columns", "scaled for learning; the model takes them as they are"))
        facts.append(("training", _in_words(self.training)))
        if self.validation is not None:
            facts.append(("validation", _in_words(self.validation)))
        if fit.trace is not None:
            facts.append(("trace", f"{count(len(model.trace_), 'correction')} in {fit.trace}"))
        page.facts(facts + self._what_next())
        resumed = ", resumed" if self.resumed else ""
        page.small_print(
            f"{self.seconds:.2f} s{resumed} · model in {fit.output}; apply it with: rosenblatt predict {fit.output} "
            f"{fit.loaded.where if os.path.exists(fit.loaded.where) else 'DATA'}"
        )

    def _what_next(self) -> list[tuple[str, str]]:
        outcome = self.fit.model.outcome_
        if outcome == "RECEDING" or (outcome == "BUDGET" and self.learner == "logistic"):
            advice = "rosenblatt check --coefficients says which coefficients are finite"
            return [("what next", f"{advice}; more passes would not help." if outcome == "RECEDING" else f"{advice}.")]
        if outcome != "BUDGET" or self.learner == "least-squares":
            return []
        if self.learner == "adaline":
            return [("what next", "--learner least-squares goes to the minimum in one step; more passes: --passes.")]
        advice = "rosenblatt check says whether a hyperplane exists at all"
        if self.learner == "perceptron":
            advice += "; where none does, --learner averaged or pocket finds a good compromise"
        return [("what next", f"{advice}; more passes: --passes."), *self._scale()]

    def _scale(self) -> list[tuple[str, str]]:
        """A word on columns of very different sizes."""
        from rosenblatt.data.rows import as_rows
        from rosenblatt.learners.scaling import advise_scaling

        loaded = self.fit.loaded
        here = hasattr(loaded.X, "dtype")  # and not on the workers of a cluster alone
        if self.fit.scaling is not None or not self.fit.model._minds_sizes or not here:
            return []
        sentence = advise_scaling(as_rows(loaded.X), lambda j: repr(loaded.encoding.features[j]), "--scale")
        return [("columns", sentence)] if sentence else []

    def to_json(self) -> dict[str, Any]:
        """The fields of schema rosenblatt-fit/1; docs/command-line.md says what they mean."""
        model, fit = self.fit.model, self.fit
        return {
            **fit.loaded.to_json(),
            "learner": self.learner,
            "scaled": fit.scaling is not None,
            "outcome": str(model.outcome_),
            "sentence": model.outcome_.sentence,
            "passes": model.n_passes_,
            "corrections": model.n_updates_,
            "training": self.training._asdict(),
            "validation": self.validation and self.validation._asdict(),
            "model": str(fit.output),
            "trace": fit.trace and str(fit.trace),
            "resumed": self.resumed,
            "seconds": self.seconds,
        }


def _in_words(found: "Judged") -> str:
    right = f" ({1 - found.wrong / found.rows:.2%} right)" if found.rows else ""
    return f"{found.wrong:,} of {count(found.rows, 'row')} wrong{right}"
