"""Print the lowest version of everything that pyproject.toml lets a user have, one requirement a line, for pip.

python .ci/lowest.py [EXTRA …]    the dependencies, and those of some extras
"""

import sys
import tomllib
from pathlib import Path

PROJECT = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def lowest(requirement: str) -> str:
    """Turn "numpy>=2.0" into "numpy==2.0"."""
    if "," in requirement or ">=" not in requirement:
        raise SystemExit(f"pyproject.toml: {requirement!r} does not read NAME>=VERSION: its lowest version is unknown.")
    return requirement.replace(">=", "==")


if __name__ == "__main__":
    extras = PROJECT["optional-dependencies"]
    for requirement in [*PROJECT["dependencies"], *(one for name in sys.argv[1:] for one in extras[name])]:
        print(lowest(requirement))
