"""The wheel as strangers have it: an empty environment, no checkout, no variables of ours."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_the_wheel_works_in_an_empty_environment(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    if not request.config.getoption("--soak"):
        pytest.skip("installs everything: with --soak")
    known = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL", "NUMBA"))}

    def run(*command: object) -> str:
        done = subprocess.run(
            list(map(str, command)), cwd=tmp_path, env=known, capture_output=True, text=True, timeout=1800, check=False
        )
        assert done.returncode == 0, done.stderr[-2000:]
        return done.stdout

    run(sys.executable, "-m", "venv", "empty")
    here = tmp_path / "empty" / ("Scripts" if os.name == "nt" else "bin")
    run(here / "python", "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", "dist", ROOT)
    (wheel,) = (tmp_path / "dist").glob("rosenblatt-*.whl")
    run(here / "python", "-m", "pip", "install", "--quiet", wheel)
    where = run(here / "python", "-c", "import rosenblatt; print(rosenblatt.__file__)")
    assert Path(where.strip()).is_relative_to(tmp_path)
    (tmp_path / "t.csv").write_text("a,b,y\n1,2,0\n2,1,0\n3,5,1\n4,4,1\n")
    assert "Completely separable" in run(
        here / "rosenblatt", "check", "t.csv", "--target", "y", "--certificate", "c.json"
    )
    assert json.loads((tmp_path / "c.json").read_text())["verdict"] == "complete"
    run(here / "rosenblatt", "verify", "c.json", "t.csv")
    run(here / "python", "-I", "-m", "rosenblatt.verdicts.checker", "c.json", "t.csv")
    run(here / "rosenblatt", "lab", "--save", "lab.html")
    assert (tmp_path / "lab.html").read_text(encoding="utf-8").rstrip().endswith("</html>")
