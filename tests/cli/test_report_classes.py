"""`report` of three and more classes, and what the new options of tables say where a model, or a formula, is read."""

import re
from pathlib import Path

from tests.cli.conftest import Cli
from tests.report.test_classes_page import CODES, NAMES, X


def test_the_command(cli: Cli, folder: Path) -> None:
    lines = [f"{a},{b},{NAMES[k].split()[0]}" for (a, b), k in zip(X.tolist(), CODES.tolist(), strict=True)]
    Path("t.csv").write_text("\n".join(["x,y,colour", *lines]) + "\n")
    done = cli("report", "t.csv", "--target", "colour", "-o", "r.html")
    assert (done.code, done.err) == (0, "")
    assert "There is no maximum-likelihood estimate" in done.out
    page = Path("r.html").read_text()
    assert page.startswith("<!DOCTYPE html>")
    assert "regions of a perceptron" in page
    assert "How it was computed" in page
    found = re.search(r'<script type="application/json" id="certificate-together">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    Path("r.cert.json").write_text(found[1])
    assert cli("verify", "r.cert.json", "t.csv").code == 0
    one = cli("report", "t.csv", "--target", "colour", "--positive", "green", "-o", "one.html")
    assert one.code == 0
    assert "Beside the regressions" in Path("one.html").read_text()


def test_a_factor_with_an_order_goes_with_a_model(cli: Cli, folder: Path) -> None:
    rows = ["0,low,1.5", "1,high,2.5", "0,mid,0.5", "1,low,3.25", "0,high,1.5", "1,mid,2.0", "0,low,2.75", "1,high,1.0"]
    Path("t.csv").write_text("\n".join(["y,dose,x", *rows]) + "\n")
    told = ["check", "t.csv", "--target", "y", "--model", "poisson", "--factor"]
    done = cli(*told, "dose=mid,low,high")
    assert (done.code, done.err) == (0, "")
    assert "factors are measured against dose=mid" in done.out
    done = cli(*told, "dose=low,mid")
    sentence = 'rosenblatt: t.csv: column "dose" has "high", which is not in the order given.\n'
    assert (done.code, done.out, done.err) == (2, "", sentence)


def test_a_formula_says_what_was_understood(cli: Cli, folder: Path) -> None:
    Path("t.csv").write_text("y;x\n0;1,5\n1;2,5\n0;3,5\n1;0,25\n1;2,0\n")
    done = cli("estimate", "t.csv", "--formula", "y ~ x")
    assert (done.code, done.err) == (0, "rosenblatt: t.csv: decimal comma; 1 column (x)\n")
