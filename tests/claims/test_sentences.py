"""The page of all sentences is complete: nothing that the program can say about a result is missing from it."""

import ast
import re
from pathlib import Path

import pytest

import rosenblatt
from tests.claims.book import PAGE, book, flat

SOURCE = Path(rosenblatt.__file__).parent

# where sentences about results are written, and what else is written there: headings, names, orders to a program
HOMES: dict[str, set[str]] = {
    "learners/run.py": set(),
    "learners/ending.py": set(),
    "learners/newton_steps.py": set(),
    "learners/rescaled.py": set(),
    "learners/batch_perceptron.py": set(),
    "learners/online.py": set(),
    "learners/scaling.py": set(),
    "learners/minimizer.py": set(),
    "learners/least_squares.py": set(),
    "learners/passive_aggressive.py": set(),
    "learners/perceptron.py": set(),
    "verdicts/worth.py": set(),
    "verdicts/decision.py": set(),
    "verdicts/coefficients.py": set(),
    "cli/verdict_words.py": set(),
    "cover/regimes.py": set(),
    "probes/words.py": set(),
    "logic/synthesis.py": set(),
    "filters/online.py": set(),
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
        for child in ast.iter_child_nodes(node):
            visit(child)

    visit(ast.parse(path.read_text(encoding="utf-8")))
    return [text for text in map(flat, found) if len(text) > 12 and " " in text]


@pytest.mark.parametrize("home", HOMES)
def test_every_sentence_of_the_source_is_on_the_page(home):
    written = re.sub(r"[\[\]]", "", PAGE.read_text(encoding="utf-8"))
    page = flat(re.sub(r"\(e?s\)", "", written)) + flat(re.sub(r"\((e?s)\)", r"\1", written))
    for text in spoken(SOURCE / home):
        # what varies is written differently there and here: each stretch of words between must be on the page
        stretches = [part.strip(" .,;:()") for part in re.split(r"\{[^}]*\}|(?<=[.:;]) ", text)]
        missing = [part for part in stretches if len(part) > 12 and " " in part and part not in page]
        missing = [part for part in missing if part not in HOMES[home]]
        assert not missing, f"{home} can say this, and docs/explanation/sentences.md has no such sentence: {missing}"


def test_every_sentence_of_the_page_says_what_it_claims():
    for section, templates in book().templates.items():
        assert templates, f"section {section} has no sentences"
        for name, template in templates.items():
            assert template.claims, f"{section}, {name}: what does it claim?"
