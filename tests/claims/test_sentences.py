"""The page of all sentences is complete: nothing that the program can say about a result is missing from it."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

import rosenblatt
from tests.claims.book import PAGE, book, flat

SOURCE = Path(rosenblatt.__file__).parent

# where sentences about results are written, and what else is written there: headings, names, orders to a program
HOMES: dict[str, set[str]] = {
    "data/understood.py": set(),
    "learners/runs/run.py": {"the step eta=", "is too large for these data, or"},  # of a refusal
    "learners/runs/joint.py": set(),
    "learners/duals/dual_run.py": set(),
    "learners/kernel_perceptron.py": set(),
    "learners/shared/foundation.py": set(),
    "learners/runs/ending.py": set(),
    "learners/rescaled_perceptron.py": set(),
    "learners/batch_perceptron.py": set(),
    "learners/shared/online.py": set(),
    "learners/shared/scaling.py": set(),
    "learners/shared/minimizer.py": {  # of a refusal
        "the descent diverged",
        "is too large for these data",
        "eta='auto' takes one that is not",
    },
    "learners/runs/steps.py": {  # of a refusal
        "the weights overflowed float64",
        "scale X, for example with sklearn.preprocessing.StandardScaler",
    },
    "learners/least_squares.py": set(),
    "learners/passive_aggressive.py": set(),
    "learners/perceptron.py": set(),
    "verdicts/existence/decision.py": set(),
    "regressions/machinery/libraries.py": set(),
    "verdicts/words.py": set(),
    "verdicts/verdict.py": {"<th scope='row'"},
    "verdicts/fates/because.py": {"row with", "no smaller set does", "whether fewer do is not settled"},  # parts
    "verdicts/fates/coefficients.py": set(),
    "verdicts/search/columns.py": set(),
    "verdicts/fates/levels.py": set(),
    "verdicts/fates/settling.py": set(),
    "estimates/results/layout.py": {  # headings
        "Logistic regression",
        "Binomial regression",
        "Poisson regression",
        "Multinomial regression",
        "Cox regression",
        "profile-likelihood intervals",
        "fate (proved",
        "<th scope='col'",
        "<tr><th scope='row'><bdi>",
        "models without fixed effects",  # of another sentence
        "the logit link",
        "models whose information is the same whatever the outcome",
    },
    "cli/check_words.py": {
        "estimate goes to",
        "· --certificate FILE writes the",
        "anyone can check it with `rosenblatt verify`",
        "rosenblatt verify",
        "check it with",
    },
    "comparison/choosing.py": {'<th scope="col">'},
    "plot/calibration_display.py": {  # what axes are called
        "the positive class",
        "predicted probability of",
        "part of the rows that are",
        "groups as predicted",
    },
    "cover/capacity.py": {"random labelings, measured (and by Cover's theorem"},  # a heading
    "probes/evidence/words.py": set(),
    "probes/erasure.py": {"equal to rounding"},  # a name
    "logic/synthesis.py": {"no single gate"},
    "filters/machinery/stepping.py": {  # of refusals
        "one signal (1-D",
        "signals side by side (2-D",
        "take a smaller step, or scale the input",
        "scale the input",
    },
    "filters/uses/echo.py": {"the recordings", "there is no channel"},  # of a refusal
}


def spoken(path: Path) -> list[str]:
    """The words of a file that a person may come to read: texts of some length that are no docstring and no refusal."""
    found: list[str] = []

    def visit(node: ast.AST) -> None:
        if isinstance(node, ast.Raise | ast.Assert):
            return
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):  # a docstring
            return
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.append(node.value)
        for field, value in ast.iter_fields(node):
            if field not in ("annotation", "returns"):  # types are no words
                for child in value if isinstance(value, list) else [value]:
                    if isinstance(child, ast.AST):
                        visit(child)

    visit(ast.parse(path.read_text(encoding="utf-8")))
    return [text for text in map(flat, found) if len(text) > 12 and " " in text]


@cache
def readings() -> str:
    """The page as it may be read: with and without what may be left out, in the singular and in the plural."""
    text = PAGE.read_text(encoding="utf-8")
    short = text
    while short != (short := re.sub(r"\[[^][]*\]", "", short)):
        pass
    both = [re.sub(r"[][]", "", text), short]
    return flat(" ".join(re.sub(r"\((e?s)\)", ending, one) for one in both for ending in ("", r"\1")))


@pytest.mark.parametrize("home", HOMES)
def test_every_sentence_of_the_source_is_on_the_page(home):
    # what varies is written differently there and here: each stretch of words between must be on the page
    stretches = [
        part.strip(" .,;:()") for text in spoken(SOURCE / home) for part in re.split(r"\{[^}]*\}|(?<=[.:;]) ", text)
    ]
    missing = [part for part in stretches if len(part) > 12 and " " in part and part not in readings()]
    missing = [part for part in missing if part not in HOMES[home]]
    assert not missing, f"{home} can say this, and docs/explanation/sentences.md has no such sentence: {missing}"


def test_every_sentence_of_the_page_says_what_it_claims():
    for section, templates in book().templates.items():
        assert templates, f"section {section} has no sentences"
        for name, template in templates.items():
            assert template.claims, f"{section}, {name}: what does it claim?"
