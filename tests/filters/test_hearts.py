"""Two promises on real and made-up hearts; the recordings are not part of the project, so these skip without them."""

import runpy
from pathlib import Path

import numpy as np
import pytest

from rosenblatt import filters
from rosenblatt.filters.uses.files import read_signals

ROOT = Path(__file__).parents[2]
DATA = ROOT.parent / "shared" / "data"


def test_foetal_beats_become_countable() -> None:
    if not (DATA / "sig_foetal_ecg.csv").is_file():
        pytest.skip("this recording is not bundled")
    example = runpy.run_path(str(ROOT / "examples" / "foetal_ecg.py"))
    record = read_signals(DATA / "sig_foetal_ecg.csv")
    chest = np.column_stack([record[f"thoracic{k}"] for k in (1, 2, 3)])
    hers = example["beats"](np.abs(chest[:, 1]), 0.5, 120)
    assert len(hers) == 14
    near = np.zeros(len(chest), dtype=bool)
    for beat in hers[hers >= 400]:
        near[beat - 20 : beat + 21] = True
    for channel, countable in (
        ("abdominal1", False),
        ("abdominal2", True),
        ("abdominal3", True),
        ("abdominal5", False),
    ):
        belly = record[channel]
        child = filters.cancel(belly, chest, filters.RLS(24)).e
        assert 10 * np.log10(np.sum(belly[near] ** 2) / np.sum(child[near] ** 2)) > 10
        beats = example["beats"](-child, 0.5, 70)
        gaps = np.diff(beats[beats >= 400])
        regular = len(gaps) == 18 and gaps.min() > 105 and gaps.max() < 120  # nineteen beats, evenly apart
        assert regular or not countable


def test_hum_falls_by_thirty_decibels() -> None:
    if not (DATA / "sig_ecg_scipy.parquet").is_file():
        pytest.skip("this recording is not bundled")
    heart = (read_signals(DATA / "sig_ecg_scipy.parquet")["adc"] - 1024.0) / 200
    heart = heart - heart.mean()
    t = np.arange(len(heart)) / 360
    hum, mains = 0.4 * np.sin(2 * np.pi * 60 * t + 1), np.sin(2 * np.pi * 60 * t)
    clean = filters.cancel(heart + hum, mains, filters.NLMS(taps=4, eta=0.0005)).e
    late = slice(len(t) // 2, None)
    assert 10 * np.log10(np.mean(hum[late] ** 2) / np.mean((clean - heart)[late] ** 2)) > 30
