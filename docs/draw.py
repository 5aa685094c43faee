"""Draw the pictures that are seen when the pages are read in the repository, and put them into the pages.

python docs/draw.py            those of scripts: their name is a hash of the script, so that none can be out of date
python docs/draw.py --lab      those of the lab that are missing, from the real page in Chromium; with --all every one,
                               after the lab has changed
"""

import re
import sys
import tempfile
import warnings
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any

from cycler import cycler
from PIL import Image

DOCS = Path(__file__).parent
FOLDER = DOCS / "drawn"
SCRIPT = re.compile(
    r"```\{picture\}\n:alt: (?P<alt>[^\n]+)\n\n(?P<code>.*?)```\n(?:\n!\[[^\n]*\]\([^\n]*drawn/[^\n]*\)\n)*", re.S
)
FRAME = re.compile(
    r":::\{lab\} (?P<title>[^\n]+)\n(?P<options>(?::\w+:[^\n]*\n)*)\n!\[(?P<alt>[^\n]*)\]\((?P<at>[^\n]*)\)\n:::\n"
)
COLOURS = 200
TALL = 1100  # pixels of a picture: what is below is for those who open the book
SIZE = {"width": 760, "height": 700}
WIDER = {"theorem": 1100}  # a room whose pictures stand side by side
LIGHT = {"axes.prop_cycle": cycler(color=["#0060b0", "#c65312", "#007d5a", "#8b1a89", "#6a6f76"])}
DARK = dict.fromkeys(("savefig.facecolor", "figure.facecolor", "axes.facecolor"), "#14181e")
DARK |= {"axes.prop_cycle": cycler(color=["#5fa8f5", "#f0893a", "#4fd1a5", "#d98fd8", "#a5abb3"])}
COMMON = {
    "figure.figsize": (7.0, 4.2),
    "figure.constrained_layout.use": True,
    "font.size": 10.0,
    "savefig.dpi": 110,
    "axes.spines.top": False,
    "axes.spines.right": False,
}


def pages() -> list[Path]:
    """The pages of the book that were written by hand."""
    made = {"_build", "gallery", "generated"}
    return [path for path in sorted(DOCS.rglob("*.md")) if not made & set(path.parts)]


def name_of(text: str) -> str:
    """A name that changes with what is drawn."""
    return sha256(text.strip().encode()).hexdigest()[:16] + ".png"


def up(page: Path) -> str:
    """From a page to the folder of pictures."""
    return "../" * (len(page.relative_to(DOCS).parts) - 1) + FOLDER.name


def save(content: bytes, path: Path) -> None:
    """Few colours: these pictures are lines and words."""
    image = Image.open(BytesIO(content)).convert("RGB")
    image = image.crop((0, 0, image.width, min(image.height, TALL)))
    image.quantize(COLOURS, kmeans=1, dither=Image.Dither.NONE).save(path, optimize=True)


def figures_of(text: str, folder: Path, theme: str) -> list[Path]:
    """Run a script and save each of its figures."""
    import matplotlib.pyplot as plt

    name = Path(name_of(text)).stem
    style = ["dark_background", COMMON | DARK] if theme == "dark" else [COMMON | LIGHT]
    with plt.style.context(style), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a fit that does not end SEPARATED warns; the tests see to the others
        exec(compile(text, name, "exec"), {})
        paths = [folder / f"{name}-{theme}-{number}.png" for number in plt.get_fignums()]
        for path, number in zip(paths, plt.get_fignums(), strict=True):
            plt.figure(number).savefig(path)
            if theme == "light":  # for slides and handouts: kit.py
                plt.figure(number).savefig(folder / f"{name}-{number}.svg")
        plt.close("all")
    if not paths:
        raise ValueError(f"this picture draws nothing: {text}")
    return paths


def draw_scripts() -> None:
    """Each script's figures, one under the other in one picture."""

    def drawn(found: re.Match[str], page: Path) -> str:
        name = name_of(found["code"])
        if not (FOLDER / name).exists():
            with tempfile.TemporaryDirectory() as folder:
                save(stacked(figures_of(found["code"], Path(folder), "light")), FOLDER / name)
        block = found.group().split("```\n")[0]
        return f"{block}```\n\n![{found['alt']}]({up(page)}/{name})\n"

    for page in pages():
        text = page.read_text(encoding="utf-8")
        page.write_text(SCRIPT.sub(lambda found, page=page: drawn(found, page), text), encoding="utf-8")


def stacked(paths: list[Path]) -> bytes:
    """Pictures under each other, at two thirds of their size."""
    images = [Image.open(path).convert("RGB") for path in paths]
    whole = Image.new("RGB", (max(i.width for i in images), sum(i.height for i in images)), "white")
    top = 0
    for image in images:
        whole.paste(image, (0, top))
        top += image.height
    out = BytesIO()
    whole.resize((whole.width * 2 // 3, whole.height * 2 // 3), Image.Resampling.LANCZOS).save(out, "PNG")
    return out.getvalue()


def draw_frames() -> None:
    """Each frame of the lab, as it opens."""
    from check_site import chromium
    from fragment import fragment_of
    from rosenblatt.lab.page import standalone

    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        lab = Path(folder) / "lab.html"
        lab.write_text(standalone(), encoding="utf-8")
        for page in pages():
            text = page.read_text(encoding="utf-8")

            def drawn(found: re.Match[str], page: Path = page) -> str:
                options = dict(re.findall(r":(\w+): ?([^\n]*)\n", found["options"]))
                name = "lab-" + name_of(found["options"])
                if not (FOLDER / name).exists() or "--all" in sys.argv:
                    save(seen(browser, lab.as_uri() + fragment_of(options)), FOLDER / name)
                return found.group().replace(f"]({found['at']})", f"]({up(page)}/{name})")

            page.write_text(FRAME.sub(drawn, text), encoding="utf-8")


def seen(browser: Any, address: str) -> bytes:
    """What a returning visitor sees first."""
    room = (re.findall(r"room=(\w+)", address) or [""])[0]
    context = browser.new_context(viewport=SIZE | {"width": WIDER.get(room, SIZE["width"])}, color_scheme="light")
    context.add_init_script("try { localStorage.setItem('rosenblatt-lab-toured', 'yes') } catch {}")
    page = context.new_page()
    page.goto(address)
    page.wait_for_selector(".lab")
    page.wait_for_timeout(1500)
    figure = "embed=figure" in address
    picture: bytes = page.locator("[data-rosenblatt-lab]").screenshot() if figure else page.screenshot()
    context.close()
    return picture


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    draw_frames() if "--lab" in sys.argv else draw_scripts()
