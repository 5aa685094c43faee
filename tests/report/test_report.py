"""The report as a file: whole, small, offline, and saying what was computed."""

import json
import re
import shlex
import warnings
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

import rosenblatt as rb
from rosenblatt.report import Report, write_report
from rosenblatt.report.answer import certificate_name, cover_in_words
from rosenblatt.report.shell import Cell, number, table, whole
from rosenblatt.verdicts import checker
from rosenblatt.verdicts.words import Worth

VOID = frozenset({"meta", "input", "br", "hr", "img", "link"})


class Page(HTMLParser):
    """Elements, their text and what they point to; refuses what is not closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[tuple[str, dict[str, str | None]]] = []
        self.ids: list[str] = []
        self.addresses: list[str] = []
        self.labelled_by: list[str] = []
        self.unlabelled: list[str] = []
        self.scripts: dict[str, str] = {}
        self.text = ""
        self.tables: dict[str, list[list[str]]] = {}
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self._note(tag, given)
        if tag not in VOID:
            self.open.append((tag, given))
        if tag == "table":
            self.tables[str(given["id"])] = []
        if tag == "tr":
            list(self.tables.values())[-1].append([])
        if tag in ("td", "th"):
            list(self.tables.values())[-1][-1].append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._note(tag, dict(attrs))

    def _note(self, tag: str, given: dict[str, str | None]) -> None:
        self.ids += [v for k, v in given.items() if k == "id" and v]
        self.addresses += [v for k, v in given.items() if k in ("src", "href", "xlink:href", "action") and v]
        self.labelled_by += [v for k, v in given.items() if k == "aria-labelledby" and v]
        if tag == "svg" and not given.get("aria-label"):
            self.unlabelled.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop()[0] == tag

    def handle_data(self, data: str) -> None:
        tag, given = self.open[-1] if self.open else ("", {})
        if tag in ("script", "style"):
            self.scripts[str(given.get("id") or given.get("class") or f"{tag}{len(self.scripts)}")] = data
            return
        self.text += data
        if any(name in ("td", "th") for name, _ in self.open):
            list(self.tables.values())[-1][-1][-1] += data


@pytest.fixture(scope="module")
def sonar() -> Report:
    X, y = rb.datasets.sonar()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = rb.Perceptron(order="shuffled", random_state=0, max_passes=2000, trace=True).fit(X, y)
    verdict = rb.separability(X, y)
    return write_report(None, X, y, title="sonar", source="my data/sonar.csv", verdict=verdict, model=model)


def _overlapping() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    return np.r_[rng.normal(size=(40, 2)), rng.normal(size=(40, 2)) + 1.5], np.repeat(["healthy", "ill"], 40)


CASES: dict[str, Any] = {
    "xor": rb.datasets.xor(),
    "overlap": _overlapping(),
    "quasi": (np.array([[1.0, 0.0], [2.0, 1.0], [2.0, 1.0], [3.0, 1.0], [4.0, 0.0]]), np.array([0, 0, 1, 1, 1])),
    "one column": (np.array([[1.0], [2.0], [3.0], [4.0]]), np.array([0, 0, 1, 1])),
    "constant column": (np.array([[1.0, 5.0], [2.0, 5.0], [3.0, 5.0]]), np.array([0, 0, 1])),
    "more columns than rows": (np.eye(4)[:, :3].repeat(2, axis=1), np.array([0, 1, 1, 0])),
    "all rows alike": (np.ones((4, 2)), np.array([0, 1, 0, 1])),
    "two rows": (np.array([[0.0, 0.0], [1.0, 1.0]]), np.array(["no", "yes"])),
    "sparse": (sp.csr_array(np.eye(6)[:, :4]), np.array([0, 1, 0, 1, 0, 1])),
}


@cache
def reported(name: str) -> Report:
    return write_report(None, *CASES[name])


@pytest.mark.parametrize("name", CASES)
def test_any_data_make_a_whole_page(name: str) -> None:
    report = reported(name)
    page = Page(report.html)
    assert report.study.verdict.sentence in page.text
    assert len(page.ids) == len(set(page.ids))
    assert not page.unlabelled
    assert set(page.labelled_by) <= set(page.ids)


def test_the_page_is_small_and_loads_nothing(sonar: Report) -> None:
    page = Page(sonar.html)
    assert len(sonar.html.encode()) < 1_000_000
    assert all(address.startswith("#") for address in page.addresses)
    assert {address[1:] for address in page.addresses} <= set(page.ids)
    loaded = sonar.html.replace("http://www.w3.org/2000/svg", "")
    assert not re.search(r"https?://|@import|url\((?!#)", loaded)
    assert "default-src 'none'" in sonar.html


def test_the_answer_comes_first_with_its_numbers(sonar: Report) -> None:
    page, study = Page(sonar.html), sonar.study
    assert page.text.index("Completely separable") < page.text.index("Theorem's margin")
    assert page.text.index("Street") < page.text.index("Theorem's margin")
    assert study.plane_name == "the middle of the widest street"
    assert np.abs(study.distances).min() == pytest.approx(study.verdict.street.lower)
    assert f"{study.verdict.mistake_bound:,} corrections" in page.text
    assert f"{study.model.n_updates_:,} corrections" in page.text
    assert "Cover 1965" in page.text
    assert study.data_sha256 in page.text
    assert f"rosenblatt {rb.__version__}" in page.text
    assert "no maximum-likelihood estimate" in page.text


def test_the_certificate_in_the_page_holds(sonar: Report, tmp_path: Path) -> None:
    X, y = rb.datasets.sonar()
    content = json.loads(Page(sonar.html).scripts["certificate"])
    (tmp_path / "c.json").write_text(json.dumps(content))
    assert rb.Certificate.load(tmp_path / "c.json").verify(X, y).startswith("complete")
    assert checker.check(content, X.tolist(), np.where(y == "R", 1, -1).tolist()).startswith("complete")
    assert "rosenblatt verify sonar.cert.json 'my data/sonar.csv'" in Page(sonar.html).text


def test_a_name_of_any_kind_can_be_typed_into_a_shell() -> None:
    report = write_report(None, *rb.datasets.xor(), source="it's mine.csv")
    typed = re.search(r"rosenblatt verify (.*)", Page(report.html).text)
    assert typed is not None
    assert shlex.split(typed[1]) == ["it's mine.cert.json", "it's mine.csv"]


def test_rows_are_the_nearest_first_and_counted(sonar: Report) -> None:
    X, y = rb.datasets.sonar()
    body = Page(sonar.html).tables["rows-table"]
    heading, rows = body[0], body[1:]
    assert heading[:5] == ["row", "class", "distance", "side", "corrections"]
    assert len(rows) == 208
    plane = sonar.study.verdict.hyperplane
    distances = plane.distance(X)
    for row in rows[:5]:
        i = int(row[0])
        assert row[1] == y[i]
        assert float(row[2].replace("−", "-")) == pytest.approx(distances[i], rel=1e-3)
        assert row[3] == "right"
        assert int(row[4].replace(",", "")) == np.sum(sonar.study.model.trace_.rows == i)
    shown = [abs(float(row[2].replace("−", "-"))) for row in rows]
    assert np.all(np.diff(shown) >= -1e-3 * np.array(shown[1:]))


def test_coefficients_and_their_fate_are_listed() -> None:
    X, y = [[0, 1.0], [0, 2.0], [0, 3.0], [0, 4.0], [1, 2.0], [1, 3.0]], [0, 1, 0, 1, 1, 1]
    report = write_report(None, X, y, features=["exposed", "age"], row_numbers=np.arange(1, 7))
    body = {row[0]: row for row in Page(report.html).tables["coefficients-table"][1:]}
    assert body["exposed"][-2:] == ["+∞", "5"]  # the reader counts from 1
    assert body["age"][-2:] == ["finite", "—"]
    assert set(body) == {"exposed", "age", "(1)"}
    assert "Of its 3 coefficients 1 runs to +∞, 2 have finite estimates." in Page(report.html).text


def test_witness_rows_are_named_as_the_reader_names_them() -> None:
    X, y = rb.datasets.xor()
    report = write_report(None, X, y, class_names=["off", "on"], row_numbers=[10, 20, 30, 40])
    text = Page(report.html).text
    assert "A mixture of rows 10, 40 (off) is also a mixture of rows 20, 30 (on)" in text
    assert report.study.replay is not None
    assert set(report.study.replay.rows.tolist()) == {10, 20, 30, 40}
    assert set(report.study.replay.corrected[1:].tolist()) <= {10, 20, 30, 40}


def test_quasi_separable_rows_are_on_the_plane_or_right() -> None:
    report = reported("quasi")
    assert report.study.verdict.kind == "quasi"
    body = {row[0]: row for row in Page(report.html).tables["rows-table"][1:]}
    assert {name: (row[3], row[5]) for name, row in body.items()} == {
        "0": ("right", "no"),
        "1": ("on the plane", "yes"),
        "2": ("on the plane", "yes"),
        "3": ("right", "no"),
        "4": ("right", "no"),
    }
    assert "A mixture of row 1 (0) is also a mixture of row 2 (1)" in Page(report.html).text


def test_without_intercept_the_witness_is_called_what_it_is() -> None:
    report = write_report(None, [[1.0], [2.0], [-1.0]], [0, 1, 1], fit_intercept=False)
    assert report.study.verdict.kind == "overlap"
    rows = report.study.witness
    assert rows.size
    assert "add up to zero: no hyperplane through the origin" in Page(report.html).text


def test_what_is_known_is_not_computed_again() -> None:
    X, y = rb.datasets.margin_cloud(40, 2, margin=0.3, random_state=4)
    verdict, comparison = rb.separability(X, y), rb.compare(X, y)
    model = rb.Perceptron(trace=True).fit(X, y)
    report = write_report(None, X, y, verdict=verdict, model=model, comparison=comparison)
    assert report.study.verdict.certificate is verdict.certificate
    assert report.study.model is model
    assert report.study.comparison is comparison
    assert "start=" in Page(report.html).text


def test_a_model_without_trace_leaves_the_replay_out() -> None:
    X, y = rb.datasets.margin_cloud(40, 2, margin=0.3, random_state=4)
    report = write_report(None, X, y, model=rb.Perceptron().fit(X, y))
    assert 'class="replay-data"' not in report.html
    assert "run" not in Page(report.html).ids


def test_an_answer_that_is_not_known_is_not_given() -> None:
    X, y = rb.datasets.margin_cloud(40, 3, margin=0.3, random_state=4)
    unknown = rb.Verdict("unknown", 40, 0.1, reason="the time limit was reached")
    report = write_report(None, X, y, verdict=unknown)
    page = Page(report.html)
    assert "Not decided: the time limit was reached" in page.text
    assert "no proof, because there is no answer" in page.text
    assert '<span class="proved">' not in report.html
    assert report.study.data_sha256 == rb.separability(X, y).certificate.content["data_sha256"]


def test_names_cannot_break_the_page(tmp_path: Path) -> None:
    X, y = _overlapping()
    nasty = "</script><script>alert(1)</script>"
    path = tmp_path / "report.html"
    write_report(path, X, np.where(y == "ill", nasty, "<b>&"), title=nasty, source=nasty, features=[nasty, "\"'>"])
    text = path.read_text("utf-8")
    assert "<script>alert" not in text
    assert nasty in Page(text).text


def test_bad_input_is_refused_in_a_sentence() -> None:
    with pytest.raises(ValueError, match="two classes; it has 3"):
        write_report(None, [[0.0], [1.0], [2.0]], [0, 1, 2])
    with pytest.raises(ValueError, match="NaN in row 1, column 0"):
        write_report(None, [[0.0], [np.nan]], [0, 1])
    with pytest.raises(ValueError, match="the text 'x' in row 0, column 1"):
        write_report(None, [[0.0, "x"], [1.0, "y"]], [0, 1])
    with pytest.raises(ValueError, match="one number for each of 2 rows"):
        write_report(None, [[0.0], [1.0]], [0, 1], row_numbers=[1])
    with pytest.raises(ValueError, match="one name for each of 1 columns; there are 2"):
        write_report(None, [[0.0], [1.0]], [0, 1], features=["a", "b"])


def test_large_data_make_a_page_of_ordinary_size() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(6_000, 8))
    y = X[:, 0] + 0.2 * rng.normal(size=6_000) > 0
    report = write_report(None, X, y)
    assert len(report.html.encode()) < 1_000_000
    assert "300 of 6,000 rows" in Page(report.html).text
    assert "would take long" in Page(report.html).text
    assert report.study.replay is not None
    assert len(report.study.replay.rows) <= 240


def test_a_report_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    report = reported("xor")
    report.save(tmp_path / "r.html")
    assert (tmp_path / "r.html").read_text("utf-8") == report.html
    assert repr(report).endswith(f"{len(report.html.encode()):,} bytes>")
    with pytest.raises(FileNotFoundError):
        report.save(tmp_path / "nowhere" / "r.html")


@pytest.mark.parametrize(
    ("worth", "kind", "words"),
    [
        (Worth.of(10, 5, 10, 12), "complete", "So this is not shown to be more than chance"),
        (Worth.of(10, 5, 10, 9), "overlap", "These are not completely separable."),
        (Worth.of(100, 50, 100, 5), "complete", "at most 1 in 10<sup>22</sup>. So this is more than chance."),
        (Worth.of(100, 50, 100, 5), "overlap", "These are not completely separable, and shuffled labels rarely are."),
    ],
)
def test_cover_in_words(worth: Worth, kind: str, words: str) -> None:
    class Stub:
        verdict = rb.Verdict(kind, worth.points, 0.0, cover=worth)

    assert words in cover_in_words(Stub())  # type: ignore[arg-type]


def test_tables_escape_and_sort_by_value() -> None:
    text = table("t", "a < b", ["n", "x"], [[whole(1000), number(-0.5)], [whole(2), number(float("nan"))]])
    assert "a &lt; b" in text
    assert 'data-sort="1000">1,000<' in text
    assert 'data-sort="-0.5">−0.5<' in text
    assert "—" in text
    assert "<b>" not in table("t", "c", ["h"], [[Cell("<b>", "<b>")]])


@pytest.mark.parametrize(
    ("source", "name"), [("a/b/sonar.csv", "sonar.cert.json"), ("", "data.cert.json"), ("x.tar.gz", "x.tar.cert.json")]
)
def test_certificate_names(source: str, name: str) -> None:
    assert certificate_name(source) == name


def test_probabilities_are_judged_by_rows_that_were_not_learned_from(sonar: Report) -> None:
    assert sonar.study.validated is not None
    assert sonar.study.validated.rows == 208
    assert 'id="probabilities"' in sonar.html
    assert "Predicted probabilities of R and the parts of rows found" in sonar.html
    tiny = rb.report.write_report(None, [[0.0], [1.0], [2.0]], [0, 1, 1])
    assert tiny.study.validated is None
    assert 'id="probabilities"' not in tiny.html


def test_the_page_is_in_the_readers_order_and_runs_its_own_scripts_only():
    """Answer and reason, estimates, proof, rows; the replay is an appendix. The policy names the scripts by hash."""
    from base64 import b64encode
    from hashlib import sha256

    import pandas as pd

    r = np.random.default_rng(0)
    X = pd.DataFrame({"a": np.r_[np.zeros(15), np.ones(15)], "b": r.normal(size=30)})
    y = pd.Series(np.r_[r.integers(0, 2, 15), np.ones(15, dtype=int)], name="died")
    html = write_report(None, X, y).html
    places = [html.index(f'<section id="{name}"') for name in ("verdict", "estimates", "proof", "rows", "run")]
    assert places == sorted(places)
    assert "<dt>Because</dt><dd>every row with a = 1 has died = 1" in html
    assert "of died = 1" in html
    policy = re.search(r"script-src ([^;]*);", html)[1]
    scripts = re.findall(r"<script>(.*?)</script>", html, re.DOTALL)
    assert policy.split() == [f"'sha256-{b64encode(sha256(one.encode()).digest()).decode()}'" for one in scripts]
    assert "<bdi>" in html
