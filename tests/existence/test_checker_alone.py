"""checker.py alone, from a certificate and a CSV file: every model's columns are read by the names that it has."""

import csv
import io
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rosenblatt as rb
from rosenblatt.verdicts import checker
from tests.existence.test_forged_models import MODELS, case

pytest.importorskip("rosenblatt.verdicts.existence.decision")  # without `existence` there are no certificates of models


def write(path: Path, model: Any, X: Any, y: Any, columns: Any) -> None:
    """The table with the names that a certificate of arrays has: x0 …, y, and those of its model."""
    written = {} if X is None else {f"x{j}": X[:, j].tolist() for j in range(X.shape[1])}
    written |= {} if y is None else {"y": np.asarray(y).tolist()}
    for argument, names in model["columns"].items():
        several = isinstance(names, list)
        for name, one in zip(
            names if several else [names], columns[argument] if several else [columns[argument]], strict=True
        ):
            written[name] = np.asarray(one).tolist()
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(written)
    writer.writerows(zip(*written.values(), strict=True))
    path.write_text(text.getvalue(), newline="")


@pytest.mark.parametrize("model", MODELS)
def test_tables_of_every_model(model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rng = np.random.default_rng([1, *map(ord, model)])
    for _ in range(6):
        X, y, columns, choices = case(rng, model)
        certificate = rb.existence(X, y, model, **columns, **choices).certificate
        certificate.save(tmp_path / "c.json")
        write(tmp_path / "t.csv", certificate.content["model"], X, y, columns)
        files = [str(tmp_path / "c.json"), str(tmp_path / "t.csv")]
        code = checker.main(files)
        assert code == 0, capsys.readouterr().out
        said = capsys.readouterr().out
        assert said.startswith(
            f"holds: {rb.verify(certificate, X, y, **columns)}\nread: {certificate.content['n']} rows"
        )
        assert all(f", {name} as " in said for name in certificate.content["model"]["columns"] if name == "time")
        lines = (tmp_path / "t.csv").read_text().splitlines()
        (tmp_path / "t.csv").write_text("\n".join([*lines, lines[1]]))
        assert checker.main(files) == 2
        assert capsys.readouterr().out.startswith("is not about these data: ")


def test_it_runs_where_we_are_not(tmp_path: Path) -> None:
    X, columns = np.array([[1.0], [2.0], [3.0]]), {"time": [1.5, 2.5, 3.5], "event": [True, False, True]}
    certificate = rb.existence(X, None, "cox", **columns).certificate
    certificate.save(tmp_path / "c.json")
    write(tmp_path / "t.csv", certificate.content["model"], X, None, columns)
    alone = tmp_path / "checker.py"
    alone.write_text(Path(checker.__file__).read_text(encoding="utf-8"), encoding="utf-8")
    command = [sys.executable, "-I", "-S", str(alone), str(tmp_path / "c.json"), str(tmp_path / "t.csv")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout.startswith(
        "holds: complete: this cox model has no maximum-likelihood estimate, 2 of 2 comparisons"
    )


def test_the_time_of_an_event_is_no_feature(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    X, columns = np.array([[1.0], [2.0]]), {"time": [1.0, 2.0], "event": [1, 1]}
    certificate = rb.existence(X, None, "cox", **columns).certificate
    certificate.content["model"]["columns"]["time"] = "x0"
    certificate.save(tmp_path / "c.json")
    (tmp_path / "t.csv").write_text("x0,event\n1,1\n2,1\n")
    assert checker.main([str(tmp_path / "c.json"), str(tmp_path / "t.csv")]) == 1
    assert "its target is among the columns that should tell it" in capsys.readouterr().out
