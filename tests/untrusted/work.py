"""`python -m tests.untrusted.work SEED COUNT READER…`: so many mutations of each reader's file; prints the counts."""

import faulthandler
import json
import random
import shutil
import signal
import sys
import tempfile
import traceback
import warnings
from pathlib import Path
from typing import Any

from tests.untrusted.mutations import damage
from tests.untrusted.readers import OTHERS, READERS, Reader

_SECONDS = 20  # in which one file must be read


class Hung(Exception):
    """A file that was not read in time."""


def _alarm(*_: Any) -> None:
    raise Hung


def attempts(reader: Reader, seed: int, count: int) -> dict[str, Any]:
    """What came of them: read, refused; wrong and crashed, which must not be."""
    found: dict[str, Any] = {"tried": 0, "read": 0, "refused": 0, "wrong": 0, "crashed": 0, "hung": 0, "defects": []}
    with tempfile.TemporaryDirectory() as folder:
        sound, path = Path(folder) / "sound" / reader.name, Path(folder) / "work" / reader.name
        for place in (sound, path):
            place.parent.mkdir()
        reader.write(sound)
        answer = reader.read(sound)
        for k in range(count):
            rng = random.Random(f"{reader.name} {seed} {k}")
            _copy(sound, path)
            on_purpose = reader.forge is not None and rng.random() < 0.6
            if on_purpose and reader.forge is not None:
                reader.forge(path, rng)
            else:
                damage(path, rng)
            found["tried"] += 1
            what = _attempt(reader, path, None if on_purpose or not reader.sealed else answer)
            found[what.split(":")[0]] += 1
            if what.split(":")[0] in ("wrong", "crashed", "hung") and len(found["defects"]) < 5:
                found["defects"].append(f"seed {seed}, number {k}: {what}")
    return found


def _attempt(reader: Reader, path: Path, answer: Any) -> str:
    signal.alarm(_SECONDS)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            got = reader.read(path)
        return "read" if answer is None or got == answer else "wrong: another answer"
    except ValueError as why:
        return "refused" if len(str(why)) < 1000 and "\n" not in str(why) else f"crashed: {why!r}"
    except Hung:
        return "hung: no answer"
    except Exception:
        return f"crashed: {traceback.format_exc()[-600:]}"
    finally:
        signal.alarm(0)


def _copy(source: Path, target: Path) -> None:
    if target.is_dir():
        shutil.rmtree(target)
    if source.is_dir():
        shutil.copytree(source, target)
    else:
        shutil.copyfile(source, target)


if __name__ == "__main__":
    faulthandler.enable()
    signal.signal(signal.SIGALRM, _alarm)
    seed, count = int(sys.argv[1]), int(sys.argv[2])
    for wanted in sys.argv[3:]:
        print(wanted, flush=True)  # the last line of a child that crashed says where
        print(
            json.dumps(attempts(next(one for one in [*READERS, *OTHERS] if one.name == wanted), seed, count)),
            flush=True,
        )
