"""The program as a whole: quick, lazy, documented, and honest about what it does not know."""

import inspect
import os
import signal
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import rosenblatt as rb
from rosenblatt.cli import app as program
from rosenblatt.cli.app import COMMANDS, main
from tests.cli.conftest import Cli

HELP = """
import sys, time
began = time.process_time()
from rosenblatt.cli.app import main
code = main({arguments})
print(time.process_time() - began, file=sys.stderr)  # others may be using the processor too
slow = ("numpy", "numba", "sklearn", "scipy", "matplotlib", "duckdb", "safetensors")
print(code, [name for name in slow if name in sys.modules], file=sys.stderr)
"""


@pytest.mark.parametrize("arguments", [["--help"], ["check", "--help"], []], ids=["all", "check", "nothing"])
def test_help_is_there_at_once(arguments: list[str]) -> None:
    script = [sys.executable, "-c", HELP.format(arguments=arguments)]
    runs = [subprocess.run(script, capture_output=True, text=True, check=True) for _ in range(3)]
    assert ("Usage: rosenblatt" if arguments else "What would you like to do?") in runs[0].stdout
    assert min(float(run.stderr.splitlines()[0]) for run in runs) < 0.4
    assert runs[0].stderr.splitlines()[1] == "0 []"


CHECK = """
import sys
import time
from rosenblatt.cli.app import main
code = main(["check", {table!r}, "--target", "high_grade"])
files = ((name, getattr(module, "__file__", None) or "") for name, module in list(sys.modules.items()))
others = {{name.partition(".")[0] for name, file in files if "site-packages" in file}}
print(code, *sorted(others), file=sys.stderr)
"""
MAY_LOAD = """
_cffi_backend _distutils_hack _duckdb annotated_doc cffi click duckdb flint highspy
lazy_loader nanoarrow numpy pycparser rich shellingham threadpoolctl typer typing_extensions
yaml markdown_it mdurl pygments six
"""  # what is used, and what that brings along


@pytest.mark.parametrize("kind", ["quasi", "overlap", "complete"])
def test_check_of_a_small_table_loads_what_it_uses_alone(kind: str, tmp_path: Path) -> None:
    table = Path(__file__).parents[2] / "docs" / "data" / "patients.csv"
    if kind != "quasi":
        lines, table = table.read_text().splitlines(), tmp_path / "table.csv"
        cells = [line.split(",")[:-1] for line in lines[1:]]
        told = [k % 2 if kind == "overlap" else int(float(cell[2]) > 2) for k, cell in enumerate(cells)]
        rows = [",".join([*cell, str(label)]) for cell, label in zip(cells, told, strict=True)]
        table.write_text("\n".join([lines[0], *rows]))
    script = [sys.executable, "-c", CHECK.format(table=str(table))]
    done = subprocess.run(script, capture_output=True, text=True, check=True)
    assert {"quasi": "invasion", "overlap": "Overlapping", "complete": "Completely separable"}[kind] in done.stdout
    code, *loaded = done.stderr.splitlines()[-1].split()
    assert code == "0"
    assert set(loaded) <= set(MAY_LOAD.split()), "no SciPy, no scikit-learn, no pandas, no Numba: nothing is compiled"


def test_what_is_typed_is_what_typer_makes_of_it(cli: Cli, tmp_path: Path) -> None:
    """Options that need no conversion are taken as they are; the others are converted, and refused, as before."""
    table = tmp_path / "t.csv"
    table.write_text("a,b,y\n1,2,no\n2,1,yes\n3,4,no\n4,3,yes\n")
    plain = cli("check", table, "--target", "y", "--features", "a", "--features", "b", "--degree", "2", "--json")
    assert plain.code == 0
    assert '"complete"' in plain.out
    for wrong, said in (
        (("--degree", "two"), "degree"),
        (("--missing", "perhaps"), "missing"),
        (("--counts", "a"), "counts"),
        (("--time-limit", "soon"), "time-limit"),
        (("--nothing",), "nothing"),
    ):
        done = cli("check", table, "--target", "y", *wrong)
        assert done.code == 2
        assert said in done.err


def test_a_sonar_sized_table_compiles_nothing(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(208, 60))
    label = np.where(X[:, :5].sum(axis=1) + random.normal(size=208) > 0, "R", "M")
    table = tmp_path / "wide.csv"
    rows = [",".join([*(f"{v:.4f}" for v in row), one]) for row, one in zip(X, label, strict=True)]
    table.write_text("\n".join([",".join([*(f"x{j}" for j in range(60)), "high_grade"]), *rows]))
    script = [sys.executable, "-c", CHECK.format(table=str(table))]
    done = subprocess.run(script, capture_output=True, text=True, check=True)
    assert "Completely separable" in done.stdout
    assert "numba" not in done.stderr.splitlines()[-1].split()


def test_python_m_and_the_script_are_the_same_program() -> None:
    done = subprocess.run([sys.executable, "-m", "rosenblatt", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("rosenblatt ")
    assert 'rosenblatt = "rosenblatt.__main__:main"' in (Path(__file__).parents[2] / "pyproject.toml").read_text()


def test_the_program_alone_shows_a_door_for_each(cli: Cli) -> None:
    done = cli()
    assert done.code == 0
    typed = [line.split()[1] for line in done.out.splitlines() if line.startswith("    rosenblatt ")]
    assert typed == ["lab", "fit", "check", "filter", "probe"]
    assert set(typed) <= set(COMMANDS)
    assert len(COMMANDS) == len(set(COMMANDS)) == 14


@pytest.mark.parametrize("name", COMMANDS)
def test_every_help_has_an_example_that_parses(name: str, cli: Cli) -> None:
    done = cli(name, "--help")
    assert done.code == 0
    examples = [line.strip() for line in done.out.splitlines() if line.strip().startswith("rosenblatt ")]
    assert examples, "an example that can be copied"
    known = {option for line in done.out.splitlines() for option in line.replace(",", " ").split() if option[:1] == "-"}
    for example in examples:
        words = example.split()[1:]
        assert words[0] in COMMANDS
        if words[0] == name:
            assert {word for word in words if word.startswith("-") and word != "-"} <= known


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_is_listed_by_its_first_line_uncut(name: str, cli: Cli) -> None:
    first = (inspect.getdoc(import_module(f"rosenblatt.cli.{name}").command) or "").splitlines()[0]
    assert f"{name:<{max(map(len, COMMANDS))}}  {first}" in cli("--help").out


def test_completion_knows_the_commands() -> None:
    environment = os.environ | {
        "_ROSENBLATT_COMPLETE": "complete_bash",
        "COMP_WORDS": "rosenblatt c",
        "COMP_CWORD": "1",
    }
    done = subprocess.run(
        [sys.executable, "-c", "from rosenblatt.cli.app import main; main([])"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert sorted(done.stdout.split()) == ["check", "compare", "count"]  # shells sort them


def test_a_reader_who_has_seen_enough_is_no_error(cli: Cli, sonar: Path) -> None:
    done = cli("fit", sonar, "--target", "material", "-o", "m")
    assert (done.code, done.err) == (0, "")
    learned = subprocess.run(
        f'{sys.executable} -m rosenblatt predict m sonar.csv | head -1; echo "${{PIPESTATUS[0]}}"',
        shell=True,
        executable="/bin/bash",
        capture_output=True,
        text=True,
        check=True,
    )
    assert learned.stdout.splitlines()[-2:] == ["row,score,label", "0"]
    assert learned.stderr == ""


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (KeyError("x"), "this should not have happened: KeyError 'x'"),
        (MemoryError(), "out of memory"),
        (OSError(28, "No space left on device", "model"), "model: no space left on device."),
        (ImportError("Arrow files need pyarrow."), "Arrow files need pyarrow."),
    ],
)
def test_whatever_happens_is_a_sentence(
    error: Exception, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(program, "_built_program", lambda *_: fail)
    assert main(["check"]) == 2
    assert f"rosenblatt: {said}" in capsys.readouterr().err
    monkeypatch.setenv("ROSENBLATT_TRACEBACK", "1")
    with pytest.raises(type(error)):
        main(["check"])


def test_warmup(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    from rosenblatt.cli.fit_plan import Order
    from rosenblatt.kernels import decimals

    monkeypatch.setattr("rosenblatt.cli.fit_plan.Order", [Order.cyclic])
    calls = []
    original = decimals.read_pairs
    monkeypatch.setattr(decimals, "read_pairs", lambda *given: calls.append(given) or original(*given))
    done = cli("warmup")
    assert (done.code, done.err) == (0, "")
    assert len(calls) == 1  # the reader of LIBSVM files, too
    assert done.out.startswith("ready: every learner is compiled")


def test_the_sigterm_handler_is_put_back(cli: Cli) -> None:
    import signal

    before = signal.getsignal(signal.SIGTERM)
    assert cli("--version").code == 0
    assert signal.getsignal(signal.SIGTERM) is before


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="there is only Ctrl-C")
def test_a_signal_is_one_whatever_a_library_makes_of_it(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before Python 3.12 what is raised while a class is made comes out as a RuntimeError."""

    def stumble(*_: object, **__: object) -> None:
        try:
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(5)
        except KeyboardInterrupt as why:
            raise RuntimeError("Error calling __set_name__") from why

    monkeypatch.setattr(rb.cover, "count", stumble)
    done = cli("count", "22", "11")
    assert (done.code, done.err) == (130, "rosenblatt: interrupted; nothing was written.\n")


def test_no_two_options_of_a_command_are_alike() -> None:
    group = program._built_program()
    for command in group.commands.values():  # type: ignore[attr-defined]
        names = [name for parameter in command.params for name in parameter.opts + parameter.secondary_opts]
        assert len(names) == len(set(names))
