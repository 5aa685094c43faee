"""What `rosenblatt check` says about two classes: in words for a person, and as JSON."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rosenblatt.cli.output import Page, count, few
from rosenblatt.cli.tables import typed

if TYPE_CHECKING:
    from rosenblatt.arrays import Places
    from rosenblatt.data.tables import Table
    from rosenblatt.verdicts import Trial

__all__ = ["CheckAnswer", "proof_in"]

_SENTENCES = {
    "complete": "Completely separable: a hyperplane has every {negative} on one side and every {positive} on the "
    "other.",
    "quasi": "Quasi-separable: a hyperplane has no example on the wrong side, but {plane} of {n} rows lie exactly on "
    "it.",
}
_GOES_TO = {
    "+inf": "+∞",
    "-inf": "−∞",
    "undetermined": "wherever the optimiser stops",
    "not identified": "anything",
    "open": "not settled",
}
_BECAUSE = {
    "open": "a limit was hit",
    "undetermined": "some separating hyperplanes use it and some do not",
    "not identified": "it can be computed from the other columns",
}
_WHAT_TO_DO = {
    "inf": "What to do: merge or drop {names}, or fit with Firth's penalty or a ridge.",
    "another form": "What to do: leave {names} out, if that is the outcome in another form, and check again.",
    "undetermined": "What to do: penalise (Firth, ridge), or collect more rows.",
    "not identified": "What to do: of {names}, drop as many as can be computed from the other columns.",
    "dependent": "What to do: drop {names}, which can be computed from the other columns.",
}
_FEW_LEVELS = 3  # a column of so few different values describes rows, however few rows there are
_FEW_LINES = 3  # undetermined coefficients that are listed although one reason explains them all


@dataclass(frozen=True)
class CheckAnswer:
    """The verdict, the perceptron's run, and what is needed to put them into words."""

    loaded: "Table"
    verdict: Any
    trial: "Trial | None"
    asked: bool  # whether --coefficients was given
    certificate: Path | None
    seconds: float

    @property
    def sentence(self) -> str:
        """The answer, with the names of the classes."""
        from rosenblatt.verdicts.words import with_warning

        if self.verdict.kind not in _SENTENCES:
            return str(self.verdict.sentence)
        negative, positive = map(self._called, self.loaded.classes)
        rows = self.verdict.rows or {"plane": ()}
        numbers = {"plane": f"{len(rows['plane']):,}", "n": f"{self.verdict.n:,}"}
        sentence = _SENTENCES[self.verdict.kind].format(negative=negative, positive=positive, **numbers)
        return with_warning(sentence, self.verdict.narrow)

    def _called(self, name: str) -> str:
        """A class in a sentence: "every rock", but "every y = 1"."""
        target = self.loaded.encoding.target
        return f"{target} = {name}" if target is not None and not name[:1].isalpha() else name

    # ---------------------------------------------------------------------------------------------------- for people

    def show(self, page: Page) -> None:
        """Print the answer."""
        page.headline(self.loaded.headline)
        page.answer(self.sentence, proved=self.verdict.proved)
        page.facts(self._facts())
        if self.verdict.coefficients:
            self._show_coefficients(page)
        page.small_print(self._small_print())

    def _facts(self) -> list[tuple[str, str]]:
        if self.verdict.kind == "unknown":
            advice = "give it more time (--time-limit), fewer columns (--features), or fewer rows."
            return [*self._remarks(), ("what to do", advice)]
        facts: list[tuple[str, str]] = [("because", one) for one in self._reasons()[:1]]
        facts += self.verdict.margins_in_words() + self._rows()
        complete = self.verdict.kind == "complete"
        perceptron = [self.verdict.bound_in_words if complete else "would never stop", self._run()]
        if any(perceptron):
            facts.append(("perceptron", "; ".join(filter(None, perceptron))))
        facts.append(("what it is worth", self.verdict.cover.sentence(self.verdict.kind)))
        facts.append(("logistic regression", self._logistic()))
        # numbers that floats do not hold cannot be taken as floats
        way = "" if self.loaded.rows().origin.columns else "; --numbers binary takes the floats"
        facts += [(name, f"{words}{way if name == 'numbers' else ''}") for name, words in self._remarks()]
        return facts + self._beware()

    def _remarks(self) -> list[tuple[str, str]]:
        return list(self.verdict.remarks_in_words(self.loaded.encoding.features))

    def _reasons(self) -> list[str]:
        """Why the classes are separable, by the table's names."""
        encoding = self.loaded.encoding
        target = encoding.target
        classes = [name if target is None else f"{target} = {name}" for name in self.loaded.classes]
        return list(self.verdict.reasons_in_words(encoding.features, classes))

    def _beware(self) -> list[tuple[str, str]]:
        """A warning for each text column that names the rows rather than describes them."""
        n, why = self.verdict.n, "it names rows more than it tells classes apart"
        return [
            (
                "beware",
                f"{one.name} has {len(one.levels):,} different values in {n:,} rows: {why}; see --drop {one.name}.",
            )
            for one in self.loaded.encoding.columns
            if len(one.levels) > max(_FEW_LEVELS, n / 2)
        ]

    def _rows(self) -> list[tuple[str, str]]:
        """The rows to look at."""
        rows, kind = self.verdict.rows, self.verdict.kind
        if kind == "complete":
            content = self.verdict.certificate.content
            name, what = ("street", "street") if "street" in content else ("margin", "hyperplane")
            nearest = [int(i) for i in content.get(name, {}).get("lambda", {})]
            hold = "it holds" if len(nearest) == 1 else "they hold"
            return [("nearest rows", f"{self._numbers(nearest)}: {hold} the {what} in place")] if nearest else []
        facts = []
        if kind == "quasi" and "strict" in rows:  # they are not listed where there are very many
            number = len(rows["strict"])
            these, their = ("this one is", "its") if number == 1 else (f"these {number:,} are", "their")
            facts.append(("off the plane", f"{self._numbers(rows['strict'])}: only {these} strictly on {their} side"))
        facts.append(("witness", self._witness(rows["witness"])))
        return facts

    def _witness(self, witness: "Places") -> str:
        if not self.verdict.certificate.head["fit_intercept"]:  # rows of one class alone may cancel
            return f"positive multiples of y·x add up to zero on {self._numbers(witness)}"
        sides = [
            (name, [i for i in witness if self.loaded.y[i] == sign])
            for name, sign in zip(self.loaded.classes, (-1, 1), strict=True)
        ]
        named = " and ".join(f"{self._numbers(rows)} (class {name})" for name, rows in sides if rows)
        return f"{named} have weighted mixtures that coincide"

    def _numbers(self, rows: Iterable[int]) -> str:
        """The rows by their numbers in the file, counted from 1, or by their --id."""
        numbers = self.loaded.names_of(rows)
        return f"{'row' if len(numbers) == 1 else 'rows'} {few(numbers)}"

    def _run(self) -> str:
        trial = self.trial
        if trial is None:
            return ""
        if trial.cut:
            return f"a trial was cut after {count(trial.passes, 'pass', 'passes')} (--no-trial leaves it out)"
        if self.verdict.kind != "complete":
            return (
                f"after {count(trial.passes, 'pass', 'passes')} its last pass made {count(trial.mistakes, 'mistake')}, "
                f"and the best weights it met have {trial.wrong:,} of {self.verdict.n:,} examples wrong"
            )
        made = f"this run made {trial.corrections:,} in {count(trial.passes, 'pass', 'passes')}"
        if trial.separated:
            return f"{made} and separated the classes"
        wrong = f"{trial.wrong:,} of {self.verdict.n:,} examples still wrong"
        return (
            f"{made} and was stopped with {wrong} (rosenblatt fit --scale may need far fewer, and --passes allows more)"
        )

    def _logistic(self) -> str:
        more = "." if self.asked else "; --coefficients says which coefficients run away."
        if self.verdict.kind != "overlap":
            return (
                "has no maximum-likelihood estimate: the likelihood grows for ever. "
                f"See rosenblatt estimate for what can still be said{more}"
            )
        unique = self._unique()
        if unique is None:
            return "has a maximum-likelihood estimate; --coefficients says whether it is the only one"
        if unique:
            return "has a maximum-likelihood estimate, and only one"
        named = "." if self.asked else "; --coefficients names them."
        return f"has a maximum-likelihood estimate, but not only one: columns can be computed from others{named}"

    def _unique(self) -> bool | None:
        """Whether the estimate is unique: no column can be computed from others. None where the proof does not say."""
        if self.verdict.coefficients:
            return all(one.kind != "not identified" for one in self.verdict.coefficients)
        content = self.verdict.certificate.head
        return None if "base" in content else not content.get("null")

    def _named(self) -> list[tuple[str, Any]]:
        """The coefficients with the names of the table's columns; "(1)" is the intercept."""
        names = [*self.loaded.encoding.features, "(1)"]
        return list(zip(names, self.verdict.coefficients or [], strict=False))

    def _show_coefficients(self, page: Page) -> None:
        page.gap()
        lines = self._coefficient_rows()
        if lines:
            page.table(("coefficient", "estimate goes to", "because"), lines)
            page.gap()
        for line in self._advice():
            page.paragraph(line)

    def _coefficient_rows(self) -> list[tuple[str, str, str]]:
        """A line for each coefficient that has no finite estimate."""
        lines, against = [], self.loaded.encoding.levels
        others = [name for name, one in self._named() if one.kind == "undetermined"]
        folded = len(others) > _FEW_LINES and bool(self.verdict.because)
        for name, one in self._named():
            if one.kind != "finite" and not (folded and one.kind == "undetermined"):
                why = _BECAUSE.get(one.kind) or self._pure(name) or f"of {self._numbers(one.rows)}"
                called = f"{name} (against {against[name]})" if name in against else name
                lines.append((called, _GOES_TO[one.kind], why))
        if folded:
            many = f"{len(others):,} others" if lines else f"all {len(others):,}"
            lines.append((many, _GOES_TO["undetermined"], _BECAUSE["undetermined"]))
        return lines

    def _pure(self, name: str) -> str:
        """The reason, where it is simple: all rows with one level or one value of this column have the same class."""
        from rosenblatt.verdicts.fates import Levels

        levels = Levels(self.loaded.encoding, self.loaded.rows(), self.loaded.y)
        for why, rows in (levels.why(name), levels.why_value(name)):
            if why:
                return f"{why} ({self._numbers(rows)})"
        return ""

    def _advice(self) -> list[str]:
        """The coefficients with a finite estimate, what to do about the others, and the reference levels."""
        groups: dict[str, list[str]] = {}
        for name, one in self._named():
            key = "inf" if one.kind.endswith("inf") else one.kind
            if name != "(1)" or key == "finite":
                groups.setdefault(key, []).append(name)
        if len(groups.get("not identified", [])) == 1:
            groups["dependent"] = groups.pop("not identified")
        alone = [one.columns[0] for one in self.verdict.because if one.complete and len(one.columns) == 1]
        if alone:
            groups["another form"] = [self.loaded.encoding.features[j] for j in alone]
            groups.pop("undetermined", None)
        finite, advice = groups.pop("finite", []), []
        if finite:
            advice.append(f"Finite estimate{'' if len(finite) == 1 else 's'}: {few(finite)}.")
        advice += [text.format(names=few(groups[key], 4)) for key, text in _WHAT_TO_DO.items() if key in groups]
        references = self.loaded.encoding.references
        return [*advice, f"Levels are measured against {few(references, 6)}."] if references else advice

    def _small_print(self) -> str:
        seconds = f"{self.seconds:.2f} s"
        if self.verdict.certificate is None or not self.loaded.columns_are_of_source:
            return seconds
        if self.certificate is None:
            what = "exact proof" if self.verdict.proof == "floats" else "proof down"
            return f"{seconds} · --certificate FILE writes the {what}; anyone can check it with `rosenblatt verify`"
        return f"{seconds} · {proof_in(self.certificate, self.loaded)}"

    # -------------------------------------------------------------------------------------------------- for programs

    def to_json(self) -> dict[str, Any]:
        """The fields of schema rosenblatt-check/1; docs/command-line.md says what they mean."""
        v, remarks = self.verdict, dict(self._remarks())
        coefficients = [
            {
                "name": name,
                "reference": self.loaded.encoding.levels.get(name),
                "kind": one.kind,
                "rows": self.loaded.names_of(one.rows),
            }
            for name, one in self._named()
        ]
        exists = None if v.kind == "unknown" else v.kind == "overlap"
        return {
            **self.loaded.to_json(),
            "verdict": v.kind,
            "sentence": self.sentence,
            "proved": v.certificate is not None,
            "proof": v.proof or None,
            "reason": v.reason or None,
            "margin": v.margin and {"lower": v.margin[0], "upper": v.margin[1]},
            "street": v.street
            and {"lower": v.street[0], "upper": v.street[1], "weights": [*v.street[2].w.tolist(), v.street[2].b]},
            "limits": v.limits,
            "numbers": self._kind_of_numbers(),
            "readings": [
                one.entry() | {"name": name}
                for name, one in zip(self.loaded.encoding.features, v.readings, strict=bool(v.readings))
            ],
            "difference": remarks.get("numbers"),
            "because": [
                {"columns": [self.loaded.encoding.features[j] for j in one.columns], "sentence": sentence}
                for one, sentence in zip(v.because, self._reasons(), strict=True)
            ],
            "rounding": remarks.get("rounding"),
            "radius": v.radius,
            "mistake_bound": v.mistake_bound,
            "rows": v.rows and {name: self.loaded.names_of(rows) for name, rows in self._listed().items()},
            "perceptron": self.trial and vars(self.trial),
            "worth": v.cover and self._worth_to_json(),
            "maximum_likelihood_exists": exists,
            "coefficients": coefficients if self.asked else None,
            "references": self.loaded.encoding.references,
            "certificate": self.certificate and str(self.certificate),
            "seconds": self.seconds,
        }

    def _kind_of_numbers(self) -> str:
        """How the columns were read: "decimal", "binary", or "mixed"."""
        kinds = {"binary" if one.reading.power is None else "decimal" for one in self.verdict.readings}
        return "mixed" if len(kinds) > 1 else kinds.pop() if kinds else str(self.verdict.numbers)

    def _worth_to_json(self) -> dict[str, Any]:
        worth, kind = self.verdict.cover, self.verdict.kind
        return {
            "log10_fair": worth.log10_fair,
            "log10_sizes": worth.log10_sizes,
            "log10_points": worth.log10_points if worth.rows else None,
            "more_than_chance": worth.more_than_chance if kind == "complete" else None,
            "sentence": worth.sentence(kind),
        }

    def _listed(self) -> dict[str, Any]:
        """The lists of rows worth giving: where the classes are separable or overlap, a partition has all rows."""
        rows = self.verdict.rows
        if self.verdict.kind == "quasi":
            return dict(rows)
        return {"witness": rows["witness"]} if self.verdict.kind == "overlap" else {}


def proof_in(certificate: Path, data: "Table") -> str:
    """Where the proof is, and how anybody can check it."""
    return f"proof in {certificate}; check it with: {typed('rosenblatt', 'verify', certificate, data.name)}"
