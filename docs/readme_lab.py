"""Make the README's moving picture from the real lab, in Chromium: python docs/readme_lab.py.

A run from w = 0, then a point that is dragged across the street and back while the verdict follows.
"""

import re
import tempfile
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image

from check_site import chromium
from rosenblatt.lab.page import standalone

OUT = Path(__file__).parent / "_static" / "lab.gif"
VIEW = {"width": 1120, "height": 740}
WIDTH = 780  # pixels of the picture
COLOURS = 160
MOST = 400_000  # bytes

Frames = list[tuple[Image.Image, int]]


def film(page: Any) -> Frames:
    """Pictures of the page, and how many milliseconds each is seen."""
    frames: Frames = []

    def take(milliseconds: int) -> None:
        picture = Image.open(BytesIO(page.screenshot())).convert("RGB")
        frames.append((picture.resize((WIDTH, VIEW["height"] * WIDTH // VIEW["width"])), milliseconds))

    page.get_by_role("button", name="To the start").click()
    page.mouse.move(5, 5)
    take(900)
    last = int(page.inner_text(".counter").split(" / ")[1])
    for k in range(1, last + 1):
        page.locator(".transport input").fill(str(k))
        take(700 if k < last else 1500)
    drag(page, take)
    return frames


def drag(page: Any, take: Any) -> None:
    """Take the disc that is nearest to the street to the other side, and back."""
    box = page.locator(".plane").bounding_box()
    move = page.locator(".dot.positive").nth(2).get_attribute("transform")
    x, y = (float(v) for v in re.findall(r"-?[\d.]+", move))
    x, y = box["x"] + x, box["y"] + y
    goal = box["x"] + 0.7 * box["width"], box["y"] + 0.3 * box["height"]
    page.mouse.move(x, y)
    page.mouse.down()
    for part in (0.25, 0.5, 0.75, 1.0, 0.6, 0.2, 0.0):
        page.mouse.move(x + part * (goal[0] - x), y + part * (goal[1] - y), steps=3)
        page.wait_for_timeout(150)
        take(1600 if part == 1.0 else 450)
    page.mouse.up()
    take(1200)


def write(frames: Frames) -> int:
    """One palette for all frames, so that only what changes is stored."""
    size = frames[0][0].size
    whole = Image.new("RGB", (size[0], size[1] * len(frames)))
    for at, (picture, _) in enumerate(frames):
        whole.paste(picture, (0, at * size[1]))
    palette = whole.quantize(COLOURS, kmeans=2)
    pictures = [picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture, _ in frames]
    times = [time for _, time in frames]
    pictures[0].save(OUT, save_all=True, append_images=pictures[1:], duration=times, loop=0, optimize=True)
    return OUT.stat().st_size


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        lab = Path(folder) / "lab.html"
        lab.write_text(standalone(), encoding="utf-8")
        context = browser.new_context(viewport=VIEW, color_scheme="light")
        context.add_init_script("localStorage.setItem('rosenblatt-lab-toured', 'yes')")
        page = context.new_page()
        page.goto(lab.as_uri())
        page.wait_for_selector(".proved")
        size = write(film(page))
    assert size <= MOST, f"{size:,} bytes"
    print(f"{OUT}: {size:,} bytes")
