"""Outputs: whole or not at all, and nothing of anybody's is lost on the way."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from rosenblatt.data import Refused
from rosenblatt.data.files import Replacement, is_left_behind, is_owned, make_ready, new_mark, write_whole


def left_by_the_dead(folder: Path) -> str:
    """A process that is killed while it writes leaves its temporary file; the name of that file."""
    work = (
        "import os, signal, sys\n"
        "from rosenblatt.data.files import Replacement\n"
        "with Replacement(sys.argv[1]): os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    subprocess.run([sys.executable, "-c", work, str(folder / "m")], check=False)
    (name,) = (path.name for path in folder.glob(".*.tmp") if is_owned(path.name[1:-4]))
    return name


def test_only_what_is_ours_and_dead_is_removed(tmp_path: Path) -> None:
    theirs = ["measurements.tmp", "m_notes.tmp", "m.tmp", "m1.tmp", ".hidden.tmp", ".rb_12.tmp"]
    for name in theirs:
        (tmp_path / name).write_text("mine")
    dead = left_by_the_dead(tmp_path)
    elsewhere = dead.replace(dead[1:11], "rb00000000")  # of a process on another machine: it may be alive
    (tmp_path / elsewhere).write_text("")
    with Replacement(tmp_path / "other") as alive:
        make_ready(tmp_path / "m")
        assert sorted(os.listdir(tmp_path)) == sorted([*theirs, elsewhere, Path(alive).name])
    assert sorted(os.listdir(tmp_path)) == sorted([*theirs, elsewhere, "other"])


def test_marks() -> None:
    mark = new_mark()
    assert is_owned(mark)
    assert not is_left_behind(mark), "this process is alive"
    machine, pid, birth, number = mark.split("_")
    assert is_left_behind("_".join([machine, pid, str(int(birth) + 1), number])), "that number was used before"
    assert not is_left_behind("_".join(["rb00000000", pid, "1", number])), "another machine's"
    for other in ("", "rows", "2024", "x" + mark, mark + "x", "rb0_1_2_3"):
        assert not is_owned(other)
        assert not is_left_behind(other)


def test_the_old_file_stays_where_writing_fails(tmp_path: Path) -> None:
    (tmp_path / "m").write_text("old")

    def interrupted() -> None:
        with Replacement(tmp_path / "m") as temporary:
            Path(temporary).write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert (tmp_path / "m").read_text() == "old"
    assert os.listdir(tmp_path) == ["m"]


def test_permissions_are_those_of_any_new_file_and_stay(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_whole(tmp_path / "new", b"1")
        assert (tmp_path / "new").stat().st_mode & 0o777 == 0o640
        (tmp_path / "new").chmod(0o600)
        write_whole(tmp_path / "new", b"2")
        assert (tmp_path / "new").stat().st_mode & 0o777 == 0o600
    finally:
        os.umask(before)


def test_links_are_followed(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "far" / "file")
    write_whole(tmp_path / "link", b"1")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "far" / "file").read_bytes() == b"1"


def test_devices_and_pipes_are_written_into(tmp_path: Path) -> None:
    make_ready("/dev/null")
    write_whole("/dev/null", b"1")
    assert not Path("/dev/null").is_file()
    pipe, got = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    make_ready(pipe)
    write_whole(pipe, b"through it")
    reader.join(10)
    assert got == [b"through it"]
    assert pipe.is_fifo()


def test_a_name_as_long_as_names_may_be(tmp_path: Path) -> None:
    longest = tmp_path / ("m" * 255)
    make_ready(longest)
    write_whole(longest, b"1")
    assert longest.read_bytes() == b"1"
    with pytest.raises(Refused, match="cannot be written: File name too long"):
        make_ready(tmp_path / ("m" * 256))


@pytest.mark.parametrize("linked", [False, True], ids=["by its name", "through a link"])
def test_an_output_replaces_no_input_and_no_other_output(tmp_path: Path, linked: bool) -> None:
    data, name = tmp_path / "data.csv", tmp_path / "data.csv"
    data.write_text("a,y\n")
    if linked:
        name = tmp_path / "link"
        name.symlink_to(data)
    with pytest.raises(Refused, match=r"is to be written and is read too: choose another name for the output\."):
        make_ready(name, inputs=[data])
    with pytest.raises(Refused, match="is to be written and is the name of another output"):
        make_ready(tmp_path / "out", tmp_path / "x" / ".." / "out")
    make_ready("/dev/null", "/dev/null", None, inputs=[None])


def test_places_that_will_not_do_are_refused_before_the_work(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="is a folder: say the name of a file"):
        make_ready(tmp_path)
    with pytest.raises(Refused, match="there is no folder"):
        make_ready(tmp_path / "no" / "file")
    with pytest.raises(Refused, match=r"/sys cannot be written to"):
        make_ready(Path("/sys/file"))
