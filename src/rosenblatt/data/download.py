"""A file from the web, by Python's own means: whole in a temporary file, or refused in a sentence."""

import http.client
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import PurePosixPath
from urllib.error import HTTPError, URLError
from urllib.parse import quote, unquote, urlsplit
from urllib.request import Request, urlopen

from rosenblatt.data.readers import Progress, Temporary
from rosenblatt.data.refusal import Refused, extra

__all__ = ["fetched", "matching"]

_PIECE = 1 << 18
_PATIENCE = 60.0  # seconds without a byte


def fetched(address: str, progress: Progress | None = None) -> tuple[Temporary, str]:
    """The file at an address, and what it is called there."""
    if not re.match("https?://", address, re.IGNORECASE):
        return _by_fsspec(address)
    try:
        request = Request(quote(address, safe="%/:=&?~#+!$,;'@()*[]"), headers={"User-Agent": "rosenblatt"})
        with urlopen(request, timeout=_PATIENCE) as answer:
            temporary, called, expected, done = Temporary("download"), _name_at_server(answer), answer.length, 0
            with temporary.file as file:
                while piece := answer.read(_PIECE):
                    file.write(piece)
                    done += len(piece)
                    if progress is not None:
                        progress(done, expected)
    except HTTPError as error:
        raise Refused(f"{address} cannot be fetched: the server answers {error.code} ({error.reason}).") from None
    except (URLError, http.client.HTTPException, TimeoutError, ConnectionError, ValueError) as error:
        why = getattr(error, "reason", None) or error
        told = getattr(why, "strerror", None) or str(why) or type(why).__name__
        raise Refused(
            f"{address} cannot be fetched ({str(told).rstrip('.')}): is this machine online, and the address right?"
        ) from None
    if expected is not None and done < expected:
        raise Refused(f"{address} cannot be fetched: only {done:,} of {expected:,} bytes came.")
    return temporary, called


def matching(address: str) -> list[str]:
    """The addresses that a pattern such as s3://bucket/rows/*.parquet stands for, in the order of their names."""
    fsspec = extra("fsspec", "remote", address)
    with _said_plainly(address):
        files, pattern = fsspec.core.url_to_fs(address)
        found = [files.unstrip_protocol(name) for name in sorted(files.glob(pattern))]
    if not found:
        raise Refused(f"{address} matches no file.")
    return found


def _by_fsspec(address: str) -> tuple[Temporary, str]:
    """A file of a store (s3://, gs://, …), by the package fsspec and the one that it has for that store."""
    fsspec = extra("fsspec", "remote", address)
    with _said_plainly(address), fsspec.open(address, "rb") as content:
        return Temporary("download").take(content), PurePosixPath(urlsplit(address).path).name


@contextmanager
def _said_plainly(address: str) -> Iterator[None]:
    """What a store says of an address, in one sentence."""
    try:
        yield
    except ImportError as error:  # it says which package a store needs
        raise Refused(f"{address} cannot be fetched: {str(error).rstrip('.')}.") from None
    except (OSError, ValueError, RuntimeError) as error:
        why = " ".join(str(error).partition("\n")[0].split()).rstrip(".") or type(error).__name__
        raise Refused(f"{address} cannot be fetched ({why}).") from None


def _name_at_server(answer: http.client.HTTPResponse) -> str:
    """The name that the server gives the file, else the last part of the address."""
    given = re.search(r'filename="?([^";]+)', answer.headers.get("Content-Disposition", ""))
    return given[1].strip() if given else unquote(PurePosixPath(urlsplit(answer.url).path).name)
