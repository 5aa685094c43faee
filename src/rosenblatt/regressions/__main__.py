"""`python -m rosenblatt.regressions`: write the models' names for type checkers, after a file was added."""

from pathlib import Path

from rosenblatt.regressions import REGRESSIONS
from rosenblatt.regressions.machinery import names

if __name__ == "__main__":
    path = Path(names.__file__)
    head = path.read_text(encoding="utf-8").partition("ModelName = ")[0]
    listed = "".join(f'    "{name}",\n' for name in REGRESSIONS)
    path.write_text(f"{head}ModelName = Literal[\n{listed}]\n", encoding="utf-8")
