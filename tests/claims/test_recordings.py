"""What `rosenblatt filter --reference` says of two recordings."""

from itertools import groupby

import numpy as np
from scipy.io import wavfile
from sklearn.base import clone

from rosenblatt import filters
from rosenblatt.cli.filter import _Work
from rosenblatt.filters.uses.echo import filter_recordings
from tests.claims.book import Reader
from tests.claims.shown import is_shown, number

recordings = Reader("recording")


@recordings.of("silent")
def _silent(known, path):
    _, array = wavfile.read(path)
    assert not array.any()


@recordings.of("clipped")
def _clipped(known, path, samples):
    _, array = wavfile.read(path)
    runs = [len(list(run)) for top, run in groupby(abs(array.astype(float)) >= 32767) if top]
    assert number(samples) == sum(length for length in runs if length >= 3)


@recordings.of("held")
def _held(known, long, unit, times, detector="geigel"):
    frozen, rate = known
    assert detector == "geigel"  # the only one that is asked below
    held = sum(last - first for first, last in frozen)
    assert unit == ("seconds" if rate else "samples")
    assert is_shown(long, held / (rate or 1))
    assert number(times) == len(frozen)


recordings.of("held-worse")(_held)


def test_recordings(tmp_path, capsys):
    rng = np.random.default_rng(0)
    u = rng.normal(size=70_000) * 3000
    d = np.convolve(u, [0.0, 0.5, 0.2])[:70_000]
    loud = d.copy()
    for first, length in ((50, 2), (100, 3), (32_700, 150), (32_768, 1), (60_000, 40)):  # also where a piece ends
        loud[first : first + length] = 32767 * (-1) ** first
    talk = d.copy()
    talk[20_000:22_000] += 20_000
    talk[50_000:50_100] += 20_000
    for name, signal in (("u", u), ("d", d), ("loud", loud), ("talk", talk), ("twice", talk), ("zero", 0 * u)):
        wavfile.write(tmp_path / f"{name}.wav", 8000, np.int16(np.clip(signal, -32767, 32767)))
    careful = filters.PartitionedLMS(64, block=64, freeze="geigel", freeze_at=1.0)
    pairs = (("u", "d"), ("zero", "d"), ("u", "zero"), ("u", "loud"), ("loud", "d"), ("u", "talk"), ("u", "twice"))
    for far, near in pairs:
        one = clone(careful).set_params(**({"freeze": "two-path", "freeze_at": 2.0} if near == "twice" else {}))
        run = filter_recordings(f"{tmp_path}/{far}.wav", f"{tmp_path}/{near}.wav", one)
        for note in run.notes:
            recordings.read(note, None)
        assert bool(run.notes) == bool({far, near} & {"zero", "loud"})
        for rate in (run.rate, None):
            work = _Work("cancel", one, None, None, 0, None, None, None, as_json=False)
            work._tell("name", run.summary, rate)
            said = [line for line in capsys.readouterr().out.splitlines() if "held still" in line]
            assert bool(said) == bool(run.frozen)
            for line in said:
                recordings.read(line, (run.frozen, rate))
    recordings.finish(rare={})
