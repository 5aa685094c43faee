"""The tables of the page, which a reader can sort: the learners, the coefficients, the rows."""

from html import escape

import numpy as np

from rosenblatt.arrays import Floats, Places
from rosenblatt.estimates.results.layout import html_notes, html_table
from rosenblatt.plot import ComparisonDisplay, EstimatesDisplay
from rosenblatt.report.shell import Cell, number, svg_figures, table, whole
from rosenblatt.report.study import Study
from rosenblatt.verdicts.fates import Coefficient

__all__ = ["coefficients", "comparison", "estimates", "rows"]

_SHOWN_ROWS = 300
_SHOWN_COEFFICIENTS = 500
_SHOWN_FEATURES = 4

_FOREST = "Maximum-likelihood and Firth's estimates of each coefficient, with their intervals"
_FATES = {  # the worst first
    "+inf": "+∞",
    "-inf": "−∞",
    "undetermined": "undetermined",
    "open": "not settled",
    "not identified": "not identified",
    "finite": "finite",
}


def comparison(study: Study, source: str) -> str:
    """The learners side by side."""
    headings = ("line", "learner", "outcome", "errors", "margin", "angle °", "squared loss", "logistic loss", "passes")
    body = [
        (
            whole(k + 1),
            Cell(one.learner, one.learner),
            Cell(str(one.outcome), str(one.outcome)),
            whole(one.errors),
            number(one.margin, ".3g"),
            number(one.angle, ".1f"),
            number(one.squared_loss, ".3g"),
            number(one.logistic_loss, ".3g"),
            whole(one.passes),
        )
        for k, one in enumerate(study.comparison.rows)
    ]
    words = (
        "<p>The perceptron looks at sides only, the regressions at distances too. All were fitted with their defaults "
        "to these rows. Errors are examples with y·s ≤ 0. Margins are the theorem's. An angle is that between the "
        "learner's weights and those of the largest margin in this table. Losses are means over the rows.</p>"
    )
    picture = svg_figures(
        lambda axes: ComparisonDisplay.from_comparison(study.comparison, study.examples, None, ax=axes, max_points=400),
        [((5.4, 3.8), "Every learner's hyperplane in one plane, numbered as in the table")],
        "comparison",
        "wide",
        hidden=1,  # the display's own table: the one below it can be sorted
    )
    return words + picture + table("learners", "The learners", headings, body)


def estimates(study: Study, source: str) -> str:
    """A logistic regression's estimates with their intervals."""
    found = study.estimates
    if found is None:
        return ""
    picture = svg_figures(
        lambda ax: EstimatesDisplay.from_estimates(found, intercept=True, ax=ax),
        [((5.4, 1.3 + 0.4 * len(found.coefficients)), _FOREST)],
        "estimates",
        "wide",
    )
    region = '<div class="scroll" role="region" tabindex="0" aria-label="Table of estimates">'
    return f"{picture}{region}{html_table(found, 'estimates-table')}</div>{html_notes(found)}"


def coefficients(study: Study, source: str) -> str:
    """The weights of the hyperplanes, and whether each coefficient of a logistic regression is finite."""
    p = study.examples.rows.p
    names = [*study.examples.features, "(1)"]
    columns: dict[str, list[float]] = {}
    if study.plane is not None:
        columns[study.plane_name.removeprefix("the ")] = [*study.plane.w.tolist(), study.plane.b]
    for learner in ("perceptron", "least-squares", "logistic"):
        one = study.comparison[learner]
        if one.finished:  # the weights where a run happened to stop are no estimate
            columns[learner] = [*one.weights[:p], one.weights[p] if one.weights.size > p else 0.0]
    first = np.abs(next(iter(columns.values()), [0.0] * (p + 1)))
    order = np.argsort(-first, kind="stable")[:_SHOWN_COEFFICIENTS]
    fates = study.verdict.coefficients
    headings = ["column", *columns, *(["logistic estimate", "because of rows"] if fates else [])]
    body = [
        [
            Cell(names[j], names[j]),
            *(number(values[j]) for values in columns.values()),
            *(_fate(study, fates[j]) if fates else []),
        ]
        for j in order
        if j < p or not fates or len(fates) > p
    ]
    shown = "" if len(order) == p + 1 else f" (the {len(order)} largest of {p + 1:,})"
    reason = study.verdict.reason if not fates and study.verdict.kind != "unknown" else ""
    words = "Which of them a logistic regression can estimate was not worked out"
    return (f"<p>{words}: {escape(reason)}.</p>" if reason else "") + table(
        "coefficients-table", f"Weights of each column{shown}; (1) is the bias", headings, body
    )


def rows(study: Study, source: str) -> str:
    """The rows nearest to the hyperplane, and those of the witness."""
    n, signs = study.examples.rows.n, study.examples.signs
    agreement = np.zeros(n) if study.distances is None else signs * study.distances
    witness = study.witness
    order = _nearest(agreement, witness)
    columns = _telling_columns(study)
    values = study.examples.rows.take(order)
    headings = ["row", "class", "distance", "side", "corrections", *(["in the proof"] if witness.size else [])]
    headings += [study.examples.features[j] for j in columns]
    sides, known = _side_cells(study, agreement), set(witness.tolist())
    body = [
        [
            _row_name(study, int(i)),
            _class(study, int(signs[i])),
            number(float("nan") if study.distances is None else float(study.distances[i])),
            sides[i],
            whole(int(study.corrections[i])),
            *([Cell("yes" if i in known else "no", float(i in known))] if witness.size else []),
            *(number(float(values[place, j])) for j in columns),
        ]
        for place, i in enumerate(order)
    ]
    shown = f"All {n:,} rows" if len(order) == n else f"{len(order):,} of {n:,} rows, the nearest to the hyperplane"
    words = "<p>Rows on the wrong side come first, then those nearest to the hyperplane."
    words += '<span class="screen"> Press a heading to sort.</span></p>'
    return words + table("rows-table", shown, headings, body)


def _nearest(agreement: Floats, witness: Places) -> Places:
    """The rows to show, the farthest on the wrong side first; rows of the witness are chosen before others."""
    near = np.argsort(agreement, kind="stable")
    chosen = np.concatenate([witness, near[~np.isin(near, witness)]])[:_SHOWN_ROWS]
    return chosen[np.argsort(agreement[chosen], kind="stable")]


def _telling_columns(study: Study) -> list[int]:
    """The columns that move examples most: those with the largest weight times standard deviation."""
    p = study.examples.rows.p
    if p <= _SHOWN_FEATURES or study.plane is None:
        return list(range(min(p, _SHOWN_FEATURES)))
    reach = np.abs(study.plane.w) * study.examples.shifted().std(axis=0)
    return sorted(int(j) for j in np.argsort(-reach, kind="stable")[:_SHOWN_FEATURES])


def _class(study: Study, sign: int) -> Cell:
    name = study.examples.classes[sign > 0][0]
    return Cell(name, name, "positive" if sign > 0 else "negative")


def _side_cells(study: Study, agreement: Floats) -> list[Cell]:
    """The side of each row: exact where the verdict has a hyperplane, else as computed in floats."""
    if study.distances is None:
        return [Cell("—")] * len(agreement)
    right, tied, wrong = Cell("right", 2.0), Cell("on the plane", 1.0), Cell("wrong", 0.0, "wrong")
    if study.verdict.hyperplane is not None and study.verdict.rows is not None:
        plane = np.zeros(len(agreement), dtype=bool)
        plane[study.verdict.rows["plane"]] = True
        return [tied if on else right for on in plane]
    return [right if a > 0 else wrong if a < 0 else tied for a in agreement]


def _row_name(study: Study, i: int) -> Cell:
    """The name of a row; names are sorted by the rows' numbers."""
    number = whole(int(study.row_numbers[i]))
    return number if study.row_names is study.row_numbers else Cell(str(study.row_names[i]), number.value)


def _fate(study: Study, one: Coefficient) -> list[Cell]:
    numbers = study.row_names[np.asarray(one.rows, dtype=np.int64)]
    because = ", ".join(map(str, numbers[:6])) + (f" … {len(numbers)} in all" if len(numbers) > 6 else "")
    return [Cell(_FATES[one.kind], float(list(_FATES).index(one.kind))), Cell(because or "—", len(numbers))]
