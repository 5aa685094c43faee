"""The four tasks, files in and out, lines through a pipe, and the command on top of them."""

import io
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer
from scipy.io import wavfile
from typer.testing import CliRunner

import rosenblatt as rb
from rosenblatt import filters
from rosenblatt.cli.filter import Task, command
from rosenblatt.filters import Filtered
from rosenblatt.filters.uses.echo import filter_recordings
from rosenblatt.filters.uses.files import read_signals, write_signals
from rosenblatt.filters.uses.streaming import LineFilter
from rosenblatt.filters.uses.work import ALGORITHMS, filter_file, make_filter

app = typer.Typer()
app.command()(command)


@pytest.fixture
def pair() -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    u = rng.normal(size=3000)
    return u, np.convolve(u, [0.5, -1.0, 0.25])[:3000] + 0.01 * rng.normal(size=3000)


# ------------------------------------------------------------------------------------------------------------- tasks


def test_identify_is_run(pair: tuple[Any, Any]) -> None:
    u, d = pair
    found = filters.identify(u, d, filters.RLS(4), history=100)
    run = filters.RLS(4).run(u, d, history=100)
    for mine, theirs in ((found.y, run.y), (found.e, run.e), (found.w, run.w), (found.history, run.history)):
        assert mine.tobytes() == theirs.tobytes()
    assert found.output is found.y
    assert repr(found).startswith("<identify by RLS, 3,000 samples: final error ")


def test_summary_numbers(pair: tuple[Any, Any]) -> None:
    u, d = pair
    found = filters.identify(u, d, filters.RLS(4))
    numbers = found.summary
    assert numbers["final_samples"] == 750
    assert numbers["final_mse"] == pytest.approx(np.mean(found.e[-750:] ** 2))
    assert numbers["erle_db"] == pytest.approx(10 * np.log10(np.mean(d[-750:] ** 2) / np.mean(found.e[-750:] ** 2)))
    assert (numbers["taps"], numbers["channels"], numbers["samples"], numbers["algorithm"]) == (4, 1, 3000, "RLS")
    assert numbers["weights"] == found.w.tolist()
    json.dumps(numbers, allow_nan=False)
    exact = filters.identify(np.ones(8), np.zeros(8), filters.NLMS(1)).summary
    assert exact["erle_db"] is None
    complex_ = filters.identify(u * 1j, d, filters.RLS(4)).summary["weights"]
    assert set(complex_) == {"re", "im"}


def test_channels_in_pieces_are_one_delay_line() -> None:
    """Longer than a piece, so that the delay line is cut and continued."""
    rng = np.random.default_rng(1)
    U, d = rng.normal(size=(40_000, 3)), rng.normal(size=40_000)
    done = []
    result = filters.cancel(d, U, filters.NLMS(6), history=1000, progress=lambda _, a, b: done.append((a, b)))
    run = filters.NLMS(6).run(filters.delay_line(U, 2), d, history=1000)
    assert result.e.tobytes() == run.e.tobytes()
    assert result.history.tobytes() == run.history.tobytes()
    assert result.w.shape == (3, 2)
    assert result.output is result.e
    assert done == [(16384, 40_000), (32768, 40_000), (40_000, 40_000)]


def test_block_filter_takes_all_at_once(pair: tuple[Any, Any]) -> None:
    u, d = pair
    found = filters.identify(np.column_stack([u, -u[::-1]]), d, filters.LeastSquaresFilter(6))
    X = filters.delay_line(np.column_stack([u, -u[::-1]]), 3)
    assert abs(found.w.ravel() - np.linalg.lstsq(X, d, rcond=None)[0]).max() < 1e-10
    assert found.history is None


def test_predict_sees_only_the_past() -> None:
    u = np.random.default_rng(2).normal(size=400).cumsum()
    for ahead in (1, 3):
        result = filters.predict(u, filters.NLMS(4), ahead=ahead)
        changed = u.copy()
        changed[200] += 5
        other = filters.predict(changed, filters.NLMS(4), ahead=ahead)
        assert (other.y[:201] == result.y[:201]).all()
        assert other.y[200 + ahead] != result.y[200 + ahead]
        assert np.allclose(result.y + result.e, u)
    assert filters.predict(u, filters.NLMS(4), ahead=1000).y.tolist() == [0.0] * 400


def test_equalize_undoes_a_complex_channel() -> None:
    rng = np.random.default_rng(3)
    sent = rng.choice([1 + 1j, 1 - 1j, -1 + 1j, -1 - 1j], size=4000)  # QPSK
    received = np.convolve(sent, [0.2, 1.0 + 0.3j, -0.1j])[:4000] + 0.02 * rng.normal(size=4000)
    undone = filters.equalize(received, sent, filters.RLS(16, forgetting=1.0), delay=8)
    y = undone.y[1000:]
    assert (np.sign(y.real) + 1j * np.sign(y.imag) == sent[992:3992]).all()
    assert (undone.d[8:] == sent[:-8]).all()


# ------------------------------------------------------------------------------------------------------------- files


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".parquet", ".npy", ".wav"])
def test_files_come_back(suffix: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    path = tmp_path / f"it's{suffix}"
    columns = {"left": rng.normal(size=50), "right": rng.normal(size=50)}
    write_signals(path, columns, rate=8000)
    assert [one.name for one in tmp_path.iterdir()] == [path.name]
    file = read_signals(path)
    names = ["0", "1"] if suffix == ".npy" else ["left", "right"]
    assert file.signals == names
    for name, number, column in zip(names, "01", columns.values(), strict=True):
        expected = column.astype(np.float32) if suffix == ".wav" else column
        assert file[name].tolist() == expected.tolist() == file[number].tolist()
    assert file.rate == (8000 if suffix == ".wav" else None)


def test_complex_files(tmp_path: Path) -> None:
    z = np.exp(1j * np.arange(5))
    write_signals(tmp_path / "z.npy", {"z": z})
    assert read_signals(tmp_path / "z.npy")["0"].tolist() == z.tolist()
    write_signals(tmp_path / "z.csv", {"z": z})
    assert read_signals(tmp_path / "z.csv").signals == ["z_re", "z_im"]


@pytest.mark.parametrize(
    ("dtype", "value", "expected"),
    [
        (np.int16, -32768, -1.0),
        (np.int16, 16384, 0.5),
        (np.int32, -(2**30), -0.5),
        (np.uint8, 192, 0.5),
        (np.float32, 0.25, 0.25),
    ],
)
def test_wav_full_scale(dtype: Any, value: float, expected: float, tmp_path: Path) -> None:
    wavfile.write(tmp_path / "a.wav", 100, np.full(10, value, dtype=dtype))
    assert read_signals(tmp_path / "a.wav")["0"].tolist() == [expected] * 10


def test_clock_and_header(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("time,x\n0.0,1\n0.5,2\n1.0,3\n")
    file = read_signals(tmp_path / "a.csv")
    assert (file.rate, file.signals, file["x"].tolist()) == (2.0, ["x"], [1, 2, 3])
    (tmp_path / "b.csv").write_text("1.5,2\n3,4\n")
    assert read_signals(tmp_path / "b.csv").signals == ["0", "1"]


def test_counters_clocks_and_texts_are_no_signals(tmp_path: Path, pair: tuple[Any, Any]) -> None:
    """They were taken for the input, whatever they were called, and nothing said so."""
    u, d = (signal[:50].tolist() for signal in pair)
    weights = filters.identify(u, d, filters.NLMS(3)).w.tolist()
    for first in ("index", "Zeit", "Time (ms)"):
        rows = [f"{first},note,in,out", *(f"{k},x,{a!r},{b!r}" for k, (a, b) in enumerate(zip(u, d, strict=True)))]
        (tmp_path / "a.csv").write_text("\n".join(rows))
        done, file = filter_file(tmp_path / "a.csv", "identify", filters.NLMS(3))
        assert file.signals == ["in", "out"]
        assert done.w.tolist() == weights
        assert filter_file(tmp_path / "a.csv", "predict", filters.NLMS(3), ["0"])[0].d.tolist() == list(range(50))
    (tmp_path / "b.csv").write_text("\n".join(["day,price", *(f"{k},{a!r}" for k, a in enumerate(u))]))
    assert filter_file(tmp_path / "b.csv", "predict", filters.NLMS(3))[0].d.tolist() == u
    with pytest.raises(
        ValueError, match="one signal, 'price'; cancel needs two, an input and a desired one; day: times"
    ):
        filter_file(tmp_path / "b.csv", "cancel", filters.NLMS(3))
    (tmp_path / "c.csv").write_text("a,b\nx,y\nz,w\n")
    with pytest.raises(ValueError, match="there is no signal in it; a, b: times, numbers of rows or texts"):
        filter_file(tmp_path / "c.csv", "predict", filters.NLMS(1))
    with pytest.raises(ValueError, match="column 'a' is not made of numbers"):
        filter_recordings(str(tmp_path / "c.csv"), str(tmp_path / "c.csv"), filters.NLMS(1))


def test_a_task_refuses_what_it_has_no_use_for(tmp_path: Path, pair: tuple[Any, Any]) -> None:
    """To predict "left" where "right" was named as the desired signal answers another question."""
    write_signals(tmp_path / "a.npy", {"u": pair[0], "d": pair[1]})
    for task, inputs, desired, shift, words in (
        ("predict", None, "1", 0, "predict takes one signal, its input: name no desired signal and no second input"),
        ("predict", ["0", "1"], None, 0, "predict takes one signal"),
        ("identify", None, None, 2, r"shift=2 is for predict \(samples ahead\) and equalize"),
    ):
        with pytest.raises(ValueError, match=words):
            filter_file(tmp_path / "a.npy", task, filters.NLMS(2), inputs, desired, shift=shift)
        with pytest.raises(ValueError, match=words):
            LineFilter(task, filters.NLMS(2), inputs, desired, shift)


def test_a_task_needs_a_filter_and_one_signal(pair: tuple[Any, Any]) -> None:
    u, d = pair
    for wrong, kind in ((rb.Perceptron(), "Perceptron"), (filters.NLMS, "the class NLMS")):
        with pytest.raises(TypeError, match=f"filter must be an adaptive filter, such as .* not {kind}"):
            filters.identify(u, d, wrong)
    with pytest.raises(ValueError, match=r"sent must be one signal \(1-D\); it has 2 dimensions"):
        filters.equalize(u, np.column_stack([d, d]))


def test_numbers_of_the_end_of_a_run() -> None:
    """Squares of float32 vanished at 1e-25, and those of a filter that runs away warned in NumPy's words."""
    u = np.random.default_rng(0).normal(size=200).astype(np.float32)
    small = filters.identify(np.float32(1e-25) * u, np.float32(1e-25) * u[::-1], filters.NLMS(2)).summary
    large = filters.identify(u, u[::-1], filters.NLMS(2)).summary
    assert small["final_mse"] > 0
    assert small["erle_db"] == pytest.approx(large["erle_db"], abs=1e-4)
    away = Filtered("cancel", filters.NLMS(1), np.ones(8), np.ones(8), np.full(8, 1e200), np.ones(1))
    assert away.summary["final_mse"] == np.inf
    assert away.summary["erle_db"] is None
    assert repr(away) == "<cancel by NLMS, 8 samples: final error inf>"  # it said −∞ dB


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.csv", "x,d\n1,2\n3,oops\n", r"a.csv: column 'd' is not made of numbers because of row 2 \('oops'\)"),
        ("a.csv", "x,d\n1,2\n3,\n5,6\n", "a.csv: row 2 of column 'd' is missing or not finite"),
        ("a.csv", "x,e\n1,2\n3,4\n", r"a.csv: there is no column 'd'; there are x, e \(or their numbers, 0 to 1\)"),
        ("a.csv", "x,d\n", "a.csv has a header and no rows"),
        ("a.parquet", "nonsense", "a.parquet cannot be read"),
        ("a.npy", "nonsense", "a.npy: cannot be read"),
        ("a.wav", "nonsense", "a.wav: cannot be read as sound"),
        ("a.mp3", "nonsense", "a.mp3: signals are read from .csv, .tsv, .parquet, .npy, .wav files, not from .mp3"),
    ],
)
def test_bad_files(name: str, content: str, words: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(ValueError, match=words):
        filter_file(tmp_path / name, "identify", filters.NLMS(1), ["x"], "d")


def test_more_bad_files(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="there is no such file"):
        read_signals(tmp_path / "none.csv")
    with pytest.raises(ValueError, match="a WAV file needs a sampling rate"):
        write_signals(tmp_path / "a.wav", {"x": np.ones(3)})
    with pytest.raises(ValueError, match=r"signals are written to .* not to one without a suffix"):
        write_signals(tmp_path / "a", {"x": np.ones(3)})
    np.save(tmp_path / "cube.npy", np.ones((2, 2, 2)))
    with pytest.raises(ValueError, match="it has 3 dimensions"):
        read_signals(tmp_path / "cube.npy")
    np.save(tmp_path / "one.npy", np.ones(5))
    with pytest.raises(ValueError, match="there is one signal, '0'; cancel needs two"):
        filter_file(tmp_path / "one.npy", "cancel", filters.NLMS(1))
    with pytest.raises(ValueError, match="forgetting is not a setting of nlms; it has eta, eps, eps_absolute"):
        make_filter("nlms", 3, forgetting=0.9)
    assert list(tmp_path.glob("*.wav*")) == []


# ------------------------------------------------------------------------------------------------------------- lines


@pytest.mark.parametrize(
    ("task", "channels"),
    [("identify", 1), ("identify", 2), ("cancel", 1), ("cancel", 2), ("predict", 1), ("equalize", 1), ("equalize", 2)],
)
def test_lines_are_the_task(task: str, channels: int, pair: tuple[Any, Any]) -> None:
    u, d = pair[0][:200], pair[1][:200]
    U = np.column_stack([u, np.roll(u, 5)])[:, :channels]
    desired, shift = None if task == "predict" else "d", 2 if task in ("predict", "equalize") else 0
    lines = LineFilter(task, filters.RLS(4 * channels), ["u", "v"][:channels], desired, shift=shift)
    header = "u,v,d"
    answers = list(
        lines.run(
            [
                header,
                *(f"{a!r},{b!r},{c!r}" for a, b, c in zip(u.tolist(), np.roll(u, 5).tolist(), d.tolist(), strict=True)),
            ]
        )
    )
    learner = filters.RLS(4 * channels)
    whole = {
        "identify": lambda: filters.identify(U, d, learner),
        "cancel": lambda: filters.cancel(d, U, learner),
        "predict": lambda: filters.predict(u, learner, ahead=2),
        "equalize": lambda: filters.equalize(U, d, learner, delay=2),
    }[task]()
    assert answers[0] == "y,e"
    assert [tuple(map(float, line.split(","))) for line in answers[1:]] == list(
        zip(whole.y.tolist(), whole.e.tolist(), strict=True)
    )
    ours, theirs = lines.summary, whole.summary
    assert ours["weights"] == theirs["weights"]
    assert ours["samples"] == 200


def test_lines_answer_at_once() -> None:
    """The first answer comes before the second line is asked for."""
    asked = []

    def lines() -> Any:
        for k in range(3):
            asked.append(k)
            yield f"{k},{k}\n"

    answers = LineFilter("identify", filters.NLMS(1)).run(lines())
    next(answers)
    assert asked == [0]


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (["1,2", "3,x"], "standard input: 'x' in line 2 is not a finite number"),
        (["1,2", "", "3,nan"], "'nan' in line 3 is not a finite number"),
        (["1,2", "3"], "line 2 has 1 values; value 2 is missing"),
        (["1"], "standard input has one signal; identify needs two"),
        (["time,x", "0,1"], "standard input has one signal; identify needs two"),
        (["a,b", "1,2"], None),
    ],
)
def test_bad_lines(lines: list[str], words: str | None) -> None:
    one = LineFilter("identify", filters.NLMS(1))
    if words is None:
        assert len(list(one.run(lines))) == 2
        return
    with pytest.raises(ValueError, match=words):
        list(one.run(lines))


@pytest.mark.parametrize("lines", [
    ["1;2", "2;5"], ["1\t2", "2\t5"], ["1 2", "2  5"], ["\ufeff1,2", "2,5"],
    ['"x","d"', "1,2", "2,5"], ["\ufefftime,x,d", "0,1,2", "1,2,5"],
])  # fmt: skip
def test_lines_as_programs_write_them(lines: list[str]) -> None:
    """A mark before the first number made that line a header, and a clock was the input."""
    expected = list(LineFilter("identify", filters.NLMS(1)).run(["1,2", "2,5"]))
    assert [line for line in LineFilter("identify", filters.NLMS(1)).run(lines) if line != "y,e"] == expected
    named = ["x,d", "1,2", "2,5"]
    assert list(LineFilter("identify", filters.NLMS(1), ["x"], "d").run(named))[1:] == expected


def test_lines_need_known_columns_and_online_filters() -> None:
    with pytest.raises(ValueError, match="standard input: there is no column 'z'; there are a, b"):
        list(LineFilter("identify", filters.NLMS(1), ["z"]).run(["a,b"]))
    with pytest.raises(ValueError, match="LeastSquaresFilter needs the whole signal"):
        LineFilter("identify", filters.LeastSquaresFilter(1))  # type: ignore[arg-type]


# ----------------------------------------------------------------------------------------------------------- command


def run(*arguments: Any, stdin: str | None = None) -> Any:
    return CliRunner().invoke(app, [str(one) for one in arguments], input=stdin, catch_exceptions=False)


@pytest.mark.parametrize("algorithm", sorted(ALGORITHMS))
def test_command_on_a_file(algorithm: str, pair: tuple[Any, Any], tmp_path: Path) -> None:
    write_signals(tmp_path / "in.csv", {"u": pair[0], "d": pair[1]})
    out, model = tmp_path / "out.parquet", tmp_path / "filter.model"
    done = run(
        tmp_path / "in.csv",
        "--task",
        "identify",
        "--algorithm",
        algorithm,
        "--taps",
        4,
        "-o",
        out,
        "--model",
        model,
        "--json",
    )
    assert done.exit_code == 0
    summary = json.loads(done.stdout)
    assert summary["schema"] == "rosenblatt-filter/1"
    expected = filters.identify(*pair, make_filter(algorithm, 4))
    assert summary["weights"] == expected.w.tolist()
    assert read_signals(out)["e"].tolist() == expected.e.tolist()
    assert rb.load(model).w_.tolist() == expected.w.tolist()


def test_command_goes_on_with_a_model(pair: tuple[Any, Any], tmp_path: Path) -> None:
    u, d = pair
    model = tmp_path / "filter.model"
    for k, part in enumerate((slice(0, 1000), slice(1000, 3000))):
        write_signals(tmp_path / f"{k}.npy", {"u": u[part], "d": d[part]})
        run(tmp_path / f"{k}.npy", "--task", "identify", "--taps", 3, "--model", model)
    assert rb.load(model).w_.tobytes() == filters.NLMS(3).run(u, d).w.tobytes()


def test_command_refuses_a_model_that_is_no_filter(pair: tuple[Any, Any], tmp_path: Path) -> None:
    """It ended with "this should not have happened"."""
    write_signals(tmp_path / "in.npy", {"u": pair[0], "d": pair[1]})
    rb.save(rb.Perceptron().fit([[0.0], [1.0]], [0, 1]), tmp_path / "other.model")
    with pytest.raises(ValueError, match=r"other.model holds a Perceptron, which is not a filter"):
        run(tmp_path / "in.npy", "--model", tmp_path / "other.model")


def test_command_speaks(tmp_path: Path) -> None:
    t = np.arange(8000) / 8000
    hum, speech = np.sin(2 * np.pi * 50 * t), 0.1 * np.random.default_rng(5).normal(size=8000)
    write_signals(tmp_path / "in.wav", {"speech": speech + 0.5 * hum, "hum": hum}, rate=8000)
    done = run(
        tmp_path / "in.wav", "--input", 1, "--desired", 0, "--taps", 2, "--eta", 0.01,
        "-o", tmp_path / "clean.wav", "--picture", tmp_path / "picture.png",
    )  # fmt: skip
    assert "in.wav: 0 by 1 · 8,000 samples · cancel by NLMS, 2 taps" in done.stdout
    assert "dB below the desired signal" in done.stdout
    assert f"written      {tmp_path / 'clean.wav'}" in done.stdout
    clean = read_signals(tmp_path / "clean.wav")
    assert clean.rate == 8000
    assert np.mean((clean["0"] - speech)[4000:] ** 2) < 0.05 * np.mean((0.5 * hum) ** 2)
    assert (tmp_path / "picture.png").read_bytes()[:4] == b"\x89PNG"


def test_command_on_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("1,2\n2,4\n"))
    done = run("-", "--task", "identify", "--algorithm", "nlms", "--taps", 1, "--eta", 1, "--json", stdin="1,2\n2,4\n")
    lines = done.stdout.splitlines()
    assert lines[0] == "0.0,2.0"
    assert len(lines) == 2
    assert json.loads(done.stderr)["samples"] == 2


def test_an_interrupted_stream_leaves_its_filter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stream() -> Any:
        yield from ("1,2", "2,4")
        raise KeyboardInterrupt

    monkeypatch.setattr("sys.stdin", stream())
    model = tmp_path / "filter.model"
    assert command("-", task=Task.identify, taps=1, model=model) == 130
    assert rb.load(model).n_samples_ == 2
    assert "interrupted after 2 samples" in capsys.readouterr().err
    monkeypatch.setattr("sys.stdin", stream())
    with pytest.raises(KeyboardInterrupt):
        command("-", task=Task.identify, taps=1)


def test_command_refuses_in_a_sentence(tmp_path: Path, pair: tuple[Any, Any]) -> None:
    with pytest.raises(ValueError, match="there is no such file"):
        run(tmp_path / "none.csv")
    write_signals(tmp_path / "in.csv", {"u": pair[0], "d": pair[1]})
    with pytest.raises(ValueError, match="The 'forgetting' parameter of RLS must be"):
        run(tmp_path / "in.csv", "--algorithm", "rls", "--forgetting", 0)
    with pytest.raises(ValueError, match="LMS diverged"):
        run(tmp_path / "in.csv", "--algorithm", "lms", "--eta", 100)


def test_command_warns_in_a_sentence(tmp_path: Path, pair: tuple[Any, Any]) -> None:
    write_signals(tmp_path / "in.csv", {"u": pair[0][:5], "d": pair[1][:5]})
    done = run(tmp_path / "in.csv", "--algorithm", "lms", "--taps", 5, "--eta", 3)
    assert re.match(r"rosenblatt: eta=3 is above 1\.79, the largest step that theory calls stable for LMS", done.stderr)
    assert done.stderr.count("\n") == 1


def test_command_has_both_kinds_of_eps_and_delta(tmp_path: Path, pair: tuple[Any, Any]) -> None:
    write_signals(tmp_path / "in.npy", {"u": 1e-6 * pair[0], "d": 1e-6 * pair[1]})

    def erle(*options: Any) -> float:
        return float(json.loads(run(tmp_path / "in.npy", "--task", "identify", "--json", *options).stdout)["erle_db"])

    for algorithm, name in (("nlms", "eps"), ("projection", "eps"), ("rls", "delta")):
        assert erle("--algorithm", algorithm, f"--{name}", 0.01) > 1
        assert abs(erle("--algorithm", algorithm, f"--{name}-absolute", 1e3)) < 0.01


def test_command_on_a_desired_signal_of_zeros(tmp_path: Path) -> None:
    write_signals(tmp_path / "in.npy", {"u": np.ones(40), "d": np.append(np.ones(10), np.zeros(30))})
    assert "the desired signal is zero there" in run(tmp_path / "in.npy", "--taps", 1, "--eta", 0.1).stdout
    write_signals(tmp_path / "in.npy", {"u": np.ones(40), "d": np.zeros(40)})  # there was nothing that could be left
    assert "no error is left there" in run(tmp_path / "in.npy", "--taps", 1).stdout


def test_command_names_its_columns_and_says_when_it_diverged(tmp_path: Path, pair: tuple[Any, Any]) -> None:
    write_signals(tmp_path / "in.csv", {"time": np.arange(3000) / 8000, "far": pair[0], "mic": pair[1]})
    assert run(tmp_path / "in.csv").stdout.startswith("in.csv: mic by far · 3,000 samples")
    assert run(tmp_path / "in.csv", "--task", "predict").stdout.startswith("in.csv: far · 3,000 samples")
    done = run(tmp_path / "in.csv", "--eta", 4)
    assert "the filter diverged: take a smaller step" in done.stdout
    assert done.stderr.count("\n") == 1  # the warning of the step, and none of NumPy's
    write_signals(tmp_path / "short.npy", {"far": pair[0][:3], "mic": pair[1][:3]})
    assert "mean square over the last 1 sample;" in run(tmp_path / "short.npy", "--taps", 1).stdout
