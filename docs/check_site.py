"""Check a built site: every link leads somewhere, nothing is loaded from elsewhere, and in a browser nothing is empty.

A page that complains on the browser's console fails as well; so does one in which axe-core finds a barrier, where
`npm ci` in lab-ui has brought it.

python docs/check_site.py docs/_build/html
"""

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """The links of a page, what it loads, and the places in it that can be linked to."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.places: set[str] = {"", "top"}
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Sort the addresses of a tag."""
        found = {name: value for name, value in attrs if value is not None}
        self.places.update(found[name] for name in ("id", "name") if name in found)
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        elif tag == "link" and "stylesheet" in found.get("rel", ""):
            self.loads.append(found["href"])
        elif tag in ("script", "img", "iframe", "source") and "src" in found:
            self.loads.append(found["src"])


def pages_of(root: Path) -> dict[Path, Page]:
    """Every page of the site, read."""
    return {path: Page(path) for path in sorted(root.rglob("*.html")) if path.parent.name != "_static"}


def problems(root: Path) -> list[str]:
    """What is wrong with the site, a sentence each."""
    pages = pages_of(root)
    found = []
    for path, page in pages.items():
        for address in page.links + page.loads:
            parts = urlsplit(address)
            if parts.scheme or parts.netloc:
                if address in page.loads and parts.scheme != "data":
                    found.append(f"{path}: loads {address} from elsewhere")
                continue
            found += [f"{path}: {address} {why}" for why in _leads(path, address, pages)]
    return found if pages else [f"{root} has no pages"]


def _leads(path: Path, address: str, pages: dict[Path, Page]) -> list[str]:
    """Why an address inside the site leads nowhere; nothing where it leads somewhere."""
    parts = urlsplit(address)
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    target = target / "index.html" if target.is_dir() else target
    if not target.exists():
        return ["leads nowhere"]
    if target in pages and unquote(parts.fragment) not in pages[target].places:
        return ["names a place that is not there"]
    return []


# ------------------------------------------------------------------------------------------------------ in a browser

_FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]

# Pictures that did not come, canvases that are there to be seen and are blank, drawings without a mark.
_EMPTY = """() => {
  const shown = (e) => e.getClientRects().length > 0 && e.width > 0 && !e.closest("[hidden]");
  const painted = (c) => {
    const context = c.getContext("2d");
    return !context || context.getImageData(0, 0, c.width, c.height).data.some((v) => v > 0);
  };
  const found = [];
  for (const image of document.images)
    if (image.complete && image.naturalWidth === 0) found.push("a picture does not come: " + image.src);
  for (const canvas of document.querySelectorAll("canvas:not([aria-hidden])"))
    if (shown(canvas) && !painted(canvas)) found.push("an empty canvas");
  for (const plane of document.querySelectorAll(".plane:has(canvas.dots)")) {
    const seen = plane.getClientRects().length > 0;
    const points = plane.querySelector(".dot") || painted(plane.querySelector("canvas.dots"));
    if (seen && !points) found.push("a plane without points");
  }
  for (const chart of document.querySelectorAll("svg[role=img]"))
    if (chart.getClientRects().length > 0 && !chart.querySelector(":not(g)")) found.push("an empty drawing");
  return found;
}"""

AXE = Path(__file__).parent.parent / "lab-ui" / "node_modules" / "axe-core" / "axe.min.js"
_BARRIERS = """async () =>
  (await axe.run({ exclude: [["iframe"]] }, { iframes: false, preload: false })).violations.map(
  ({ id, nodes }) => `axe finds ${id}: ${nodes[0].html.slice(0, 120)}`)"""

# Of each question exactly one answer is right, and it unfolds the words about it.
_QUIZ = """() => [...document.querySelectorAll(".selftest")].filter((box) => {
  const choices = [...box.querySelectorAll(":scope > ol > li")];
  choices.forEach((choice) => choice.querySelector("button")?.click());
  return choices.filter((choice) => choice.className === "right").length !== 1 || !box.querySelector("details").open;
}).length"""


@contextmanager
def chromium() -> Iterator[Any]:
    """A browser; None where there is none."""
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if found is None:
        yield None
        return
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=_FLAGS)
        yield browser
        browser.close()


def seen(root: Path, browser: Any) -> list[str]:
    """What is wrong with the pages as a browser shows them, a sentence each."""
    pages = pages_of(root)
    context = browser.new_context(viewport={"width": 1280, "height": 900}, offline=True)
    context.add_init_script("try { localStorage.setItem('rosenblatt-lab-toured', 'yes') } catch {}")
    found: list[str] = []
    for number, path in enumerate(pages):  # every other one as on a phone
        page = context.new_page()
        complaints: list[str] = []
        _listen(page, complaints)
        page.goto(path.as_uri())
        complaints += _looked_at(page)
        complaints += _barriers(page, phone=number % 2 == 0) if path.parent.name != "generated" else []
        complaints += [f"{address} {why}" for address in _reasons(page) for why in _reason(address, pages)]
        page.close()
        found += [f"{path}: {what}" for what in complaints]
    context.close()
    return found


def _barriers(page: Any, phone: bool) -> list[str]:
    """What keeps people from reading a page, on a dark phone or on a wide screen."""
    if not AXE.exists():
        return []
    page.evaluate(AXE.read_text(encoding="utf-8"))
    page.emulate_media(color_scheme="dark" if phone else "light")
    page.set_viewport_size({"width": 390 if phone else 1280, "height": 900})
    page.wait_for_timeout(900)  # the theme asks again after a while which code is wider than the page
    found: list[str] = page.evaluate(_BARRIERS)
    return found


def _searched(root: Path, browser: Any) -> list[str]:
    """Whether the search finds something, and shows the place, where the book is opened from a folder."""
    page = browser.new_context(offline=True).new_page()
    page.goto((root / "search.html").as_uri() + "?q=threshold")
    page.wait_for_timeout(3000)
    js = "all => all.filter(one => /threshold/i.test(one.textContent)).length"
    shown = page.eval_on_selector_all("#search-results li p.context", js)
    page.context.close()
    return [] if shown else ["the search shows no place where it found a word"]


def _listen(page: Any, complaints: list[str]) -> None:
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda why: complaints.append(str(why)))


def _looked_at(page: Any) -> list[str]:
    """A page and the frames in it, labs and replays: each is scrolled to, so that it is loaded."""
    from playwright.sync_api import Error

    found = list(page.evaluate(_EMPTY))
    for frame in page.query_selector_all("iframe"):
        frame.scroll_into_view_if_needed()
        inside = frame.content_frame()
        try:
            inside.wait_for_selector("svg:visible, canvas:visible", timeout=20_000)  # the other rooms are hidden
            inside.wait_for_timeout(300)
            found += [f"{frame.get_attribute('title')}: {what}" for what in inside.evaluate(_EMPTY)]
        except Error as why:
            found.append(f"nothing is drawn in the frame {frame.get_attribute('title')!r}: {why}")
    wrong = page.evaluate(_QUIZ)
    return found + ([f"{wrong} self-tests do not have one right answer"] if wrong else [])


def _reasons(page: Any) -> list[str]:
    """Where the "Why?" of the labs in a page leads."""
    js = "links => links.map(link => link.href)"
    return [link for frame in page.frames[1:] for link in frame.eval_on_selector_all("a.why", js)]


def _reason(address: str, pages: dict[Path, Page]) -> list[str]:
    parts = urlsplit(address)
    return _leads(Path(unquote(parts.path)), f"{Path(unquote(parts.path)).name}#{parts.fragment}", pages)


def main(root: Path) -> int:
    """Print what is wrong; the exit code says whether anything is."""
    wrong = problems(root)
    print("\n".join(wrong) or "Every link leads somewhere, and nothing is loaded from elsewhere.")
    with chromium() as browser:
        if browser is None:
            print("No Chromium on this machine: the pages have not been looked at.")
            return int(bool(wrong))
        complaints = seen(root, browser) + _searched(root, browser)
    print("\n".join(complaints) or "In a browser no page complains, and nothing is empty.")
    return int(bool(wrong + complaints))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
