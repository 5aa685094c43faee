"""Learners with a scikit-learn before 1.9, which has no callbacks."""

import importlib.util
import sys
import traceback
from types import ModuleType, SimpleNamespace

import pytest

from rosenblatt.learners.runs.progress import Progress
from rosenblatt.learners.shared import foundation


@pytest.fixture
def before(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The same file, read where sklearn.callback cannot be imported."""
    monkeypatch.setitem(sys.modules, "sklearn.callback", None)
    spec = importlib.util.spec_from_file_location("foundation_before", foundation.__file__)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_callbacks_are_refused_in_a_sentence(before: ModuleType) -> None:
    with pytest.raises(RuntimeError, match=r"callbacks need scikit-learn 1\.9 or later; this is \d"):
        before.CallbackSupportMixin().set_callbacks(print)


def test_a_fit_that_nobody_watches(before: ModuleType) -> None:
    progress = Progress(before.CallbackSupportMixin(), 3, 5, None, None, None)
    progress.begin_run()
    progress.begin_pass()
    assert not progress.end_pass(dict)
    progress.end_run()
    progress.close()
    assert not progress.watched


def test_warnings_name_the_same_line(before: ModuleType) -> None:
    """One frame lies between the caller and the fit, as with scikit-learn's own."""
    frames: list[int] = []

    def fit(self: object) -> None:
        frames.append(len(traceback.extract_stack()))

    fit(SimpleNamespace())
    before.with_callbacks(fit)(SimpleNamespace())
    assert frames[1] == frames[0] + 1
