"""Machine code kept on disk: used by the next process, made again after any edit in the folder and where it is damaged.

The tests run small kernels beside a copy of `compile.py`, each call in a process of its own. These are forked from one
that has imported Numba, and nothing of the package: the import takes as long as all the rest.
"""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import rosenblatt as rb
from rosenblatt.kernels import compile as source
from rosenblatt.kernels import loop

HELPERS = '''
"""Every way in which a kernel can use what another file has."""
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload
from rosenblatt.kernels.compile import INLINE, kernel, kernel_inlined

CONSTANT = 1.0

@kernel
def called(v):
    return 2.0 * v

@kernel_inlined
def inlined(v):
    return 3.0 * v

def overloaded(v):
    """Stands for the function below."""

@overload(overloaded, jit_options=INLINE)
def _overloaded(v):
    return lambda v: 4.0 * v

@intrinsic
def instruction(typingctx, v):
    def codegen(context, builder, signature, arguments):
        return builder.fmul(arguments[0], ir.Constant(ir.DoubleType(), 5.0))
    return types.float64(types.float64), codegen
'''

ASKER = """
from rosenblatt.kernels.compile import kernel
from rosenblatt.kernels.helpers import CONSTANT, called, inlined, instruction, overloaded

@kernel
def ask(v):
    return CONSTANT * v, called(v), inlined(v), overloaded(v), instruction(v)
"""

WORK = """
from numba.core import event
with event.install_recorder("numba:compile") as compiled:
    from rosenblatt.kernels.asker import ask
    print(*map(int, ask(1.0)), "compiled" if compiled.buffer else "loaded")
"""


FORKING = """
import json, os, sys, traceback
import numba.extending, llvmlite.ir
from numba.core import config, event

for line in sys.stdin:
    path, environment, script, out = json.loads(line)
    child = os.fork()
    if child:
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
        continue
    os.dup2(os.open(out, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 1)
    os.dup2(1, 2)
    os.environ.update(environment)
    sys.dont_write_bytecode = True
    sys.path.insert(0, path)
    config.reload_config()
    try:
        exec(script, {"__name__": "__main__"})
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    sys.stdout.flush()
    os._exit(0)
"""


class Forking:
    """Runs scripts in forks of a process that has imported Numba."""

    def __init__(self) -> None:
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self.process = subprocess.Popen([sys.executable, "-c", FORKING], text=True, **pipes)

    def run(self, script: str, path: Path, environment: dict[str, str], out: Path) -> str:
        """What a script prints."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(json.dumps([str(path), environment, script, str(out)]), file=self.process.stdin, flush=True)
        code, said = int(self.process.stdout.readline()), out.read_text()
        assert code == 0, said
        return said.strip()


@pytest.fixture(scope="module")
def forking() -> Iterator[Forking]:
    forking = Forking()
    with forking.process:
        yield forking


class Package:
    """A package `rosenblatt` with the kernels above, and the folder of its machine code."""

    def __init__(self, folder: Path, forking: Forking) -> None:
        self.home, self.cache, self.path, self.forking = folder / "home", folder / "cache", folder / "site", forking
        self.kernels = self.path / "rosenblatt" / "kernels"
        self.kernels.mkdir(parents=True)
        for init in (self.kernels, self.kernels.parent):
            (init / "__init__.py").touch()
        shutil.copy(str(source.__file__), self.kernels)
        self.write("helpers.py", HELPERS)
        self.write("asker.py", ASKER)

    def write(self, name: str, text: str) -> None:
        """Write a source file that seems as old as ever."""
        (self.kernels / name).write_text(text, encoding="utf-8")
        os.utime(self.kernels / name, (1e9, 1e9))

    def zip(self) -> None:
        """Put the package into a zip file."""
        self.path = self.home.parent / "site.zip"
        with zipfile.ZipFile(self.path, "w") as archive:
            for file in self.kernels.parent.rglob("*.py"):
                archive.write(file, file.relative_to(self.kernels.parents[1]))

    def ask(self, before: str = "", **environment: str) -> str:
        """What a new process answers, and whether it compiled; `before` is run first."""
        places = {"NUMBA_CACHE_DIR": str(self.cache), "HOME": str(self.home), "XDG_CACHE_HOME": str(self.home)}
        return self.forking.run(before + WORK, self.path, places | environment, self.home.parent / "said")


@pytest.fixture
def package(tmp_path: Path, forking: Forking) -> Package:
    return Package(tmp_path, forking)


def test_second_process_compiles_nothing_and_any_edit_in_the_folder_compiles_again(package: Package) -> None:
    assert package.ask() == "1 2 3 4 5 compiled"
    assert package.ask() == "1 2 3 4 5 loaded"
    text = HELPERS
    for old, new in [
        ("CONSTANT = 1.0", "CONSTANT = 6.0"),
        ("return 2.0 * v", "return 7.0 * v"),
        ("return 3.0 * v", "return 8.0 * v"),
        ("lambda v: 4.0", "lambda v: 9.0"),
        ("(), 5.0", "(), 1.0"),
    ]:
        assert old in text
        text = text.replace(old, new)
    package.write("helpers.py", text)  # of the same size and time
    assert package.ask() == "6 7 8 9 1 compiled"
    assert package.ask() == "6 7 8 9 1 loaded"


def test_a_folder_that_changes_under_a_process_keeps_nothing(package: Package) -> None:
    """What it compiles is of the old files, or of some old and some new."""
    edit = "from rosenblatt.kernels import helpers; open(helpers.__file__, 'a').write('# more')\n"
    script = edit + "from rosenblatt.kernels.asker import ask; ask(1.0)"
    package.forking.run(script, package.path, {"NUMBA_CACHE_DIR": str(package.cache)}, package.home.parent / "said")
    assert not list(package.cache.rglob("*.nb?"))


def test_files_that_were_cut_short_are_made_again(package: Package) -> None:
    package.ask()
    for ending in ("nbi", "nbc"):
        files = list(package.cache.rglob(f"*ask*.{ending}"))
        assert files
        for file in files:
            file.write_bytes(file.read_bytes()[:40])
        assert package.ask() == "1 2 3 4 5 compiled"
    assert package.ask() == "1 2 3 4 5 loaded", "and kept"


def test_read_only_installation_keeps_its_machine_code_in_the_users_folder(package: Package) -> None:
    (package.kernels / "__pycache__").touch()  # a file: nobody, not even root, can write into it
    assert package.ask(NUMBA_CACHE_DIR="") == "1 2 3 4 5 compiled"
    assert list(package.home.rglob("*ask*.nbi"))
    assert package.ask(NUMBA_CACHE_DIR="") == "1 2 3 4 5 loaded"


def test_without_a_folder_to_write_every_process_compiles(package: Package) -> None:
    (package.kernels / "__pycache__").touch()
    nowhere = {"NUMBA_CACHE_DIR": "", "HOME": "/dev/null", "XDG_CACHE_HOME": "/dev/null"}
    assert package.ask(**nowhere) == "1 2 3 4 5 compiled"
    assert package.ask(**nowhere) == "1 2 3 4 5 compiled"


def test_without_sources_to_read_every_process_compiles(package: Package) -> None:
    """A program that was frozen into one file may have none."""
    before = "import importlib.resources, numba\ndef refuse(package):\n    raise FileNotFoundError\n"
    before += "importlib.resources.files = refuse\n"
    assert package.ask(before) == "1 2 3 4 5 compiled"
    assert not list(package.cache.rglob("*.nb?"))


def test_package_in_a_zip_file(package: Package) -> None:
    package.zip()
    assert package.ask(NUMBA_CACHE_DIR="") == "1 2 3 4 5 compiled"
    assert package.ask(NUMBA_CACHE_DIR="") == "1 2 3 4 5 loaded"
    package.write("helpers.py", HELPERS.replace("return 2.0", "return 7.0"))
    package.zip()
    assert package.ask(NUMBA_CACHE_DIR="") == "1 7 3 4 5 compiled"
    # for a zip file Numba tries to write only when it has compiled
    assert package.ask(NUMBA_CACHE_DIR="", HOME="/dev/null", XDG_CACHE_HOME="/dev/null") == "1 7 3 4 5 compiled"


# ------------------------------------------------------------------------------------------- the package's own kernels

OWN = """
import numpy as np
from rosenblatt.kernels.kinds import Dense
from rosenblatt.kernels.passes import respond_all

def ask(v):
    out = np.empty(1)
    respond_all(Dense(np.full((1, 9), v)), np.full(10, v), out, 0, 1)
    return out
"""


def test_edit_of_a_row_function_changes_the_answer_of_a_pass(package: Package) -> None:
    for file in Path(str(source.__file__)).parent.glob("*.py"):
        shutil.copy(file, package.kernels)
    package.write("asker.py", OWN)
    assert package.ask() == "10 compiled"
    text = (package.kernels / "formats.py").read_text(encoding="utf-8")
    assert text.count("s += w[p]") == 1
    package.write("formats.py", text.replace("s += w[p]", "s -= w[p]"))
    assert package.ask() == "8 compiled"
    assert package.ask() == "8 loaded"


SCRIPT = """
import numpy as np
from numba.core import event
import rosenblatt as rb

compiled = event.install_listener("numba:compile", counter := event.RecordingListener())
compiled.__enter__()
X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
model = rb.Perceptron().fit(X, [0, 0, 0, 1])
assert model.outcome_ == "SEPARATED" and model.score(X, [0, 0, 0, 1]) == 1.0
compiled.__exit__(None, None, None)
print(len(counter.buffer))
"""


# every folder that Numba would try refuses
NO_FOLDER = """
from numba.core import caching

def refuse(self):
    raise PermissionError("read-only file system")

caching._CacheLocator.ensure_cache_path = refuse
"""


# one kernel of the package: all of them are kept, or not kept, in the same way
PASS = """
import numpy as np
from numba.core import event
from rosenblatt.data.numbers.rows import as_rows

with event.install_recorder("numba:compile") as compiled:
    assert as_rows(np.eye(2)).respond(np.array([1.0, 2.0, 3.0])).tolist() == [4.0, 5.0]
print(len(compiled.buffer))
"""


def _compilations(script: str, **environment: str) -> int:
    env = {**os.environ, **environment}
    done = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


def test_second_fit_does_not_compile() -> None:
    _compilations(SCRIPT)  # in the usual folder, where most of it is already
    assert _compilations(SCRIPT) == 0


def test_a_pass_without_a_folder_to_write(tmp_path: Path) -> None:
    assert _compilations(NO_FOLDER + PASS, NUMBA_CACHE_DIR=str(tmp_path / "cache")) > 0
    assert not (tmp_path / "cache").exists()


def test_a_stream_runs_the_loop_of_a_fit() -> None:
    """Arguments of other types would have it compiled again: labels that can be written to are of another type."""
    X, y = np.eye(3), [0, 1, 1]
    rb.Perceptron(order="cyclic").fit(X, y)
    compiled = set(loop.learn.signatures)
    rb.Perceptron().partial_fit(X, y, classes=[0, 1])
    assert set(loop.learn.signatures) == compiled
