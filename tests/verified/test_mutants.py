"""Proofs notice mistakes: each deliberate one in the checker makes a proof fail."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

VERIFIED = Path(__file__).parents[2] / "verified"


def test_every_deliberate_mistake_makes_a_proof_fail(request: pytest.FixtureRequest) -> None:
    if not request.config.getoption("--soak"):
        pytest.skip("half a minute of Coq: only with --soak, or `make -C verified mutants`")
    if shutil.which("coqc") is None or not (VERIFIED / "_build" / "Certificates.vo").exists():
        pytest.skip("the proofs are not built (make verified)")
    done = subprocess.run([sys.executable, VERIFIED / "mutants.py"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert int(done.stdout.split()[0]) >= 10


def test_no_proof_is_left_out() -> None:
    """No axiom, no admitted lemma, no proof that is only begun, in the theories' text itself."""
    theories = sorted((VERIFIED / "theories").glob("*.v"))
    assert len(theories) >= 12
    for path in theories:
        words = path.read_text(encoding="utf-8").replace("(", " ").split()
        assert not {"Axiom", "Admitted.", "admit.", "Parameter", "Conjecture", "Abort."} & set(words), path.name


def test_the_page_names_theorems_that_are_there() -> None:
    page = (VERIFIED.parent / "docs" / "explanation" / "verified.md").read_text(encoding="utf-8")
    for line in page.splitlines():
        if line.startswith("| ") and ".v` |" in line:
            *names, file = [part for k, part in enumerate(line.rsplit("|", 2)[1].split("`")) if k % 2]
            text = (VERIFIED / "theories" / file).read_text(encoding="utf-8")
            for name in names:
                assert f"Theorem {name} " in text, (name, file)
