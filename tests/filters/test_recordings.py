"""Two recordings from file to file: every kind of WAV, piece by piece, and what is said of bad ones."""

import json
import re
import struct
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.io import wavfile
from sklearn.base import clone

from rosenblatt import filters
from rosenblatt.filters.uses.echo import filter_recordings
from rosenblatt.filters.uses.files import WavReader, WavWriter, read_signals, write_signals
from tests.filters.test_tasks import run


def room(n: int = 40_000) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    u = 0.1 * rng.normal(size=n)
    return u, np.convolve(u, 0.9 ** np.arange(30) * rng.normal(size=30) / 3)[:n] + 1e-4 * rng.normal(size=n)


def save(folder: Path, **signals: Any) -> None:
    for name, signal in signals.items():
        wavfile.write(folder / f"{name}.wav", 8000, signal)


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("kind", ["u1", "i2", "i4", "f4", "f8"])
def test_reads_what_scipy_reads(kind: str, channels: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    info = np.iinfo(kind) if kind[0] in "ui" else None
    values = rng.uniform(-1, 1, (500, channels)) if info is None else rng.integers(info.min, info.max, (500, channels))
    save(tmp_path, a=values.astype(kind)[:, 0] if channels == 1 else values.astype(kind))
    reader, whole = WavReader(tmp_path / "a.wav"), read_signals(tmp_path / "a.wav")
    assert (len(reader), reader.channels, reader.rate) == (500, channels, 8000)
    pieces = np.concatenate([reader.read(k, k + 77) for k in range(0, 500, 77)])
    assert pieces.tolist() == np.column_stack(list(whole.columns.values())).tolist()


def test_24_bits_extensible_and_other_chunks(tmp_path: Path) -> None:
    whole = np.array([0, 1, -1, 2**23 - 1, -(2**23), 12345])
    data = b"".join(int(v).to_bytes(3, "little", signed=True) for v in whole)
    extra = struct.pack("<HHI", 22, 24, 4) + struct.pack("<H", 1) + b"\0" * 14  # cbSize, bits, mask, format, the rest
    form = struct.pack("<HHIIHH", 0xFFFE, 1, 8000, 24000, 3, 24)[:16] + extra[:2] + extra[2:]
    chunks = b"LIST" + struct.pack("<I", 3) + b"abc\0" + b"fmt " + struct.pack("<I", len(form)) + form
    chunks += b"data" + struct.pack("<I", 0xFFFFFFFF) + data  # of a length that was not known when it began
    (tmp_path / "a.wav").write_bytes(b"RIFF" + struct.pack("<I", 0) + b"WAVE" + chunks)
    reader = WavReader(tmp_path / "a.wav")
    assert reader.read(0, 6)[:, 0].tolist() == (whole / 2.0**23).tolist()


def test_a_writer_that_fails_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(AttributeError), WavWriter(tmp_path / "a.wav", 8000) as writer:
        writer.write("no samples")  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []
    with WavWriter(tmp_path / "a.wav", 8000) as writer:
        writer.write(np.array([0.25, 1.5]))
    assert wavfile.read(tmp_path / "a.wav")[1].tolist() == [0.25, 1.5]


@pytest.mark.parametrize("one", [filters.NLMS(30), filters.PartitionedLMS(30, block=64, freeze="geigel")])
def test_piece_by_piece_is_the_task(one: Any, tmp_path: Path) -> None:
    u, d = (signal.astype(np.float32) for signal in room(70_000))
    d[40_000:43_000] += 2
    save(tmp_path, far=np.column_stack([0 * u, u]), mic=d)
    done = filter_recordings(f"{tmp_path}/far.wav:1", f"{tmp_path}/mic.wav", one.reset(), output=tmp_path / "out.wav")
    whole = filters.cancel(d, u, one.reset())
    assert wavfile.read(tmp_path / "out.wav")[1].tobytes() == whole.e.astype(np.float32).tobytes()
    assert done.w.tobytes() == whole.w.tobytes()
    assert done.frozen == whole.frozen
    assert (done.samples, done.rate) == (70_000, 8000)
    assert done.d_power[0] == pytest.approx(np.mean(d[: done.hop] ** 2))
    assert done.e_power[-1] == pytest.approx(np.mean(whole.e[(len(done.e_power) - 1) * done.hop :] ** 2), rel=1e-5)
    assert done.summary["final_samples"] == len(d) - done.hop * (len(done.d_power) - len(done.d_power) // 4)


@pytest.mark.parametrize("one", [filters.NLMS(60), filters.PartitionedLMS(60, block=128)])
def test_two_references(one: Any, tmp_path: Path) -> None:
    u, d = (signal.astype(np.float32) for signal in room(70_000))
    U = np.column_stack([u, np.roll(u, 7)])
    save(tmp_path, both=np.column_stack([U, d]))
    name = tmp_path / "both.wav"
    done = filter_recordings(f"{name}:0,1", f"{name}:2", one.reset(), "identify", response=tmp_path / "room.npy")
    whole = filters.identify(U, d, one.reset())
    assert done.w.tobytes() == whole.w.tobytes()
    assert np.load(tmp_path / "room.npy").tolist() == whole.w.T.tolist()


def test_memory_is_constant(tmp_path: Path) -> None:
    u, d = (np.int16(3000 * signal) for signal in room(300_000))
    save(tmp_path, far=u, mic=d)
    one = filters.PartitionedLMS(2048, block=512)
    filter_recordings(f"{tmp_path}/far.wav", f"{tmp_path}/mic.wav", one)  # what is compiled and imported is not counted
    tracemalloc.start()
    try:
        filter_recordings(f"{tmp_path}/far.wav", f"{tmp_path}/mic.wav", one.reset(), output=tmp_path / "out.wav")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 300_000 * 8  # less than one signal, of the six that a whole run has


def test_command(tmp_path: Path) -> None:
    u, d = room()
    save(tmp_path, far=np.int16(20_000 * u), mic=np.int16(20_000 * d))
    done = run(
        "--reference", tmp_path / "far.wav", "--desired", tmp_path / "mic.wav", "--filter", "pbfdaf", "--taps", 64,
        "--block", 32, "--freeze", "coherence", "-o", tmp_path / "clean.wav", "--picture", tmp_path / "room.png",
        "--response", tmp_path / "room.wav",
    )  # fmt: skip
    assert "mic.wav by far.wav · 40,000 samples · cancel by PartitionedLMS, 64 taps" in done.stdout
    assert f"written      {tmp_path / 'room.wav'}" in done.stdout
    assert (tmp_path / "room.png").read_bytes()[:4] == b"\x89PNG"
    assert wavfile.read(tmp_path / "room.wav")[1].shape == (64,)
    clean = wavfile.read(tmp_path / "clean.wav")[1]
    assert np.std(clean[20_000:]) < 0.1 * np.std(d)


def test_command_says_when_it_held_still(tmp_path: Path) -> None:
    u, d = room()
    d[30_000:32_000] += 5
    write_signals(tmp_path / "in.npy", {"u": u, "d": d})
    files = (
        "--reference",
        f"{tmp_path}/in.npy:0",
        "--desired",
        f"{tmp_path}/in.npy:1",
        "--filter",
        "pbfdaf",
        "--taps",
        64,
    )
    options = ("--block", 32, "--freeze", "geigel", "--freeze-at", 2)
    assert "samples in all, 1 time: geigel heard somebody else" in run(*files, *options).stdout
    (first, last), *more = json.loads(run(*files, *options, "--json").stdout)["frozen"]
    assert not more
    assert 29_950 < first < last < 32_200


def test_command_prints_the_weights(tmp_path: Path) -> None:
    u, _ = room()
    write_signals(tmp_path / "in.npy", {"u": u, "d": np.convolve(u, [0.5, -0.25])[:40_000]})
    done = run(tmp_path / "in.npy", "--task", "identify", "--taps", 2, "--eta", 0.1).stdout
    assert "weights      0.5, -0.25" in done
    assert "and 8 more (--json prints all)" in run(tmp_path / "in.npy", "--task", "identify", "--taps", 40).stdout
    both = run(tmp_path / "in.npy", "--task", "identify", "--input", "0,1", "--desired", 1, "--taps", 1).stdout
    assert "channel 1" in both
    write_signals(tmp_path / "in.npy", {"u": u * 1j, "d": u * 1j})
    assert "1+0j" in run(tmp_path / "in.npy", "--task", "identify", "--taps", 1, "--eta", 1, "--eps", 1e-12).stdout


def test_bad_recordings_get_a_sentence(tmp_path: Path) -> None:
    u, d = (np.float32(signal) for signal in room(5000))
    save(tmp_path, far=u, mic=d, short=d[:-1], silent=0 * u)
    wavfile.write(tmp_path / "slow.wav", 4000, d)
    wavfile.write(tmp_path / "nan.wav", 8000, np.where(np.arange(5000) == 4321, np.float32(np.nan), d))
    wavfile.write(tmp_path / "top.wav", 8000, np.int16(np.clip(40 * d, -1, 1) * 32767))
    (tmp_path / "text.wav").write_text("no sound")
    (tmp_path / "cut.wav").write_bytes((tmp_path / "mic.wav").read_bytes()[:30])
    far, mic = tmp_path / "far.wav", tmp_path / "mic.wav"
    for arguments, words in (
        (("--desired", tmp_path / "short.wav"), "far.wav has 5,000 samples and .*short.wav 4,999: cut the longer one"),
        (("--desired", tmp_path / "slow.wav"), "far.wav has 8000 samples a second and .*slow.wav 4000: resample one"),
        (("--desired", tmp_path / "nan.wav"), "nan.wav: sample 4321 of channel 0 is not finite; a filter would carry"),
        (("--desired", tmp_path / "text.wav"), "text.wav: cannot be read as sound"),
        (("--desired", tmp_path / "cut.wav"), "cut.wav: cannot be read as sound"),
        (("--desired", tmp_path / "none.wav"), "none.wav: there is no such file"),
        (("--desired", f"{mic}:3"), "mic.wav: there is no channel '3'; there are 0"),
        (("--desired", f"{mic}:0,0"), "mic.wav: the desired signal is one channel; 2 were named"),
        ((), "--reference needs --desired FILE"),
        (("--desired", mic, "--task", "predict"), "--reference is for cancel and identify, not for predict"),
        (("--desired", mic, "--input", "0"), "--reference takes the place of SIGNAL and --input"),
        (("--desired", mic, "--taps", 6000), "taps=6000 is more than the 5000 samples of the recordings"),
        (("--desired", mic, "--algorithm", "least-squares"), "LeastSquaresFilter needs the whole signal"),
        (("--desired", mic, "-o", tmp_path / "out.csv"), "out.csv: recordings are written to .wav files"),
        (("--desired", mic, "-o", mic), "is to be written and is read too"),
        (("--desired", mic, "--block", 4), "block is not a setting of nlms; it has eta"),
    ):
        with pytest.raises(ValueError, match=words) as caught:
            run("--reference", far, *arguments, *(() if "-o" in arguments else ("-o", tmp_path / "out.wav")))
        assert "\n" not in str(caught.value)
        assert not (tmp_path / "out.wav").exists()
    for arguments, words in (
        ((), "name a SIGNAL, or two recordings"),
        ((far, "--response", tmp_path / "r.npy"), "--response goes with --reference"),
    ):
        with pytest.raises(ValueError, match=words):
            run(*arguments)
    assert "silent.wav is silent throughout: there was nothing to learn from" in run(
        "--reference", tmp_path / "silent.wav", "--desired", mic
    ).stderr  # fmt: skip
    assert "top.wav is clipped at " in run("--reference", far, "--desired", tmp_path / "top.wav").stderr
    wavfile.write(tmp_path / "both.wav", 8000, np.int16(np.clip(np.column_stack([30 * u, 40 * d]), -1, 1) * 32767))
    two = run("--reference", f"{tmp_path}/both.wav:0", "--desired", f"{tmp_path}/both.wav:1").stderr
    assert re.search(r"both\.wav:0 is clipped at .*\n.*both\.wav:1 is clipped at ", two)  # which of the two channels
    wavfile.write(tmp_path / "eight.wav", 8000, np.uint8(np.clip(40 * abs(d), 0, 127 / 128) * 128 + 128))
    assert "eight.wav is clipped at " in run("--reference", far, "--desired", tmp_path / "eight.wav").stderr
    write_signals(tmp_path / "bare.npy", {"u": u, "d": d})
    with pytest.raises(ValueError, match=r"out\.wav: a WAV file needs a sampling rate, and the files that were read"):
        run("--reference", f"{tmp_path}/bare.npy:0", "--desired", f"{tmp_path}/bare.npy:1", "-o", tmp_path / "out.wav")


def test_a_file_too_long_for_its_header_is_read_to_its_end(tmp_path: Path) -> None:
    """Beyond 4 GiB the header named the first 4 GiB, and the rest was not read."""
    with WavWriter(tmp_path / "long.wav", 8000) as writer:
        writer.write(np.arange(100.0))
        writer._bytes = 5 << 30
    assert len(WavReader(tmp_path / "long.wav")) == 100
    assert (tmp_path / "long.wav").read_bytes()[40:44] == b"\xff\xff\xff\xff"


def test_channels_have_names(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    both = rng.normal(size=(300, 2)).astype(np.float32)
    wavfile.write(tmp_path / "two.wav", 8000, both)
    one = filters.NLMS(4)
    by_name = filter_recordings(f"{tmp_path}/two.wav:right", f"{tmp_path}/two.wav:left", clone(one)).w
    by_number = filter_recordings(f"{tmp_path}/two.wav:1", f"{tmp_path}/two.wav:0", clone(one)).w
    assert by_name.tobytes() == by_number.tobytes()
    assert read_signals(tmp_path / "two.wav").signals == ["left", "right"]
    assert read_signals(tmp_path / "two.wav")["right"].tobytes() == both[:, 1].tobytes()
    data = both[:, [0, 1, 0]].tobytes()
    form = struct.pack("<HHIIHHHHIH", 0xFFFE, 3, 8000, 96_000, 12, 32, 22, 32, 0b1011, 3) + bytes(14)
    chunks = b"fmt " + struct.pack("<I", 40) + form + b"data" + struct.pack("<I", 0xFFFFFFFF) + data
    (tmp_path / "three.wav").write_bytes(b"RF64" + struct.pack("<I", 0xFFFFFFFF) + b"WAVE" + chunks)
    reader = WavReader(tmp_path / "three.wav")
    assert reader.names == ["FL", "FR", "LFE"]
    assert reader.read(0, 300).tobytes() == data
    with pytest.raises(ValueError, match="there is no channel 'up'; there are FL, FR, LFE"):
        filter_recordings(f"{tmp_path}/three.wav:up", f"{tmp_path}/two.wav:left", clone(one))
