"""Check a built site: every link inside it leads somewhere, and no page loads anything from elsewhere.

python docs/check_site.py docs/_build/html
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
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


def problems(root: Path) -> list[str]:
    """What is wrong with the site, a sentence each."""
    pages = {path: Page(path) for path in sorted(root.rglob("*.html")) if path.parent.name != "_static"}
    found = []
    for path, page in pages.items():
        for address in page.links + page.loads:
            parts = urlsplit(address)
            if parts.scheme or parts.netloc:
                if address in page.loads and parts.scheme != "data":
                    found.append(f"{path}: loads {address} from elsewhere")
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            if not target.exists():
                found.append(f"{path}: {address} leads nowhere")
            elif target in pages and unquote(parts.fragment) not in pages[target].places:
                found.append(f"{path}: {address} names a place that is not there")
    return found if pages else [f"{root} has no pages"]


if __name__ == "__main__":
    wrong = problems(Path(sys.argv[1]).resolve())
    print("\n".join(wrong) or "Every link leads somewhere, and nothing is loaded from elsewhere.")
    sys.exit(bool(wrong))
