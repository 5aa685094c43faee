"""What comes after the lab's address so that it opens at a room or with points. Sphinx is not needed for it."""

import json
from base64 import urlsafe_b64encode
from typing import Any
from urllib.parse import quote

import numpy as np

import rosenblatt as rb
from rosenblatt.lab.packing import pack


def fragment_of(options: dict[str, str]) -> str:
    """What comes after the lab's address: a room, points, or nothing; `figure` leaves tabs and tools away.

    The one handle of a figure is its slider, or the point whose number `figure` is.
    """
    found = _place(options)
    if "figure" not in options:
        return found
    handle = f"&handle={options['figure']}" if options["figure"] else ""
    return f"#embed=figure{handle}" + found.replace("#", "&", 1)


def _place(options: dict[str, str]) -> str:
    if "room" in options:
        show = f"&show={quote(options['show'])}" if "show" in options else ""
        return f"#room={options['room']}{show}" + _held(options.get("state", ""))
    if "points" not in options:
        return ""
    X, y = eval(options["points"], {"rb": rb, "np": np})
    settings = eval(f"dict({options.get('settings', '')})")
    return "#" + state(np.asarray(X, dtype=float), np.asarray(y), settings, int(options.get("k", 10**6)))


def _held(text: str) -> str:
    """What is chosen in a room, as its Share writes it."""
    given = json.dumps(eval(f"dict({text})"), ensure_ascii=False).encode()
    return f"&t={urlsafe_b64encode(given).decode().rstrip('=')}" if text else ""


def state(X: Any, y: Any, settings: dict[str, Any], k: int) -> str:
    """Points and settings as Share writes them."""
    classes = sorted({str(label) for label in y.tolist()})
    signs = np.array([1 if str(label) == classes[1] else -1 for label in y.tolist()], dtype=np.int8)
    if classes == ["-1", "1"]:
        classes = ["−1", "+1"]  # as the lab's own examples write them
    header = {
        "names": [f"x{j + 1}" for j in range(X.shape[1])],
        "classes": classes,
        "view": {"kind": "pair", "i": 0, "j": 1},
        "scaled": False,
        "settings": settings,
        "k": k,
    }
    return "s=" + urlsafe_b64encode(pack(header, {"X": X.ravel(), "y": signs})).decode().rstrip("=")
