"""How a table of estimates looks: as text, HTML, Markdown and LaTeX; and the notes under it, which are claims."""

import re
import textwrap
from html import escape
from math import inf, isfinite, isnan, nextafter
from typing import TYPE_CHECKING

import numpy as np

from rosenblatt.data.wording import aligned
from rosenblatt.estimates.design import CountDesign
from rosenblatt.estimates.exact_conditional import MOST_TOTALS
from rosenblatt.estimates.results.digits import between, p_value, rounded

if TYPE_CHECKING:
    from rosenblatt.estimates.exact_conditional import Exact
    from rosenblatt.estimates.profile import End
    from rosenblatt.estimates.results.table import Estimate, Estimates, Penalised

__all__ = ["cells", "headline", "html_notes", "html_table", "latex", "markdown", "notes", "text"]

_FATES = {"+inf": "runs to +∞", "-inf": "runs to −∞"}
_FATE = "fate (proved)"
_WIDTH = 100  # of notes

_LIMIT = (
    "The likelihood has no maximum. The finite estimates are those of the limiting model, which rests on {plane} of "
    "{n} rows; the others fit perfectly in the limit."
)
_NO_LIMIT = "The likelihood has no maximum, and every row fits perfectly in the limit."
_COMPARED = (
    "The likelihood has no maximum. The finite estimates are those of the limiting model, without the comparisons "
    "(row, {compared}) that are decided with certainty."
)
_UNDETERMINED = "{names}: undetermined, every value fits as well as any other."
_LEFT_OUT = (
    "{names}: left out, because columns before them say the same; the other estimates are of the model without them."
)
_CONSTANT = "{names}: left out, because {which} has one value in every row."
_OF_STRATA = "{names}: left out, because {which} has one value within every stratum."
_NOT_IDENTIFIED = "{names}: not identified, because columns can be computed from others."
_FIRTH = (
    "Firth: each estimate is a root of the penalised score, proved to the digits shown; that no other values are more "
    "likely, the intervals and the p-values are what the search found, not proved."
)
_FIRTH_FOUND = "Firth: estimates, intervals and p-values are what the search found, not proved."
_NO_FIRTH = "Firth's estimates are worked out for {what} only; there are none here."
_ONLY = ("models without fixed effects", "the logit link", "models whose information is the same whatever the outcome")
_WITHIN = (
    "Rows are compared within {many} {what} only, and count as unrelated otherwise: where rows belong together, say "
    "cluster."
)
_EFFECTS = "Beside these coefficients the model has {effects}; they were estimated too, and are not shown."
_MAXIMA = (
    "Firth: the search found {many} maxima of the penalised likelihood, and the estimates are those of the highest; "
    "the logarithms of the two highest are {first} and {second}."
)
_EXACT = (
    "Exact: every way in which the successes can fall with the same totals of the other columns was counted; the "
    "estimate is median-unbiased, and the p-value adds up what is no more likely than what was seen. Intervals hold "
    "the truth at least as often as they say (95 % intervals of 20 rows in 99 % of simulated draws)."
)
_ONE_WAY = "Exact: {names}: the totals of the other columns leave one possibility, so that the data say nothing."
_TOO_MANY = "Exact: not computed for {names}: more than {most} different totals would have to be counted."
_FRACTIONS = (
    "The values are not whole, so the likelihood's intervals would change with their unit: errors are robust instead."
)
_ROBUST = "Standard errors are robust ({how}), and intervals are estimates ± so many of them, of the limiting model."
_LONE = "Hardly more than one cluster tells of {names}: nothing says how far these may be off."
_NO_END = "Robust errors say nothing of estimates that are infinite: {names}."
_SPREAD = (
    "The counts spread {times} times as much as Poisson's law has it (Pearson), so profile intervals are too {wide}: "
    "robust errors allow for it."
)
_FAR, _NEAR = 4.0, (0.8, 1.25)  # standard errors, and the spread that is near enough to 1
_FEW, _RARE = {True: 100, False: 50}, 10  # rows below which robust, and profile intervals, are not quite right
_FEW_ROWS = (
    "Of few rows (fewer than {few}, or than {rare} with another value than most) {kind} intervals are approximate: in "
    "simulations those of 95 % held the truth in {share} % of the draws. Such are those of {names}."
)
_HELD = {"cox": "92 to 97", "multinomial": "89 to 94", "ordinal": "93 to 98"}  # docs/numbers/coverage.md
_HELD_BY_ROBUST, _HELD_BY_BINOMIAL = "86 to 100", "89 to 93"
_DOUBTFUL = "≈ marks a number that is true to rounding only, not proved."
_LATE = "Not computed, because the time limit was reached: numbers of {names}."
_HIDDEN = "Not computed, because no search found it or rounding hides it: numbers of {names}."


def headline(table: "Estimates") -> str:
    """What the table is about."""
    what = f", shown as {table.ratio}s" if table.exponentiate else ""
    rows = f"{table.n:,} row{'' if table.n == 1 else 's'}"
    link = table.limiting.design.link
    model = f"{table.model.capitalize()} regression{f' with {link} link' if link else ''}"
    kind = "profile-likelihood" if table.limiting.robust is None else "Wald"
    return f"{model} of {table.outcome}, {rows}{what}; {_level(table)} {kind} intervals"


def notes(table: "Estimates") -> list[str]:
    """The sentences under the table: what a reader must know about its numbers."""
    exact = [(one, one.exact) for one in table.coefficients if one.exact is not None]
    return [
        *([_limit(table)] if table.verdict.kind != "overlap" else []),
        *_said_of(_UNDETERMINED, [one for one in table.coefficients if one.fate == "undetermined"]),
        *_left_out(table),
        *_said_of(
            _NOT_IDENTIFIED,
            [one for one in table.coefficients if one.fate == "not identified" and not one.left_out],
        ),
        *_effects_note(table),
        *_within_note(table),
        *_errors_note(table),
        *_few_note(table),
        *_firth_note(table),
        *([_EXACT] if any(not isnan(found.value) for _, found in exact) else []),
        *_said_of(_ONE_WAY, [one for one, found in exact if found.counted and isnan(found.value)]),
        *_said_of(_TOO_MANY, [one for one, found in exact if not found.counted and not one.late]),
        *([_DOUBTFUL] if any(one.doubtful for one in table.coefficients) else []),
        *_said_of(_LATE, [one for one in table.coefficients if one.late]),
        *_said_of(_HIDDEN, [one for one in table.coefficients if one.hidden and not table.wald]),
    ]


def _said_of(sentence: str, coefficients: list["Estimate"], most: int = 8) -> list[str]:
    """The sentence with the names of these coefficients; nothing where there are none."""
    names = [one.name for one in coefficients]
    return [sentence.format(names=_first_names(names, most), most=f"{MOST_TOTALS:,}")] if names else []


def _first_names(names: list[str], most: int = 8) -> str:
    """The names, or the first of many."""
    return ", ".join(names[:most]) + (f", … {len(names):,} in all" if len(names) > most else "")


def _left_out(table: "Estimates") -> list[str]:
    """The notes on columns that are not in the model."""
    left = table.limiting.design.left_out
    names = {constant: [one.name for one in left if one.constant == constant] for constant in (False, True)}
    told = [_LEFT_OUT.format(names=", ".join(names[False]))] if names[False] else []
    which = "it" if len(names[True]) == 1 else "each of them"
    constant = _OF_STRATA if "groups" in table.limiting.design.columns.arrays else _CONSTANT
    return told + ([constant.format(names=", ".join(names[True]), which=which)] if names[True] else [])


def _effects_note(table: "Estimates") -> list[str]:
    """What there is beside the coefficients that are shown, and why there are no Firth's estimates."""
    design = table.limiting.design
    told = list[str]()
    if design.columns.effects:
        sets = zip(design.columns.entry["columns"]["fixed_effects"], design.columns.entry["effects"], strict=True)
        told = [_EFFECTS.format(effects=", ".join(f"{len(levels):,} effects of {name}" for name, levels in sets))]
    if design.jeffreys or table.wald:
        return told
    return [
        *told,
        _NO_FIRTH.format(what=_ONLY[0 if design.columns.effects else 1 if design.link else 2]),
    ]


def _within_note(table: "Estimates") -> list[str]:
    """What groups are in a model that has sets or strata: no clusters."""
    design = table.limiting.design
    if "groups" not in design.columns.arrays or table.wald:
        return []
    many, what = len(np.unique(design.columns.arrays["groups"])), "strata" if table.model == "cox" else "sets"
    return [_WITHIN.format(many=f"{many:,}", what=what)] if many > 1 else []


def _limit(table: "Estimates") -> str:
    """The note on what the finite estimates are, where the likelihood has no maximum."""
    if not table.plane:
        return _NO_LIMIT
    model = table.verdict.model
    if model is not None and model.compared:
        return _COMPARED.format(compared=model.compared)
    return _LIMIT.format(plane=f"{table.plane:,}", n=f"{table.n:,}")


def _errors_note(table: "Estimates") -> list[str]:
    """What standard errors rest on, and whether counts spread as a Poisson model has it."""
    limiting = table.limiting
    if limiting.robust is not None:
        away = [one for one in table.coefficients if one.fate in ("+inf", "-inf")]
        why = [_FRACTIONS] if limiting.design.fractional else []
        lone = [limiting.names[j] for j in limiting.lone if j in limiting.design.shown]
        of_one = [_LONE.format(names=_first_names(lone))] if lone else []
        return [*why, _ROBUST.format(how=limiting.robust.words), *of_one, *_said_of(_NO_END, away)]
    found = limiting.dispersion
    if found is None or abs(found[1]) < _FAR or _NEAR[0] < found[0] < _NEAR[1]:
        return []
    return [_SPREAD.format(times=f"{found[0]:.3g}", wide="narrow" if found[0] > 1 else "wide")]


def _few_note(table: "Estimates") -> list[str]:
    """How often intervals hold the truth where few rows tell a coefficient: the χ² distribution is an approximation."""
    limiting, robust = table.limiting, table.wald
    design = limiting.design
    share = _HELD_BY_ROBUST if robust else _HELD.get(design.regression.name)
    if isinstance(design, CountDesign) and design.terms.family == "binomial" and not robust:
        share = _HELD_BY_BINOMIAL
    if share is None:  # of counts profile intervals hold what they say
        return []
    told = {one.name for one in table.coefficients if isfinite(one.lower.value) or isfinite(one.upper.value)}
    few = [limiting.names[j] for j in limiting.of_few_rows(_FEW[robust], _RARE) if limiting.names[j] in told]
    about = {"few": _FEW[robust], "rare": _RARE, "kind": "Wald" if robust else "profile", "share": share}
    return [_FEW_ROWS.format(names=_first_names(few), **about)] if few else []


def _firth_note(table: "Estimates") -> list[str]:
    """The note on what is proved about Firth's estimates, where there are any."""
    each = [one.firth for one in table.coefficients if one.firth is not None]
    if not each:
        return []
    several = table.maxima
    first, second = (f"{one:.4f}" for one in (several[:2] if several[1:] else (0.0, 0.0)))
    more = [_MAXIMA.format(many=len(several), first=first, second=second)] if several[1:] else []
    return [_FIRTH if any(one.error is not None for one in each) else _FIRTH_FOUND, *more]


def text(table: "Estimates", width: int | None = None) -> str:
    """Aligned columns; where these are wider than `width`, each kind of estimate gets a table of its own."""
    head, rows = cells(table)
    lines = _aligned([head, *rows])
    if width is not None and max(map(len, lines)) > width:
        parts = [range(1, 4), *(range(k, k + 3) for k in range(4, len(head), 3))]
        tables = [_aligned([[line[0], *(line[k] for k in part)] for line in (head, *rows)]) for part in parts]
        lines = [line for one in tables for line in (*one, "")][:-1]
    room = min(width or _WIDTH, _WIDTH)
    below = [line for note in notes(table) for line in textwrap.wrap(note, room, break_on_hyphens=False)]
    above = textwrap.wrap(headline(table), room) if width else [headline(table)]
    return "\n".join([*above, "", *lines, *[""] * bool(below), *below])


def _aligned(lines: list[list[str]]) -> list[str]:
    """Names and fates to the left, numbers to the right."""
    return aligned(lines, words=(0, 1) if lines[0][1] == _FATE else (0,))


def markdown(table: "Estimates") -> str:
    """The table as Markdown, with its notes."""
    head, rows = cells(table)
    rule = ["---", "---", *["---:"] * (len(head) - 2)]
    lines = [[cell.replace("|", "\\|") for cell in line] for line in (head, rule, *rows)]
    table_lines = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return "\n\n".join([f"{headline(table)}", table_lines, *notes(table)])


def latex(table: "Estimates") -> str:
    """The table as a LaTeX tabular, which needs the package booktabs; headline and notes are comments."""
    head, rows = cells(table)
    first, *others = [" & ".join(map(_in_latex, line)) + r" \\" for line in (head, *rows)]
    top = [f"% {headline(table)}", rf"\begin{{tabular}}{{ll{'r' * (len(head) - 2)}}}", r"\toprule", first, r"\midrule"]
    return "\n".join([*top, *others, r"\bottomrule", r"\end{tabular}", *(f"% {note}" for note in notes(table))])


def html_table(table: "Estimates", identifier: str = "") -> str:
    """The table as HTML, without its notes; `identifier` is its id on a page."""
    head, rows = cells(table)
    top = "".join(f"<th scope='col'{_class_of(k)}>{escape(cell or 'coefficient')}</th>" for k, cell in enumerate(head))
    body = "".join(
        f"<tr><th scope='row'><bdi>{escape(first)}</bdi></th>"
        + "".join(f"<td{_class_of(k)}>{escape(cell)}</td>" for k, cell in enumerate(others, 1))
        + "</tr>"
        for first, *others in rows
    )
    named = f" id='{escape(identifier)}'" if identifier else ""
    caption = f"<caption>{escape(headline(table))}</caption>"
    return f"<table{named}>{caption}<thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"


def html_notes(table: "Estimates") -> str:
    """The notes as HTML, without the table."""
    return "".join(f"<p><small>{escape(note)}</small></p>" for note in notes(table))


def _class_of(column: int) -> str:
    return " class='number'" if column > 1 else ""


# --------------------------------------------------------------------------------------------------------- the cells


def cells(table: "Estimates") -> tuple[list[str], list[list[str]]]:
    """The headings, and the cells of each coefficient."""
    ratio, percent = table.exponentiate, _level(table)
    head = ["", _FATE, table.ratio if ratio else "estimate", percent]
    head += ["Firth", percent, "p"] * table.penalised + ["exact", percent, "p"] * table.counted
    rows, before = list[list[str]](), ""
    for one in table.coefficients:
        reference = _reference(one)
        if reference != before and reference:
            rows.append([reference, "reference", "1" if ratio else "0", *[""] * (len(head) - 3)])
        before = reference
        rows.append(
            [
                one.name,
                "left out" if one.left_out else _FATES.get(one.fate, one.fate),
                _number(one.value, one.error, ratio),
                "" if one.left_out else f"{_end(one.lower, ratio)} to {_end(one.upper, ratio)}",
                *(_firth(one.firth, ratio) if table.penalised else []),
                *(_exact_cells(one.exact, ratio) if table.counted else []),
            ]
        )
    return head, rows


def _reference(one: "Estimate") -> str:
    """The name of the level that it is measured against; nothing where it is no factor's level."""
    stem, bracket, _ = one.name.rpartition("[T.")
    if bracket and one.reference:
        return f"{stem}{bracket}{one.reference}]"
    column = one.reference.partition("=")[0] + "="
    return one.name[: max(0, one.name.find(column))] + one.reference  # before the column: the class


def _end(end: "End", ratio: bool) -> str:
    if isnan(end.value):
        return "?"
    if not end.proved:
        return "≈" + rounded(end.value, ratio)
    return between(min(end.inner, end.outer), max(end.inner, end.outer), ratio)


def _firth(one: "Penalised | None", ratio: bool) -> list[str]:
    if one is None:
        return ["", "", ""]
    value = _number(one.value, one.error, ratio)
    if isnan(one.p):
        return [value, "", ""]
    return [value, " to ".join(rounded(end, ratio) or "?" for end in (one.lower, one.upper)), p_value(one.p)]


def _exact_cells(one: "Exact | None", ratio: bool) -> list[str]:
    if one is None or not one.counted:
        return ["", "", ""]
    return [rounded(one.value, ratio), f"{rounded(one.lower, ratio)} to {rounded(one.upper, ratio)}", p_value(one.p)]


def _number(value: float, error: float | None, ratio: bool) -> str:
    """A number with the digits that are proved, or with ≈; an empty text for NaN."""
    if error is None:
        return ("≈" if abs(value) < inf else "") + rounded(value, ratio)
    return between(nextafter(value - error, -inf), nextafter(value + error, inf), ratio)  # rounded outward


def _level(table: "Estimates") -> str:
    return f"{100 * table.level:.10g} %"


_LATEX = {sign: f"\\{sign}" for sign in "&%$#_{}"}
_LATEX |= {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
_LATEX |= {"+∞": r"$+\infty$", "−∞": r"$-\infty$", "∞": r"$\infty$", "≈": r"$\approx$", "<": r"$<$", ">": r"$>$"}
_SPECIAL = re.compile("|".join(map(re.escape, sorted(_LATEX, key=len, reverse=True))))


def _in_latex(cell: str) -> str:
    """A cell with LaTeX's special signs escaped, and with minus signs before numbers."""
    cell = _SPECIAL.sub(lambda found: _LATEX[found[0]], cell)
    return re.sub(r"(?<![\w$])-(?=\d)", r"$-$", cell)
