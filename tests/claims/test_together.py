"""How a run of K classes that learn together ended: every claim read back in fractions."""

import warnings
from fractions import Fraction

import numpy as np
from sklearn.exceptions import ConvergenceWarning

import rosenblatt as rb
from tests.claims import oracles
from tests.claims.book import Reader, book
from tests.claims.shown import number
from tests.claims.tables import table

together = Reader("together")

LEARNERS = [
    {},
    {"order": "cyclic", "tie": "correct", "start": "random"},
    {"tie": "correct"},
    {"pocket": True, "max_passes": 30},
    {"average": True, "max_passes": 30},
    {"normalize": True, "order": "random", "max_passes": 30},
    {"max_updates": 3},
    {"warm_start": True},
]


class Fit:
    """A model and the scores of its rows, exactly."""

    def __init__(self, made, model, y):
        self.made, self.model, self.y = made, model, y[made.present]
        W = np.column_stack([model.coef_, model.intercept_]) if made.intercept else model.coef_
        rows = made.X[made.present]
        scores = [oracles.responses(rows, w, made.intercept) for w in W]
        self.scores = [[s[i] for s in scores] for i in range(len(rows))]
        self.rows = [[*oracles.exact(x), *[Fraction(1)] * made.intercept] for x in made.X]
        # floats compare scores; where these are as near as rounding, rows may be counted either way
        near = [Fraction(1, 10**13) * max(abs(s) for s in row) for row in self.scores]
        leads = [(self.lead(i), self.ahead(i)) for i in range(len(rows))]
        self.doubtful = sum(abs(lead) <= small and small for (lead, _), small in zip(leads, near, strict=True)) > 0
        self.wrong = sum(lead < 0 or (lead == 0 and ahead) for lead, ahead in leads)
        self.tied = sum(lead == 0 for lead, _ in leads)
        self.least = min(lead for lead, _ in leads)

    def __repr__(self):
        return f"{self.model!r} on {self.made!r}"

    def lead(self, i):
        return self.scores[i][self.y[i]] - max(s for k, s in enumerate(self.scores[i]) if k != self.y[i])

    def ahead(self, i):
        """Whether an earlier class has the row's highest score too: `predict` answers with it."""
        return any(s == self.scores[i][self.y[i]] for s in self.scores[i][: self.y[i]])


@together.of("separated")
def _separated(fit, n, corrections):
    assert (fit.model.outcome_, int(n)) == ("SEPARATED", len(fit.y))
    assert number(corrections) == fit.model.n_updates_
    assert fit.least > 0


@together.of("tied")
def _tied(fit, corrections, tied, n):
    assert (fit.model.outcome_, int(n), int(tied)) == ("TIED", len(fit.y), fit.tied)
    assert number(corrections) == fit.model.n_updates_
    assert fit.least == 0


def _counted(fit, wrong, tied, n):
    assert int(n) == len(fit.y)
    assert (number(wrong), number(tied or "0")) == (fit.wrong, fit.tied) or fit.doubtful


@together.of("cycling", "cycling again")
def _cycling(fit, m, wrong, n, passes=None, tied=None):
    assert fit.model.outcome_ == "CYCLING"
    _counted(fit, wrong, tied, n)
    witness, d = fit.model.witness_, len(fit.rows[0])
    labels = np.zeros(len(fit.rows), dtype=int)
    labels[fit.made.present] = fit.y
    total = [[Fraction(0)] * d for _ in fit.model.classes_]
    for i, k, factor in zip(witness.rows, witness.rivals, witness.multipliers, strict=True):
        assert factor > 0
        assert labels[i] != k
        total[labels[i]] = [a + factor * b for a, b in zip(total[labels[i]], fit.rows[i], strict=True)]
        total[k] = [a - factor * b for a, b in zip(total[k], fit.rows[i], strict=True)]
    assert not any(v for one in total for v in one)
    assert int(m) == len(set(witness.rows.tolist()))


@together.of("budget")
def _budget(fit, wrong, n, passes, tied=None, fewest=None, reason=None):
    assert fit.model.outcome_ == "BUDGET"
    _counted(fit, wrong, tied, n)
    made = fit.model.mistakes_per_pass_
    assert fewest is None or int(fewest) in (min(made), min(made[:-1], default=None))


@together.of("rounding")
def _rounding(fit, hidden, n):
    assert fit.model.outcome_ == "BUDGET"
    assert fit.least <= 0
    assert int(hidden) >= 1


def _options(made, number, soak):
    """Those of this number; for sparse tables and float32 the usual order: each pair of both is compiled by itself."""
    usual = made.X.dtype == np.float64 and not made.sparse
    some = LEARNERS if soak or usual else [one for one in LEARNERS if "order" not in one]
    return {"max_passes": 100, "average": number % 3 == 0 and "auto"} | some[number % len(some)]


def test_how_classes_that_learn_together_end(tables, request):
    advised = set()
    for i in tables[::3]:
        made = table(i)
        labels = np.arange(len(made.X)) % 3
        if len(np.unique(labels[made.present])) < 3:
            continue
        options = _options(made, i // 3, request.config.getoption("--soak"))
        model = rb.Perceptron(multiclass="kesler", fit_intercept=made.intercept, **options)
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always", ConvergenceWarning)
            if model.warm_start:  # a fit to other data before: all rows are present
                model.fit(made.given, labels)
                warned.clear()
            model.fit(made.given, labels, sample_weight=made.weights)
        together.read(model.outcome_.sentence, Fit(made, model, labels))
        assert bool(warned) == (model.outcome_ != "SEPARATED")
        for one in warned:
            rest = str(one.message).removeprefix(model.outcome_.sentence).strip()
            advised |= {template.name for template, _ in book().find_all("advice", rest)}
    together.finish(rare={"rounding": "tests/learners/test_kesler.py has it"})
    assert advised >= {"tied classes", "weights exist", "more passes together", "compromise"}
