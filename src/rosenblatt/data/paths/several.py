"""Several files as one table: the rows of the first, then those of the second, and so on, columns by name."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from rosenblatt.data.readers import differing
from rosenblatt.data.refusal import Refused, unlike
from rosenblatt.data.sql import Source

__all__ = ["joined"]


@dataclass
class _Joined(Source):
    """Sources with the same columns, one below the other; rows are counted through all of them."""

    parts: list[Source] = field(default_factory=list)
    as_text: frozenset[int] = frozenset()  # columns whose numbers are of types that have no type together

    def _rows(self, numbers: Sequence[int]) -> str:
        """All rows, in the order of the parts."""
        return "(" + " UNION ALL ".join(self._part(part, numbers) for part in self.parts) + ")"

    def _part(self, part: Source, numbers: Sequence[int]) -> str:
        places = [part.place(name) for name in self.names]
        texts = [f"CAST(c{k} AS VARCHAR)" if i in self.as_text else f"c{k}" for i, k in enumerate(places)]
        chosen = ", ".join(f"{text} AS c{i}" for i, text in enumerate(texts))
        return f"SELECT {chosen} FROM {part.relation([places[i] for i in numbers])}"

    def estimated_rows(self) -> int:
        """The rows of all parts together."""
        return sum(part.estimated_rows() for part in self.parts)

    def refusal(self, error: Exception) -> Refused:
        """What DuckDB said of one of the files, in a sentence that names it."""
        guilty = next((part for part in self.parts if part.file and part.file in str(error)), None)
        return super().refusal(error) if guilty is None else guilty.refusal(error)


def joined(parts: list[Source], where: str) -> Source:
    """All rows of all parts as one source; each part must have the columns of the first."""
    first = parts[0]
    telling = differing([part.aside for part in parts])
    for part in parts:
        part.ask(telling)
    for k, part in enumerate(parts):
        _check_alike(first, part)
        if part.frames:
            part.frames = {f"frame{k}": next(iter(part.frames.values()))}
            part.query = f"SELECT * FROM frame{k}"
    frames = {name: one for part in parts for name, one in part.frames.items()}
    source = _Joined(where, first.connection, "", list(first.names), [], na=first.na, frames=frames, parts=parts)
    source.aside = dict(first.aside)
    source.as_text = frozenset(i for i, name in enumerate(source.names) if _loses(parts, name))
    source.types = [str(kind) for kind in source.cursor().sql(f"SELECT * FROM {source.relation()}").types]
    source.notes = list(dict.fromkeys(one for part in parts for one in part.notes))
    source.text = all(part.text for part in parts)
    source.written = frozenset(i for i, kind in enumerate(source.types) if kind == "VARCHAR" and _looks(source, i))
    return source


def _check_alike(first: Source, part: Source) -> None:
    for name, here, there in [(n, first, part) for n in first.names] + [(n, part, first) for n in part.names]:
        if name not in there.names:
            raise unlike(here.where, there.where, name)
    if part.connection is not first.connection:
        raise Refused(f"{part.where} is a database, which is not joined with other files: select from both in a query.")


def _loses(parts: list[Source], name: str) -> bool:
    """Whether DuckDB would make floats of whole numbers or decimals, since another file has floats there."""
    kinds = {part.types[part.place(name)].partition("(")[0] for part in parts}
    return bool(kinds & {"DOUBLE", "FLOAT"}) and bool(kinds & {"BIGINT", "UBIGINT", "HUGEINT", "UHUGEINT", "DECIMAL"})


def _looks(source: _Joined, i: int) -> bool:
    """Whether the looks of its values decide the kind of column i: it is text in one file and numbers in another."""
    name = source.names[i]
    places = [(part, part.place(name)) for part in source.parts]
    return any(part.is_written(place) or part.types[place] != "VARCHAR" for part, place in places)
