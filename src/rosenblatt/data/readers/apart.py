"""Files that only foreign libraries can read are read in a process of their own, with limits on memory and time.

Two cells in opposite corners of a sheet are a file of 2 kB and a table of 17 thousand million cells; a view of a
database may never end; a damaged file may bring a library down. Here a child reads such files, and hands the columns
back in a Parquet file. Whatever becomes of it is one sentence.

The child gets its question, a line of JSON, on its standard input, and ends when that is closed: with its parent.
"""

import json
import os
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from threading import Thread
from typing import Any

from rosenblatt.context import Unfinished
from rosenblatt.data.readers.formats import Place, Told, opened
from rosenblatt.data.readers.packed import Temporary
from rosenblatt.data.refusal import Refused, Remedy
from rosenblatt.data.sql import Source, connect, kind_of, literal, pattern_free

__all__ = ["opened_apart", "read_for_parent"]

_LEAST, _PER_BYTE = 3 << 30, 64  # memory of a child: a byte of a packed sheet may be a dozen as a list of cells
_SECONDS = 600.0  # where there is no time limit
_PATIENCE = 0.2  # seconds between two looks at the child's memory, where the system does not limit it
_MOMENTS = ("DATE", "TIMESTAMP")  # how types begin that Parquet has as well as numbers and texts
_SERVE = "from rosenblatt.data.readers.apart import read_for_parent; read_for_parent()"


def opened_apart(place: Place, told: Told) -> Source:
    """The columns of a file, read by a child."""
    if not sys.executable:  # there is no Python to start
        return opened(place, told)
    rows, most = Temporary("parquet"), _LEAST + _PER_BYTE * place.path.stat().st_size
    rows.file.close()
    question = {
        "place": asdict(replace(place, keep=None)) | {"path": str(place.path.absolute())},
        "told": asdict(replace(told, progress=None)),
        "rows": rows.name,
        "most": most,
    }
    answer = _child_answer(json.dumps(question), place.where, most, told)
    if "refused" in answer:
        raise Refused(*(one if isinstance(one, str) else Remedy(*one) for one in answer["refused"]))
    if "unfinished" in answer:
        raise Unfinished(answer["unfinished"])
    query = f"SELECT * FROM read_parquet({literal(pattern_free(rows.name))}, hive_partitioning=false)"
    source = Source(place.where, connect(), query, answer["names"], answer["types"], na=told.na, keep=rows, asked="")
    source.text, source.notes, source.written = answer["text"], answer["notes"], frozenset(answer["written"])
    source.levels = {i: tuple(levels) for i, levels in answer["levels"]}
    return source


def _child_answer(question: str, where: str, most: int, told: Told) -> dict[str, Any]:
    """What the child says; refused where it says nothing."""
    known = os.environ | {"PYTHONPATH": os.pathsep.join(place for place in sys.path if place)}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    end, said = told.deadline or time.monotonic() + _SECONDS, list[bytes]()
    with subprocess.Popen([sys.executable, "-c", _SERVE], env=known, **pipes) as child:  # type: ignore[call-overload]
        try:
            reader = Thread(target=lambda: said.append(child.stdout.read()), daemon=True)
            reader.start()
            with suppress(BrokenPipeError):
                child.stdin.write(question.encode() + b"\n")
                child.stdin.flush()
            limited = sys.platform == "linux"
            while reader.is_alive() and time.monotonic() < end and (limited or _memory_of(child.pid) < most):
                reader.join(_PATIENCE)
            if reader.is_alive() and time.monotonic() >= end:
                what = f"{_SECONDS:.0f} seconds have passed" if told.deadline is None else "the time limit was reached"
                raise Unfinished(f"{where}: {what} while it was read, or a view or a query of it computed")
        finally:
            child.kill()
    with suppress(ValueError, IndexError):
        return dict(json.loads(said[0]))
    raise Refused(
        f"{where} is damaged, or needs more than {most >> 30} GiB of memory to be read: save the table as .csv; of a "
        f"workbook, delete the cells that lie far from the table."
    )


def _memory_of(process: int) -> int:
    """The bytes of memory that a process has; 0 where nothing says it."""
    with suppress(OSError, ValueError):
        done = subprocess.run(["ps", "-o", "rss=", "-p", str(process)], capture_output=True, check=False)
        return int(done.stdout) << 10
    return 0


# ------------------------------------------------------------------------------------------------------- in the child


def read_for_parent() -> None:
    """Answer the question on standard input; a JSON object on standard output."""
    answer = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # libraries may say something, too
    asked = json.loads(sys.stdin.readline())
    Thread(target=lambda: (sys.stdin.read(), os._exit(1)), daemon=True).start()
    place = Place(**asked["place"] | {"path": Path(asked["place"]["path"])})
    told = Told(**asked["told"] | {"na": tuple(asked["told"]["na"])})
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (asked["most"], asked["most"]))
    with answer:
        json.dump(_handed_back(place, told, asked["rows"]), answer)


def _handed_back(place: Place, told: Told, rows: str) -> dict[str, Any]:
    """What is to be said of the columns, which are then in the file `rows`."""
    try:
        source = opened(place, told)
        texts = [i for i, kind in enumerate(source.types) if _is_lost_in_parquet(kind)]
        columns = ", ".join(f"CAST(c{i} AS VARCHAR)" if i in texts else f"c{i}" for i in range(len(source.names)))
        source.na = ()  # the parent knows them
        source.select(f"COPY (SELECT {columns} FROM {source.relation()}) TO {literal(rows)} (FORMAT parquet)")
    except Refused as why:
        parts = why.__reduce__()[1]
        return {"refused": [one if isinstance(one, str) else [one.argument, *one.values] for one in parts]}
    except Unfinished as why:
        return {"unfinished": str(why)}
    whole = [i for i in texts if kind_of(source.types[i])]  # as texts they are the numbers that they are
    return {
        "names": source.names,
        "types": ["VARCHAR" if i in whole else kind for i, kind in enumerate(source.types)],
        "text": source.text,
        "written": sorted({*source.written, *whole}),
        "levels": sorted(source.levels.items()),
        "notes": source.notes,
    }


def _is_lost_in_parquet(kind: str) -> bool:
    """Whether a type of DuckDB comes back from Parquet as another one, or not at all."""
    return "HUGEINT" in kind or not (kind_of(kind) or kind.startswith(_MOMENTS))
