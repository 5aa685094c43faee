"""The package as a user meets it: fast to import, lazy, typed."""

import ast
import re
import subprocess
import sys
import tomllib
from importlib.resources import files
from pathlib import Path

import pytest

import rosenblatt as rb

CITATION, PROJECT = (Path(__file__).parent.parent / name for name in ("CITATION.cff", "pyproject.toml"))

SCRIPT = """
import sys, time
began = time.perf_counter()
import rosenblatt
print(time.perf_counter() - began)
print([name for name in ("numba", "sklearn", "matplotlib", "scipy", "numpy") if name in sys.modules])
"""


def test_import_is_fast_and_lazy() -> None:
    runs = [
        subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True) for _ in range(3)
    ]
    assert min(float(run.stdout.splitlines()[0]) for run in runs) < 0.2
    assert runs[0].stdout.splitlines()[1] == "[]"


def test_every_public_name_is_there() -> None:
    for name in rb.__all__:
        assert getattr(rb, name) is not None
    assert dir(rb) == sorted(rb.__all__)
    with pytest.raises(AttributeError, match="attribute Multilayer"):
        rb.Multilayer  # noqa: B018


def test_one_version_everywhere() -> None:
    assert f"\nversion: {rb.__version__}\n" in CITATION.read_text(encoding="utf-8")


def test_no_dependency_has_an_upper_bound() -> None:
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    wanted = project["dependencies"] + [one for some in project["optional-dependencies"].values() for one in some]
    assert [one for one in wanted if re.search(r"<|==|~=|!=", one.partition(";")[0])] == []
    assert "<" not in project["requires-python"]


def test_package_is_typed() -> None:
    assert files("rosenblatt").joinpath("py.typed").is_file()


def test_no_class_name_is_defined_twice() -> None:
    """A reader who meets a name need not ask which of two it is."""
    places: dict[str, set[Path]] = {}  # a class with a face for type checkers is defined twice in its file
    for file in sorted(Path(str(rb.__file__)).parent.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                places.setdefault(node.name, set()).add(file)
    assert {name: files for name, files in places.items() if len(files) > 1} == {}


def test_every_file_says_in_its_first_line_what_it_is() -> None:
    """`make map` prints these lines: one sentence each, of one line."""
    for file in sorted(Path(str(rb.__file__)).parent.rglob("*.py")):
        first = (ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or "").partition("\n")[0]
        assert len(first) > 20, file
        assert first.endswith((".", "?")), file
