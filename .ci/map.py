"""The map of the package: of every file its first line, room by room (`python .ci/map.py [ROOM …]`)."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).parent.parent / "src" / "rosenblatt"


def lines(rooms: list[str]) -> Iterator[str]:
    """A line for each file of these rooms (all, where none is named), rooms indented by their depth."""
    for path in sorted(SOURCE.rglob("*.py"), key=_place):
        inside = path.relative_to(SOURCE)
        if rooms and inside.parts[0].removesuffix(".py") not in rooms:
            continue
        room = path.name == "__init__.py"
        depth = len(inside.parts) - (2 if room else 1)
        name = f"{inside.parent.name or 'rosenblatt'}/" if room else inside.name
        yield f"{'  ' * depth}{name:<{32 - 2 * depth}} {first_line(path)}"


def _place(path: Path) -> tuple[tuple[str, ...], bool, str]:
    """Rooms one after the other, each with its contract first."""
    return path.parent.parts, path.name != "__init__.py", path.name


def first_line(path: Path) -> str:
    """The first line of a file's docstring."""
    return (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").partition("\n")[0]


if __name__ == "__main__":
    print(*lines(sys.argv[1:]), sep="\n")
