"""The book: nothing public is missing, transcripts are what the program says, lectures are complete."""

import contextlib
import importlib.util
import io
import json
import os
import re
import shlex
import shutil
import sys
import tomllib
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import quote, unquote

import pytest

import rosenblatt as rb

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
SONAR = ROOT / "src" / "rosenblatt" / "datasets" / "sonar.csv"
PAGES = [ROOT / "README.md", *(p for p in sorted(DOCS.rglob("*.md")) if "_build" not in p.parts)]
PARTS = {0: 13, 1: 8, 2: 11, 3: 5, 4: 7}  # of each lecture
NO_LECTURE = ("index", "parts", "errata", "teaching")
PICTURE = r"```\{picture\}\n:alt: [^\n]+\n\n(.*?)```"
ALIASES = {"rosenblatt.counting"} | {  # on the page as rb.cover's and as rb.compare and the like
    f"rosenblatt.comparison.{name}" for name in ("choose", "compare", "cross_validate")
}


def _script(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _public_names() -> set[str]:
    modules = [name for name in rb.__all__ if isinstance(getattr(rb, name), ModuleType)]
    names = {f"rosenblatt.{name}" for name in rb.__all__ if name not in modules}
    for module in modules:
        if f"rosenblatt.{module}" not in ALIASES:
            names |= {f"rosenblatt.{module}.{name}" for name in import_module(f"rosenblatt.{module}").__all__}
    return names - ALIASES


def _listed_names() -> set[str]:
    names, module = set(), ""
    for line in (DOCS / "reference" / "index.md").read_text(encoding="utf-8").splitlines():
        if line.startswith(".. currentmodule::"):
            module = line.split("::")[1].strip()
        elif re.fullmatch(r"   \w+", line):
            names.add(f"{module}.{line.strip()}")
    return names


def test_reference_lists_every_public_name_and_no_other() -> None:
    assert _listed_names() == _public_names()


def test_every_part_of_every_lecture_is_run_and_drawn() -> None:
    text = "\n".join(path.read_text(encoding="utf-8") for path in sorted((DOCS / "lectures").glob("*.md")))
    sections = {
        part.split()[0]: part for part in re.split(r"^## ", text, flags=re.MULTILINE) if re.match(r"S\d\.", part)
    }
    assert set(sections) == {f"S{k}.{part}" for k, count in PARTS.items() for part in range(1, count + 1)}
    for name, section in sections.items():
        assert "{picture}" in section or "{lab}" in section, f"{name} has no picture"
        assert ">>>" in section or "import rosenblatt" in section, f"{name} runs nothing"


def test_every_part_has_its_place() -> None:
    """The table of parts: each is in its lecture, read, seen and called somewhere, and all of these are there."""
    rooms = {path.stem.capitalize() for path in (ROOT / "lab-ui" / "src" / "rooms").glob("*.ts")}
    rows = [
        line.strip("| ").split(" | ")
        for line in (DOCS / "lectures" / "parts.md").read_text(encoding="utf-8").splitlines()
        if re.match(r"\| S\d", line)
    ]
    assert [row[0] for row in rows] == [f"S{k}.{part}" for k, n in PARTS.items() for part in range(1, n + 1)]
    for part, place, read, see, _, call in rows:
        assert place
        found = re.fullmatch(r"\[(.*)\]\((\w+)\.md#([\w-]+)\)", read)
        assert found is not None, read
        page = (DOCS / "lectures" / f"{found[2]}.md").read_text(encoding="utf-8")
        assert f"## {part} {found[1]}\n" in page
        assert {*re.findall(r"\*(\w+)\*", see)} <= {*rooms, "Perceptron"}, see
        for name in re.findall(r"`rb\.([\w.]+)`", call):
            assert attrgetter(name)(rb) is not None


def _typed() -> list[str]:
    text = "".join((DOCS / "lectures" / f"{page}.md").read_text(encoding="utf-8") for page in ("parts", "index"))
    return sorted({*re.findall(r"\| `rosenblatt ([^`]+)` \|", text)} - {"lab"})


def test_what_the_parts_say_to_type_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As it stands, in a folder with the book's tables; a model that is there already is not replaced."""
    from rosenblatt.cli.app import main

    assert len(_typed()) > 20
    monkeypatch.setenv("NO_COLOR", "1")
    for number, line in enumerate(_typed()):
        shutil.copytree(DOCS / "data", tmp_path / str(number))
        monkeypatch.chdir(tmp_path / str(number))
        assert main(shlex.split(line)) == 0, line


PICTURES = [
    pytest.param(code, id=f"{path.stem}-{number}")
    for path in sorted(DOCS.rglob("*.md"))
    for number, code in enumerate(re.findall(PICTURE, path.read_text(encoding="utf-8"), flags=re.DOTALL), start=1)
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("code", PICTURES)
def test_picture(code: str) -> None:
    """Every picture of the book draws something, and without a warning."""
    import matplotlib.pyplot as plt

    plt.switch_backend("Agg")
    try:
        exec(code, {})
        assert any(figure.axes for figure in map(plt.figure, plt.get_fignums()))
    finally:
        plt.close("all")


def test_pages_read_in_the_repository_have_their_pictures() -> None:
    """A script's picture is named after the script: another script, another name, and no picture is left over."""
    draw = _script("draw")
    named = set()
    for page in draw.pages():
        text = page.read_text(encoding="utf-8")
        for found in draw.SCRIPT.finditer(text):
            name = draw.name_of(found["code"])
            assert found.group().endswith(f"![{found['alt']}]({draw.up(page)}/{name})\n"), "python docs/draw.py"
            named.add(name)
        frames = list(draw.FRAME.finditer(text))
        assert len(frames) == text.count(":::{lab}"), f"{page}: a frame without a picture"
        named |= {Path(found["at"]).name for found in frames}
        for found in frames:
            assert Path(found["at"]).name == "lab-" + draw.name_of(found["options"]), "python docs/draw.py --lab"
    assert named == {path.name for path in draw.FOLDER.iterdir()}
    assert max(path.stat().st_size for path in draw.FOLDER.iterdir()) < 60_000


LECTURES = [path for path in sorted((DOCS / "lectures").glob("*.md")) if path.stem not in NO_LECTURE]


@pytest.mark.parametrize("path", LECTURES, ids=lambda path: path.stem)
def test_every_lecture_has_figures_exercises_and_a_self_test(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    frames = re.findall(r":::\{lab\}.*?:::\n", text, re.S)
    assert frames
    assert all(":figure:" in frame for frame in frames), "a lecture shows figures, not whole labs"
    exercises = re.search(r"## Exercises\n(.*?)## Self-test", text, re.S)
    assert exercises is not None
    assert len(re.findall(r"^\*\*\d\.\*\* ", exercises[1], re.M)) >= 3
    checked = re.findall(r"<summary>Answer</summary>\n\n\*\*[^*\n]+\*\*[.:,]", exercises[1])
    assert len(checked) >= 3, "an exercise checks itself by what is bold at the beginning of its answer"
    questions = re.findall(r":::\{admonition\} Self-test\n:class: selftest\n(.*?)\n:::\n", text, re.S)
    assert len(questions) >= 3
    for question in questions:
        choices = re.findall(r"^(\d)\. ", question, re.M)
        right = re.search(r"<summary>Answer</summary>\n\n\*\*(\d)\*\*: ", question)
        assert right is not None, question
        assert right[1] in choices, question


def test_a_frame_opens_what_it_says(browser: Any, tmp_path: Path) -> None:
    from rosenblatt.lab.page import standalone

    fragment = _script("fragment").fragment_of({"points": "rb.datasets.xor()", "settings": 'phi="product"', "k": "7"})
    (tmp_path / "lab.html").write_text(standalone(), encoding="utf-8")
    page = browser.new_context().new_page()
    page.goto((tmp_path / "lab.html").as_uri() + fragment)
    page.wait_for_selector(".proved")
    assert page.input_value("[data-name=phi]") == "product"
    assert page.inner_text(".counter") == "7 / 29"
    assert page.locator(".dot").count() == 4
    page.context.close()


def test_the_plans_and_figures_open_the_rooms_that_they_name(browser: Any, tmp_path: Path) -> None:
    """What is chosen in a room is what its address says."""
    from rosenblatt.lab.page import standalone

    text = "\n".join(path.read_text(encoding="utf-8") for path in sorted((DOCS / "lectures").glob("*.md")))
    places = set(re.findall(r"lab\.html#room=(\w+)&show=([\w%]+)", text))
    places |= {(room, quote(show)) for room, show in re.findall(r":room: (\w+)\n:show: ([^\n]+)\n", text)}
    assert len(places) > 6
    (tmp_path / "lab.html").write_text(standalone(), encoding="utf-8")
    for room, show in sorted(places):
        page = browser.new_context().new_page()
        page.goto((tmp_path / "lab.html").as_uri() + f"#room={room}&show={show}")
        page.get_by_role("button", name=unquote(show), exact=True, pressed=True).wait_for()
        assert page.get_by_role("link", name=room.capitalize()).get_attribute("aria-current") == "page"
        page.context.close()


def _transcripts(page: Path) -> list[tuple[str, str]]:
    """(command, what it prints) from blocks that begin with a command; not of those shown without an answer."""
    blocks = re.findall(r"```\w*\n(\$ .*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    said = [one.partition("\n")[::2] for block in blocks for one in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]]
    return [(command, answer) for command, answer in said if answer.strip()]


def _steady(text: str) -> str:
    """Without what may differ: the time."""
    return re.sub(r"\d+\.\d\d s ·", "… s ·", " ".join(text.split()))


@pytest.mark.parametrize("page", [p for p in PAGES if _transcripts(p)], ids=lambda page: page.stem)
def test_transcripts_are_what_the_program_says(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In this process: a new one for each command would import everything again."""
    from rosenblatt.cli.app import main

    for folder in (tmp_path, tmp_path / "docs" / "data"):
        shutil.copytree(DOCS / "data", folder, dirs_exist_ok=True)
    shutil.copy(SONAR, tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "100")
    for command, expected in _transcripts(page):
        program, *arguments = command.split()
        assert program == "rosenblatt"
        assert main(arguments) == 0
        said, shown = _steady(capsys.readouterr().out), _steady(expected)
        assert said.startswith(shown.removesuffix("…")) if shown.endswith("…") else said == shown


def test_the_page_of_the_command_line_names_every_learner() -> None:
    from rosenblatt.learners import LEARNERS

    text = (DOCS / "command-line.md").read_text(encoding="utf-8")
    listed = re.search(r"^Learners: (.*?)\. The model", text, re.M | re.S)
    assert listed is not None
    assert set(re.findall(r"`([a-z-]+)`", listed[1])) - {"--eta", "--order"} == {"auto", *LEARNERS}


def test_the_page_of_tables_names_every_ending() -> None:
    from rosenblatt.data.readers import FORMATS

    text = (DOCS / "tables.md").read_text(encoding="utf-8")
    assert [one for known in FORMATS.values() for one in known.endings if f"`{one}`" not in text] == []


def test_options_that_pages_name_are_options() -> None:
    """Every command line of the book and of the README, its options looked up."""
    from rosenblatt.cli.app import COMMANDS, _built_program

    commands = _built_program().commands  # type: ignore[attr-defined]
    options = {
        name: {one for parameter in commands[name].params for one in (*parameter.opts, *parameter.secondary_opts)}
        for name in COMMANDS
    }
    seen = 0
    for page in PAGES:
        text = page.read_text(encoding="utf-8").replace("\\\n", " ")
        for name, rest in re.findall(r"(?:^|[`$|] ?)rosenblatt ([a-z]+)((?: [^`\n]*)?)", text, re.M):
            if name in options:
                rest = re.split(r" [|#&] | && | {3,}", rest)[0]
                named = set(re.findall(r"(?<= )--?[a-z][a-z-]*", rest)) - {"--help"}
                assert named <= options[name], f"{page}: rosenblatt {name}{rest}"
                seen += bool(named)
    assert seen > 100


def test_what_beginners_read_runs_with_what_pip_install_brings() -> None:
    """The front pages, the lectures and the notebooks import nothing but what the package depends on."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    brought = {re.split(r"[^\w-]", one)[0].replace("scikit-learn", "sklearn") for one in project["dependencies"]}
    allowed = brought | sys.stdlib_module_names | {"rosenblatt"}
    pages = [ROOT / "README.md", DOCS / "start.md", *(DOCS / "lectures").glob("*.md"), *(DOCS / "kit").glob("*.md")]
    for page in pages:
        named = re.findall(r"^(?:>>> |\.\.\. +)?(?:import|from) (\w+)", page.read_text(encoding="utf-8"), re.M)
        assert set(named) <= allowed, f"{page}: {set(named) - allowed}"


def test_every_target_that_pages_name_is_one() -> None:
    targets = re.search(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)
    assert targets is not None
    for page in [*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", ROOT / "RELEASING.md"]:
        named = re.findall(r"`make ([a-z-]+)(?=[ `])|^make ([a-z-]+) +#", page.read_text(encoding="utf-8"), re.M)
        assert {one or other for one, other in named} <= set(targets[1].split()), page


def test_the_five_doors_are_the_same_everywhere() -> None:
    from rosenblatt.cli.app import DOORS

    doors = {first for _, _, first in DOORS if first}
    for page in (ROOT / "README.md", DOCS / "index.md"):
        table = page.read_text(encoding="utf-8").split("## Who are you?")[1].split("\n## ")[0]
        rows = [re.findall(r"`(rosenblatt [^`]+)`", line) for line in table.splitlines() if "_static/door" in line]
        assert {first for first in doors for row in rows if row[0].startswith(first)} == doors
        assert len(rows) == len(doors) == 5


def test_the_front_pages_have_transcripts() -> None:
    assert all(_transcripts(page) for page in (ROOT / "README.md", DOCS / "start.md"))


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ('<a href="b.html#there">b</a>', None),
        ('<a href="https://example.org/x">x</a>', None),
        ('<a href="c.html">c</a>', "leads nowhere"),
        ('<a href="b.html#gone">b</a>', "a place that is not there"),
        ('<script src="https://example.org/x.js"></script>', "from elsewhere"),
    ],
)
def test_site_check_finds(body: str, problem: str | None, tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(body)
    (tmp_path / "b.html").write_text('<h1 id="there">b</h1>')
    found = _script("check_site").problems(tmp_path.resolve())
    assert len(found) == (problem is not None)
    assert problem is None or problem in found[0]


def test_the_map_names_every_room_and_nothing_that_is_not_there() -> None:
    block = re.search(r"```\n(cli/ .*?)```", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), re.S)
    assert block is not None
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    recipes = {name.rpartition("/")[2] for name in re.findall(r"`[a-z_/]*?([a-z_]+\.(?:py|md|toml))`", text)}
    named = set(re.findall(r"[\w-]+/|[\w.-]+\.(?:py|md|js)", block[1])) | recipes
    source = ROOT / "src" / "rosenblatt"
    inside = [path for path in source.iterdir() if not path.name.startswith("__")]
    assert {f"{path.name}/" if path.is_dir() else path.name for path in inside if path.suffix in ("", ".py")} <= named
    there = set()
    for _, folders, files in os.walk(ROOT):
        folders[:] = [one for one in folders if not one.startswith((".", "_")) and one != "node_modules"]
        there |= {f"{one}/" for one in folders} | set(files)
    assert named <= there


def test_check_goes_the_way_that_the_book_tells(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A CSV through `check`, with a plane between the classes and without: every file named is met in turn."""
    text = (DOCS / "explanation" / "architecture.md").read_text(encoding="utf-8")
    section = re.search(r"## From a CSV file to its certificate\n(.*?)\n## ", text, re.DOTALL)
    assert section is not None
    told = re.findall(r"`([\w/]+\.py)`", section[1])
    blamed = ["verdicts/search/mixture.py"]
    widened = ["verdicts/margins/margin.py", "verdicts/margins/active_set.py"]
    monkeypatch.chdir(tmp_path)
    Path("overlap.csv").write_text("a,b,y\n1,2,p\n2,1,q\n1,2,q\n3,4,p\n")
    for names, table, target in ((blamed, SONAR, "material"), (widened, "overlap.csv", "y")):
        met = iter(_files_met(["check", str(table), "--target", target]))
        assert [name for name in told if name not in names and name not in met] == []


def _files_met(arguments: list[str]) -> list[str]:
    """The files whose functions are called, in the order of the calls."""
    from rosenblatt.cli.app import main

    package, met = str(ROOT / "src" / "rosenblatt") + os.sep, [""]

    def note(frame: Any, event: str, _: Any) -> None:
        file = frame.f_code.co_filename
        if event == "call" and file.startswith(package) and met[-1] != file:
            met.append(file)

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        assert main(arguments) == 0
    finally:
        sys.setprofile(before)
    return [Path(file).relative_to(package).as_posix() for file in met[1:]]


def test_site_check_refuses_an_empty_folder(tmp_path: Path) -> None:
    assert _script("check_site").problems(tmp_path) == [f"{tmp_path} has no pages"]


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ("<p>fine</p>", None),
        ("<script>nothing()</script>", "nothing is not defined"),
        ("<script>console.error('ouch')</script>", "ouch"),
        ("<canvas width=9 height=9></canvas>", "an empty canvas"),
        ("<canvas width=9 height=9 hidden></canvas>", None),
        ("<canvas width=9 height=9 id=c></canvas><script>c.getContext('2d').fillRect(0, 0, 5, 5)</script>", None),
        ('<img src="a.png">', "a picture does not come"),
        ('<svg role="img" width=9 height=9></svg>', "an empty drawing"),
        ('<iframe title="f" srcdoc="<svg role=img width=9 height=9></svg>"></iframe>', "f: an empty drawing"),
        ('<iframe title="f" srcdoc="<svg role=img><path></path></svg>"></iframe>', None),
    ],
)
def test_site_check_looks_at_pages(body: str, problem: str | None, browser: Any, tmp_path: Path) -> None:
    page = f"<!doctype html><html lang=en><title>a</title><main><h1>a</h1>{body}</main>"  # nothing for axe to find
    (tmp_path / "a.html").write_text(page, encoding="utf-8")
    found = _script("check_site").seen(tmp_path.resolve(), browser)
    assert any(problem in one for one in found) if problem else found == []


def test_the_self_test_says_what_is_right(browser: Any, tmp_path: Path) -> None:
    choices = "<p>Which?</p><ol><li>one</li><li>two</li></ol><details><summary>Answer</summary><p>2: two</p></details>"
    quiz = (DOCS / "_static" / "selftest.js").read_text(encoding="utf-8")
    (tmp_path / "a.html").write_text(f"<!doctype html><div class=selftest>{choices}</div><script>{quiz}</script>")
    page = browser.new_context().new_page()
    page.goto((tmp_path / "a.html").as_uri())
    page.get_by_role("button", name="one").click()
    assert page.inner_text("[role=status]").startswith("No.")
    assert page.get_attribute("details", "open") is None
    page.get_by_role("button", name="two").click()
    assert page.inner_text("[role=status]") == "Right."
    assert page.get_attribute("details", "open") == ""
    page.context.close()


@pytest.mark.parametrize(
    ("right", "typed", "good"),
    [
        ("14", "14", True),
        ("14", "15", False),
        ("0.875 or 7/8", "7/8", True),
        ("0.875 or 7/8", ".875", True),
        ("-1", "−1", True),
        ("-1", "1", False),
        ("(0, 0, -1)", "0 0 -1", True),
        ("no", " No ", True),
        ("no", "yes", False),
        ("1,365", "1365", True),
        ("4 or four", "Four", True),
    ],
)
def test_an_exercise_checks_itself(right: str, typed: str, good: bool, browser: Any, tmp_path: Path) -> None:
    quiz = (DOCS / "_static" / "selftest.js").read_text(encoding="utf-8")
    answer = f"<details><summary>Answer</summary><p><strong>{right}</strong>: because</p></details>"
    page_text = f"<!doctype html><section id=exercises><p>How many?</p>{answer}</section><script>{quiz}</script>"
    (tmp_path / "a.html").write_text(page_text, encoding="utf-8")
    page = browser.new_context().new_page()
    page.goto((tmp_path / "a.html").as_uri())
    page.get_by_label("Your answer").fill(typed)
    page.get_by_role("button", name="Check").click()
    assert page.inner_text("[role=status]").startswith("Right" if good else "No.")
    assert page.get_attribute("details", "open") == ("" if good else None)
    page.context.close()


PAGE = """# A page

```python
>>> import math
>>> math.pi
3.14…
```

## S0.6 The theorem

Words.

<!-- shown -->

```python
>>> 1 + 1
2
```

```python
>>> 2 + 2
4
```

More words.

<details>
<summary>Answer</summary>

```python
>>> 3 + 3
6
```

</details>
"""


def test_every_formula_can_be_drawn() -> None:
    pytest.importorskip("latex2mathml")
    pytest.importorskip("sphinx")
    mathml = _script("formulas").mathml
    found = 0
    for page in PAGES:
        prose = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.S)
        for block, inline in re.findall(r"\$\$(.*?)\$\$|\$([^$\n]+)\$", prose, re.S):
            assert "<math" in mathml(block or inline)
            found += 1
        in_tables = re.findall(r"^\|.*$", prose, re.M)
        assert not [row for row in in_tables if re.search(r"\$[^$]*\\\|", row)], "\\| is a bar in a table: say \\lVert"
    assert found > 400
    with pytest.raises(ValueError, match="does not know"):
        mathml(r"\arg\max x")


@pytest.mark.filterwarnings("ignore")  # of Sphinx, about what its extensions use
def test_code_is_folded_and_parts_say_where_they_are(tmp_path: Path) -> None:
    """A book of one page: imports and tests go into one fold at the end of the part; what is to be seen stays."""
    pytest.importorskip("myst_parser")
    from sphinx.application import Sphinx

    (tmp_path / "lectures").mkdir()
    shutil.copy(DOCS / "lectures" / "parts.md", tmp_path / "lectures")
    (tmp_path / "lectures" / "a.md").write_text(PAGE, encoding="utf-8")
    (tmp_path / "index.md").write_text("# Book\n\n```python\n>>> 5 + 5\n10\n```\n", encoding="utf-8")
    extensions = f"import sys; sys.path.insert(0, {str(DOCS)!r})\nextensions = ['myst_parser', 'folding']\n"
    (tmp_path / "conf.py").write_text(extensions, encoding="utf-8")
    Sphinx(tmp_path, tmp_path, tmp_path / "out", tmp_path / "out", "html", status=None, warning=None).build()
    text = re.sub(r"<span[^>]*>|</span>", "", (tmp_path / "out" / "lectures" / "a.html").read_text(encoding="utf-8"))
    assert "In the lecture: slides 31–45 · in the lab: " in text
    fold = re.search(r'<details class="made">(.*?)</details>', text, re.S)
    assert fold is not None
    assert text.count('<details class="made">') == 1
    assert all(line in fold[1] for line in ("import math", "2 + 2"))
    assert not any(line in fold[1] for line in ("1 + 1", "3 + 3"))
    assert text.index("More words.") < fold.start()
    assert "details" not in (tmp_path / "out" / "index.html").read_text(encoding="utf-8")


def _glossary() -> dict[str, list[str]]:
    """The book's words, and what others call the same."""
    text = (DOCS / "reference" / "notation.md").read_text(encoding="utf-8").split("## Words")[1]
    rows = [line.strip("| ").split("|") for line in text.splitlines() if line.startswith("| ")][1:]
    return {
        row[0].strip(): [w.strip() for w in (row[2] if len(row) > 2 else "").split(",") if w.strip()] for row in rows
    }


def _voices(capsys: pytest.CaptureFixture[str]) -> dict[str, str]:
    """What the program says: help, the sentences about results, the lab's words."""
    from rosenblatt.cli.app import COMMANDS, main

    for name in COMMANDS:
        with contextlib.suppress(SystemExit):
            main([name, "--help"])
    page = (DOCS / "explanation" / "sentences.md").read_text(encoding="utf-8")
    sentences = "\n".join(
        line.split("|")[2] for line in page.splitlines() if line.startswith("| ") and line.count("|") > 4
    )
    sources = sorted((ROOT / "lab-ui" / "src").rglob("*.ts"))
    lab = "\n".join(
        said for path in sources for said in re.findall(r'["`]([^"`\n]+)["`]', path.read_text(encoding="utf-8"))
    )
    return {"help": capsys.readouterr().out, "sentences": sentences, "lab": lab}


def test_the_glossary_is_how_the_program_speaks(capsys: pytest.CaptureFixture[str]) -> None:
    voices = _voices(capsys)
    assert all(len(text) > 9_000 for text in voices.values())
    words = _glossary()
    assert len(words) > 15
    book = "\n".join(page.read_text(encoding="utf-8") for page in PAGES if page.stem != "notation")
    for word, elsewhere in words.items():
        for one in word.split(", "):
            assert one.removesuffix(" η") in book, one
        for name, text in voices.items():
            found = [one for one in elsewhere if re.search(rf"\b{one}s?\b", text, re.I)]
            assert not found, f"{name} says {found} for {word}"


def _said_by(cells: list[tuple[str, str]]) -> list[str]:
    """What the cells of a notebook print, one after the other in one place, without a warning."""
    place: dict[str, Any] = {}
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        for kind, text in cells:
            if kind != "text":
                exec(text, place)
    return printed.getvalue().splitlines()


NOTEBOOKS = [path.stem for path in sorted((DOCS / "kit").glob("*.md"))]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_knows_right_from_not_yet(name: str) -> None:
    """Every exercise: its stub is not right, in a sentence; its solution is."""
    kit = _script("kit")
    solutions = _said_by(kit.chosen(name, solved=True))
    assert solutions == ["Right."] * len(solutions)
    stubs = _said_by(kit.chosen(name, solved=False))
    assert len(stubs) == len(solutions) == len([kind for kind, _ in kit.cells_of(name) if kind == "exercise"]) >= 4
    assert all(line.startswith("Not yet: ") for line in stubs)
    for solved in (True, False):
        whole = json.loads(kit.notebook(name, solved=solved))
        assert (whole["nbformat"], whole["nbformat_minor"]) == (4, 5)
        assert len({cell["id"] for cell in whole["cells"]}) == len(whole["cells"])
        assert any("Not yet" in cell["source"] for cell in whole["cells"])


def test_there_is_a_notebook_for_each_lecture() -> None:
    assert sorted(_script("kit").names()) == NOTEBOOKS == sorted(p.stem for p in LECTURES if p.stem != "neuron")


def test_the_kit_has_what_its_page_links_to(tmp_path: Path) -> None:
    kit = _script("kit")
    kit.write_papers(tmp_path)
    page = kit.plan()
    links = {unquote(one).partition("#")[0] for one in re.findall(r'href="([^"]*)"', page)}
    assert links == {path.name for path in tmp_path.iterdir()} | {"lab.html", "figures.zip"}
    assert not re.search(r"make kit|_static|\]\(", page)
    names = [name for name, script, drawn in kit.pictures() if script or (DOCS / "lectures" / drawn).is_file()]
    text = "".join(path.read_text(encoding="utf-8") for path in (DOCS / "lectures").glob("*.md"))
    assert len({*names}) == len(names) == text.count("```{picture}") + text.count(":::{lab}")


def test_search_has_the_words_of_a_page() -> None:
    pytest.importorskip("sphinx")
    page = """<nav>not this</nav>
      <article class="x"><section id="s1"><h2>A head<a class="headerlink" href="#s1">#</a></h2>
      <p>Words <b>and</b> more.</p><script>not(this)</script></section></article>"""
    assert _script("excerpts").words_of(page) == '<section id="s1">A head Words and more.</section>'


@pytest.fixture
def timed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """`python -m benchmarks` with one benchmark, whose ratio can be set; what it is called with goes to a folder."""
    import benchmarks.__main__ as program
    from benchmarks.timing import print_table, ratio, some

    ratios = {"first": 2.0, "second": 0.5}

    def nothing() -> None:
        """How fast nothing is."""
        print_table(["data", "faster"], [[name, ratio(ratios[name])] for name in some(ratios)])

    monkeypatch.setattr(program, "find", lambda: None)
    monkeypatch.setattr(program, "BENCHMARKS", {"nothing": nothing})
    monkeypatch.setattr("warnings.simplefilter", lambda *_: None)

    def run(*arguments: str) -> int:
        monkeypatch.setattr(sys, "argv", ["benchmarks", *arguments, "--output", str(tmp_path)])
        return program.main()

    return run, ratios, tmp_path / "nothing.md"


def test_benchmarks_write_pages(timed: Any) -> None:
    run, _, page = timed
    assert run("nothing") == 0
    title, words, note, again, table = page.read_text(encoding="utf-8").strip().split("\n\n")
    assert (title, words, again) == (
        "# Nothing",
        "How fast nothing is.",
        "Repeat it with `python -m benchmarks nothing`.",
    )
    day, machine, versions, load, reproduced = note.splitlines()[2].strip("| ").split(" | ")
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", day)
    assert re.search(r", \d+ cores$", machine)
    assert versions.startswith("Python 3.")
    assert float(load) >= 0
    assert reproduced == "–"
    assert [line.split("|")[2].strip() for line in table.splitlines()[2:]] == ["2×", "0.5×"]


def test_a_check_notes_what_comes_out_again_and_names_what_does_not(
    timed: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    run, ratios, page = timed
    assert run("nothing") == 0
    written = page.read_text(encoding="utf-8")
    ratios.update(first=3.0, second=9.0)  # of the sample, the first alone, by a half
    assert run("--check") == 1
    assert "first, faster: 2× on the page, 3× now" in capsys.readouterr().out
    assert page.read_text(encoding="utf-8") == written
    ratios["first"] = 2.6
    assert run("--check") == 0
    assert "All pages come out again." in capsys.readouterr().out
    assert re.search(r"\| \d{4}-\d\d-\d\d, load [\d.]+: 1 ratio of the sample \|\n", page.read_text(encoding="utf-8"))


def test_every_page_of_numbers_says_where_and_when_it_ran() -> None:
    from benchmarks.pages import NOTE

    named = set()
    for path in (ROOT / "benchmarks").rglob("*.py"):
        named |= set(re.findall(r'^@benchmark\("([\w-]+)"\)', path.read_text(encoding="utf-8"), re.M))
    pages = [path for path in (DOCS / "numbers").glob("*.md") if path.stem != "index"]
    assert pages
    for path in pages:
        text = path.read_text(encoding="utf-8")
        assert path.stem in named, f"no benchmark writes {path}"
        assert f"| {' | '.join(NOTE)} |\n" in text, path
        assert f"Repeat it with `python -m benchmarks {path.stem}`." in text, path
