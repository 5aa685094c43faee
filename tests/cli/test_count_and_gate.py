"""`rosenblatt count` and `rosenblatt gate`, as typed."""

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from rosenblatt.cli import count, gate


def run(command: object, *arguments: str) -> str:
    app = typer.Typer()
    app.command()(command)  # type: ignore[type-var]
    done = CliRunner().invoke(app, list(arguments))
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done.output


def test_count_of_numbers() -> None:
    out = run(count.command, "22", "11")
    assert "at most 2,097,152 can be realised with 11 weights." in out
    assert "P = 2N, the capacity" in out
    assert "at most 1 in 10^9, and less with more points" in run(count.command, "208", "61")
    assert "10^18" not in run(count.command, "60", "5")
    fields = json.loads(run(count.command, "10000000", "100000", "--json"))
    assert fields["schema"] == "rosenblatt-count/1"
    assert fields["count"] is None
    assert fields["log10_probability"] == pytest.approx(-2767092.97462438, rel=1e-13)


def test_count_of_points(tmp_path: Path) -> None:
    file = tmp_path / "corners.csv"
    file.write_text("x,y\n0,0\n0,1\n1,0\n1,1\n")
    out = run(count.command, "--points", str(file))
    assert "14 of all 2^4 labelings" in out
    assert "4 points with 3 weights are in general position" in out
    file.write_text("0 0\n1 1\n2 2\n3 3\n")
    out = run(count.command, "--points", str(file))
    assert "8 of all 2^4 labelings" in out
    assert "points 0, 1, 2 lie on a line" in out
    assert "In general position 14 could be." in out
    fields = json.loads(run(count.command, "--points", str(file), "--json", "--no-intercept"))
    assert (fields["dichotomies"], fields["general_position"], fields["dependent_points"]) == ("0", False, [0])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "points.csv is empty"),
        ("1,2\n3\n", "line 2: this row has 1 fields and the first line has 2"),
        ("a,b\n1,2\n3,x\n", "row 2, column b is 'x', not a finite number"),
        ("a,b\n", "has a header and no rows"),
        ("1,nan\n", "has no header|row 1, column 1 is missing or not a finite number"),
    ],
)
def test_bad_points(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "points.csv"
    file.write_text(text)
    with pytest.raises(ValueError, match=message):
        run(count.command, "--points", str(file))


def test_what_to_count_must_be_said(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="say P and N"):
        run(count.command, "22")
    with pytest.raises(ValueError, match="either P and N, or --points"):
        run(count.command, "3", "2", "--points", str(tmp_path))
    with pytest.raises(ValueError, match="P=0"):
        run(count.command, "0", "2")


def test_gate() -> None:
    assert "f fires when 2·a + b - c ≥ 2" in run(gate.command, "a and (b or not c)")
    out = run(gate.command, "a xor b", "--table", "--learn")
    assert "no single gate: (0,1) + (1,0) = (0,0) + (1,1)" in out
    assert "1 0 |  1  1 | 1" in out
    assert "CYCLING" in out
    fields = json.loads(run(gate.command, "0110", "--json"))
    assert fields["schema"] == "rosenblatt-gate/1"
    assert (fields["hidden"], fields["smallest"], fields["threshold_function"]) == (2, True, False)
    assert fields["witness"] == {"true": [[0, 1], [1, 0]], "false": [[0, 0], [1, 1]]}
    assert fields["layers"][1] == [{"weights": [1, 1], "threshold": 2}]


def test_gate_draws(tmp_path: Path) -> None:
    run(gate.command, "a xor b", "--draw", str(tmp_path / "xor.svg"))
    assert "<svg" in (tmp_path / "xor.svg").read_text()
    with pytest.raises(ValueError, match=r"pictures are written as \.png"):
        run(gate.command, "a xor b", "--draw", str(tmp_path / "xor.txt"))
    with pytest.raises(ValueError, match="not an expression"):
        run(gate.command, "a xor")
