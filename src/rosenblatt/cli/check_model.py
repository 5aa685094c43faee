"""`rosenblatt check --model …`: does the maximum-likelihood estimate of another model exist? With proof."""

import csv
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rosenblatt as rb
from rosenblatt.cli.check_words import proof_in
from rosenblatt.cli.options import ModelOptions, TableOptions
from rosenblatt.cli.output import Page, count, deciding, few, print_json
from rosenblatt.cli.tables import in_file, load_for_model, open_as_told
from rosenblatt.data.files import write_whole
from rosenblatt.data.wording import text_of

if TYPE_CHECKING:
    from rosenblatt.data.tables import Table

__all__ = ["check_model"]

_RELATIONS = 5  # groups of collinear columns that are shown


def check_model(
    table: TableOptions,
    asked: ModelOptions,
    wanted: dict[str, Any],
    certificate: Path | None,
    drop_separated: Path | None,
    json: bool,
    read: "Table | None" = None,
) -> "rb.Verdict":
    """Read the table, decide, print the answer; returns the verdict. `wanted` are arguments of `rb.existence`.

    `read` is a table that was read already, by a formula.
    """
    from rosenblatt.regressions import regression_of

    regression = asked.of(table) if read is None else regression_of(asked.name)
    if drop_separated is not None and not regression.by_row:
        raise ValueError(
            f"--drop-separated is for logistic, binomial, poisson: in a {regression.name} model comparisons of rows "
            f"are separated, not rows."
        )
    loaded = load_for_model(table, asked, wanted["fit_intercept"]) if read is None else read
    began = time.monotonic()
    with deciding(wanted["time_limit"]) as progress, in_file(loaded):
        verdict = rb.existence(
            **loaded.arguments(),
            **wanted,
            model=regression.name,
            ties=asked.ties,
            levels=_levels_in_order(loaded, asked) if "levels" in regression.options else None,
            progress=progress,
        )
    answer = _ModelAnswer(loaded, verdict, regression.name, drop_separated, time.monotonic() - began)
    if certificate is not None and verdict.certificate is not None:
        answer.certificate(table).save(certificate)
    if drop_separated is not None:
        answer.left_out = answer.write_others(drop_separated)
    if json:
        print_json("rosenblatt-check-model/1", answer.to_json(certificate))
    else:
        answer.show(Page(), certificate)
    return verdict


def _levels_in_order(loaded: "Table", asked: ModelOptions) -> list[str] | None:
    """The levels in their order: as they were said, or as the file has them; None where they are numbers."""
    import numpy as np

    y = np.asarray(loaded.arguments()["y"])
    if asked.levels or loaded.target_levels or y.dtype != object:
        return asked.level_names or loaded.target_levels
    raise ValueError(f"--model {asked.name} cannot tell the order of {few(sorted(set(y)))}: list them in --levels.")


@dataclass
class _ModelAnswer:
    """The verdict about a model, and what is needed to put it into words."""

    read: "Table"
    verdict: "rb.Verdict"
    model: str
    drop_separated: Path | None
    seconds: float
    left_out: int | None = None  # rows that the copy of --drop-separated does not have

    def certificate(self, options: TableOptions) -> "rb.Certificate":
        """The certificate, with all that a checker needs to rebuild the model's rows from the file."""
        from rosenblatt.data.paths import is_read_once  # slow to load

        assert self.verdict.certificate is not None
        content = self.verdict.certificate.content
        if "model" not in content:  # of two classes, which have the names that the file writes
            told = self.read.encoding if is_read_once(str(options.data)) else open_as_told(options).encoding
            classes = told.classes or tuple(map(text_of, content["classes"]))  # a stream cannot be read again
            return self.verdict.certificate.about(replace(self.read.encoding, classes=classes, rest=told.rest))
        named = {name: column for name, column in self.read.called.items() if name in content["model"]["columns"]}
        described = {"table": self.read.encoding.to_json(), "features": self.read.features}
        return rb.Certificate(content | described | {"model": content["model"] | {"columns": named}})

    @property
    def _separated(self) -> list[int]:
        """Rows that are predicted with certainty, as the file counts them."""
        return self.read.numbers_of(self.verdict.rows["strict"]) if self.verdict.rows else []

    def _pairs(self) -> list[tuple[int, str]]:
        """Comparisons that are decided with certainty: the row, and what it is compared with."""
        model = self.verdict.model
        if model is None or not model.compared:
            return []
        rows, others = self.read.numbers_of(model.pairs[:, 0]), model.pairs[:, 1]
        named = (
            [model.against[k] for k in others] if model.against else [f"row {k}" for k in self.read.numbers_of(others)]
        )
        return list(zip(rows, named, strict=True))

    def write_others(self, path: Path) -> int:
        """Write a copy of the table without the separated rows; returns their number."""
        source = Path(self.read.name)
        if source.suffix.lower() not in (".csv", ".tsv", ".txt"):
            raise ValueError(f"--drop-separated copies text files, such as CSV; {source.name} is none.")
        # Latin-1 has a character for each byte, so bytes stay as they are; the marks of CSV are the same in UTF-8
        lines = [line.decode("latin-1") for line in source.read_bytes().splitlines(keepends=True)]
        if any("\0" in line for line in lines):
            raise ValueError(f"--drop-separated copies text of one byte a character, such as UTF-8; {source} is none.")
        separated, kept, number, first = set(self._separated), [], 0, 0
        records = csv.reader(lines, delimiter=self.read.encoding.delimiter)
        for record in records:  # of one line, or of several where quotes hold line ends; the first is the header
            if record and number not in separated:
                kept += lines[first : records.line_num]
            number, first = number + bool(record), records.line_num
        write_whole(path, "".join(kept).encode("latin-1"))
        return len(separated)

    def _collinear(self) -> list[list[str]]:
        """Groups of columns that depend on each other, or are zero, once the separated rows are dropped."""
        model = self.verdict.model
        return [sorted(relation) for relation in model.collinear] if self.left_out and model else []

    def show(self, page: Page, certificate: Path | None) -> None:
        """Print the answer."""
        verdict = self.verdict
        n, p = self.read.X.shape
        page.headline(f"{self.read.name} · {count(n, 'row')} × {count(p, 'column')} · {self.model} model")
        page.answer(verdict.sentence, proved=verdict.proved)
        facts = [("note", note) for note in (verdict.model.notes if verdict.model else ())]
        pairs = self._pairs()
        if pairs:
            facts.append(("certain", few(f"row {row} against {other}" for row, other in pairs)))
        elif verdict.kind in ("quasi", "complete"):
            facts.append(("separated rows", few(self._separated)))
        told = verdict.coefficients_in_words(rows=False)
        facts += [(name, words) for name, words in told if not words.endswith("a finite estimate")]
        if finite := sum(one.kind == "finite" for one in verdict.coefficients or []):
            facts.append(("finite", count(finite, "coefficient")))
        facts += verdict.remarks_in_words()
        if self.left_out is not None:
            facts.append(("written", f"{self.drop_separated}: the table without {count(self.left_out, 'row')}"))
            facts += [("then collinear", few(names)) for names in self._collinear()[:_RELATIONS]]
        page.facts(facts)
        small = [f"{self.seconds:.1f} s"]
        if self.read.left_out:
            small.append(f"{count(self.read.left_out, 'row')} left out, which lack a value")
        if self.read.encoding.references:
            small.append(f"factors are measured against {few(self.read.encoding.references)}")
        if certificate is not None and verdict.certificate is not None:
            small.append(proof_in(certificate, self.read))
        page.small_print(" · ".join(small))

    def _exists(self) -> bool | None:
        """Whether there is an estimate: None where that is not known. Where all values are equally likely, none is."""
        if self.verdict.kind == "overlap":
            return self.verdict.model is None or not self.verdict.model.silent
        return None if self.verdict.kind == "unknown" else False

    def to_json(self, certificate: Path | None) -> dict[str, Any]:
        """The fields of schema rosenblatt-check-model/1."""
        verdict = self.verdict
        n, p = self.read.X.shape
        coefficients = [
            {"name": one.name, "kind": one.kind, "rows": self.read.numbers_of(one.rows)}
            for one in verdict.coefficients or []
        ]
        return {
            "data": self.read.name,
            "n": n,
            "p": p,
            "model": self.model,
            "verdict": verdict.kind,
            "estimate_exists": self._exists(),
            "sentence": verdict.sentence,
            "proved": verdict.certificate is not None,
            "separated_rows": self._separated,
            "certain": [list(pair) for pair in self._pairs()],
            "readings": [one.entry() for one in verdict.readings],
            "coefficients": coefficients,
            "then_collinear": self._collinear(),
            "certificate": None if certificate is None else str(certificate),
            "seconds": self.seconds,
        }
