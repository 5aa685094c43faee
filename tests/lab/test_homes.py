"""The lab's other homes: the command, the notebook, the file, the bundle they share."""

import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request, url2pathname, urlopen

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import rosenblatt as rb
from rosenblatt.cli import lab
from rosenblatt.cli.app import main
from rosenblatt.lab import server
from rosenblatt.lab.packing import unpack
from tests.lab.conftest import ROOT

BUNDLE = ROOT / "src" / "rosenblatt" / "lab" / "static" / "lab.js"
UI = ROOT / "lab-ui"


# ------------------------------------------------------------------------------------------------------- the command


def test_the_command_serves_until_it_is_interrupted() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "rosenblatt", "lab", "--no-browser"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        address = process.stdout.readline().removeprefix("The lab is at ").strip()
        assert address.startswith("http://127.0.0.1:")
        assert "#key=" in address
        with urlopen(address.split("#")[0], timeout=20) as page:
            assert b"data-rosenblatt-lab" in page.read()
    finally:
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=20)
    assert "Traceback" not in errors


def test_the_browser_is_opened_with_the_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "flowers.csv"
    file.write_text("width,kind\n1,A\n2,B\n")
    served: list[Any] = []
    opened: list[tuple[str, str, int, int]] = []

    def look(address: str) -> None:
        page = Path(url2pathname(urlsplit(address).path))
        opened.append((address, page.read_text(), page.stat().st_mode & 0o777, page.parent.stat().st_mode & 0o777))

    def serve(listener: Any, start: Any, column: Any, told: Any, arrived: Any) -> None:
        served.extend([start, column])
        told("http://127.0.0.1:1/#key=S3CRET")
        page = Path(url2pathname(urlsplit(opened[0][0]).path))
        assert page.exists()  # until the browser comes, however late
        arrived()
        assert not page.parent.exists()
        arrived()
        listener.close()

    monkeypatch.setattr(server, "serve", serve)
    monkeypatch.setattr(lab.webbrowser, "open", look)
    assert main(["lab", str(file), "--target", "kind"]) == 0
    ((address, page, mode, folder_mode),) = opened
    assert address.startswith("file:")
    assert "S3CRET" not in address
    assert 'location.replace("http://127.0.0.1:1/#key=S3CRET")' in page
    assert (mode, folder_mode) == (0o600, 0o700)
    assert served[0].rows == 2
    assert served[1] == "kind"


@pytest.mark.parametrize("end", [KeyboardInterrupt, SystemExit, OSError])
def test_a_browser_that_never_comes_leaves_no_page(end: type, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[Path] = []

    def serve(listener: Any, start: Any, column: Any, told: Any, arrived: Any) -> None:
        listener.close()
        told("http://127.0.0.1:1/#key=S3CRET")
        assert opened[0].exists()
        raise end

    monkeypatch.setattr(server, "serve", serve)
    monkeypatch.setattr(lab.webbrowser, "open", lambda at: opened.append(Path(url2pathname(urlsplit(at).path))))
    with suppress(SystemExit):
        main(["lab"])
    assert not opened[0].parent.exists()


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="needs /proc")
def test_the_key_is_in_no_list_of_processes(tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    browser = tmp_path / "browser"  # it shows its arguments, opens the page late, and stays
    browser.write_text(f'#!/bin/sh\nexec > {seen}.part 2>&1\necho "$@"; mv {seen}.part {seen}; sleep 5\n')
    browser.chmod(0o755)
    process = subprocess.Popen(
        [sys.executable, "-m", "rosenblatt", "lab"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"BROWSER": f"{browser} %s &", "TMPDIR": str(tmp_path)},
    )
    try:
        assert process.stdout is not None
        address = process.stdout.readline().removeprefix("The lab is at ").strip()
        key = address.partition("#key=")[2]
        deadline = time.monotonic() + 20
        while not seen.exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        page = Path(url2pathname(urlsplit(seen.read_text().strip()).path))
        assert key in page.read_text()
        for arguments in Path("/proc").glob("[0-9]*/cmdline"):
            with suppress(OSError):
                assert key.encode() not in arguments.read_bytes()
        own = address.partition("/#")[0]
        request = Request(f"{own}/begin", b"", {"x-rosenblatt-key": "wrong", "origin": own})
        with suppress(HTTPError):
            urlopen(request, timeout=20)
        assert page.exists()  # a stranger's request does not shut the door
        urlopen(Request(f"{own}/begin", b"", {"x-rosenblatt-key": key, "origin": own}), timeout=20).close()
        assert not page.parent.exists()
    finally:
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=20)
    assert "Traceback" not in errors


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["missing.csv"], "rosenblatt: missing.csv does not exist."),
        (["{bad}"], "rosenblatt: bad.csv is not a text file: it holds zero bytes. Write the table anew;"),
        (["{good}", "--target", "z"], 'rosenblatt: good.csv: "z" cannot be the class;'),
        (["--port", "{taken}"], "cannot be used"),
    ],
)
def test_bad_input_is_one_sentence(
    arguments: list[str], sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "bad.csv").write_bytes(b"\x00")
    (tmp_path / "good.csv").write_text("a,y\n1,0\n2,1\n")
    with server.listen() as taken:
        places = {"bad": tmp_path / "bad.csv", "good": tmp_path / "good.csv", "taken": taken.getsockname()[1]}
        assert main(["lab", *(argument.format(**places) for argument in arguments)]) == 2
    said = capsys.readouterr().err
    assert sentence in said
    assert said.count("\n") == 1


# ------------------------------------------------------------------------------------------------------ the notebook


@pytest.fixture
def widget() -> Any:
    pytest.importorskip("anywidget")
    return rb.Lab(*rb.datasets.xor())


def test_the_widget_answers_the_page(widget: Any) -> None:
    sent: list[tuple[Any, Any]] = []
    widget.send = lambda content, buffers=None: sent.append((content, buffers))
    # Jupyter hands over memoryviews
    widget._reply(widget, {"to": "trace", "id": 7}, [memoryview(widget.message)])
    content, buffers = sent.pop()
    assert content == {"id": 7}
    assert unpack(buffers[0])[0]["verdict"]["kind"] == "overlap"
    widget._reply(widget, {"to": "trace", "id": 9}, [b"nonsense"])
    assert sent.pop()[0]["refusal"].startswith("the message")
    widget._reply(widget, {"to": "elsewhere", "id": 10}, [b""])
    widget._reply(widget, {"to": "trace", "id": 11}, [])
    assert sent == []


def test_the_message_survives_jupyters_memoryview(widget: Any) -> None:
    before = widget.message
    widget.message = memoryview(before)
    assert widget.message == before


def test_a_frame_brings_its_names() -> None:
    pytest.importorskip("anywidget")
    frame = pd.DataFrame({"width": [1.0, 2.0, 3.0], "height": [1.0, 0.0, 1.0], "weight": [0.0, 1.0, 2.0]})
    lab = rb.Lab(frame, ["rose", "iris", "rose"], recipe="stein", seed=3)
    assert lab.facts["names"] == ["width", "height", "weight"]
    assert lab.facts["classes"] == ["iris", "rose"]
    header, columns = unpack(lab.message)
    assert header["settings"] == {"recipe": "stein", "seed": 3}
    np.testing.assert_array_equal(columns["y"], [1, -1, 1])


def test_sparse_rows_are_drawn_like_dense_ones() -> None:
    pytest.importorskip("anywidget")
    X, y = np.array([[0.0, 1.0], [2.0, 0.0]]), [0, 1]
    assert rb.Lab(sp.csr_matrix(X), y).message == rb.Lab(X, y).message


@pytest.mark.parametrize(
    ("X", "y", "settings", "kind", "sentence"),
    [
        ([[0.0], [1.0]], [0, 1, 2], {}, ValueError, "one label for each of 2 rows"),
        ([[0.0], [1.0]], [0, 0], {}, ValueError, "two classes"),
        ([0.0, 1.0], [0, 1], {}, ValueError, "two dimensions"),
        (pd.DataFrame({"a": ["red", "blue"]}), [0, 1], {}, ValueError, "X has the text 'red' in row 0, column 'a'"),
        ([[0.0], [np.nan]], [0, 1], {}, ValueError, "point 2 has no finite value"),
        (
            np.array([[0.0], [pd.NA]]),
            [0, 1],
            {},
            ValueError,
            "X must hold numbers only; drop rows with a missing value",
        ),
        ([[0.0], [1.0]], [0, 1], {"speed": 3}, TypeError, "Lab has no setting 'speed'"),
        ([[0.0], [1.0]], [0, 1], {"order": "sorted"}, ValueError, "order must be one of"),
    ],
)
def test_a_bad_lab_is_refused(X: Any, y: Any, settings: Any, kind: type[Exception], sentence: str) -> None:
    pytest.importorskip("anywidget")
    with pytest.raises(kind, match=sentence):
        rb.Lab(X, y, **settings)


def test_without_anywidget_the_sentence_says_what_to_install() -> None:
    script = """
import sys
sys.modules["anywidget"] = None
import rosenblatt
try:
    rosenblatt.Lab
except ImportError as why:
    print(why)
"""
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert "pip install 'rosenblatt[notebook]'" in run.stdout


# ----------------------------------------------------------------------------------------------------------- the file


def test_the_file_needs_nothing_else(widget: Any, tmp_path: Path) -> None:
    page = widget.to_html(tmp_path / "lab.html", title="<b>XOR</b> & co")
    assert (tmp_path / "lab.html").read_text(encoding="utf-8") == page
    assert "&lt;b&gt;XOR&lt;/b&gt; &amp; co" in page
    assert len(page) < 300_000
    shell = page.split("<script")[0]
    assert "default-src &#x27;none&#x27;" in shell
    assert "http:" not in shell
    assert page.count("<script") == page.count("</script>") == 2


def test_labels_cannot_break_out_of_the_file() -> None:
    pytest.importorskip("anywidget")
    evil = "</script><script>alert(1)</script>"
    page = rb.Lab([[0.0, 1.0], [1.0, 0.0]], [evil, "b"]).to_html()
    assert evil not in page


# --------------------------------------------------------------------------------------------------------- the bundle


def test_the_bundle_is_what_the_sources_make(tmp_path: Path) -> None:
    if shutil.which("node") is None or not (UI / "node_modules" / "esbuild").is_dir():
        pytest.skip("Node or its packages are not here (cd lab-ui && npm ci)")
    checked = subprocess.run(["npm", "run", "--silent", "check"], cwd=UI, capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout
    before = BUNDLE.read_bytes()
    built = tmp_path / "lab.js"
    build = subprocess.run(
        ["npm", "run", "--silent", "bundle", "--", f"--outfile={built}"], cwd=UI, capture_output=True, text=True
    )
    assert build.returncode == 0, build.stderr
    assert built.read_bytes() == before, "lab.js is not what lab-ui/src makes: run `npm run build` in lab-ui"
    assert BUNDLE.read_bytes() == before


def test_the_lock_file_names_no_server() -> None:
    assert '"resolved"' not in (UI / "package-lock.json").read_text(encoding="utf-8")


def test_the_bundle_is_small_and_calls_nobody() -> None:
    code = BUNDLE.read_text(encoding="utf-8")
    assert len(code) < 290_000  # of the 300,000 that the one file may have
    assert {found for found in code.split('"') if found.startswith("http")} <= {"http://www.w3.org/2000/svg", "http"}
    assert "eval(" not in code
    assert "innerHTML" not in code


def test_the_wheel_would_carry_the_bundle() -> None:
    """Hatchling leaves out what git ignores."""
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    ignored = subprocess.run(["git", "check-ignore", str(BUNDLE)], cwd=ROOT, capture_output=True, text=True)
    assert ignored.returncode == 1, ignored.stdout
