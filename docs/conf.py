"""How the book is built: `make docs`. Offline, and a warning is an error."""

import os
import re
import sys
import warnings
from pathlib import Path
from typing import Any

os.environ.setdefault("MPLBACKEND", "Agg")
sys.path.insert(0, str(Path(__file__).parent))  # this folder's own extensions

from docutils import nodes

import rosenblatt

project = "rosenblatt"
author = "The authors of rosenblatt"
copyright = author  # noqa: A001 (Sphinx's name for it)
version = release = rosenblatt.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "commands",
    "picture",
    "embed",
    "formulas",
    "folding",
    "excerpts",
    "kit",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
]
templates_path = ["_templates"]
exclude_patterns = ["_build", "**/conftest.py", "kit/*", "gallery/*.md5", "gallery/*.ipynb", "gallery/*.py"]
default_role = "code"
show_warning_types = True

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

autosummary_generate = True
autodoc_typehints = "none"  # numpydoc's Parameters say it in words
numpydoc_show_class_members = False
toc_object_entries_show_parents = "hide"  # with the class before them, names of methods are cut in the margin
numpydoc_xref_param_type = False


sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"/plot_",
    "ignore_pattern": r"^(?!.*plot_)",
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 10_000,
    "write_computation_times": False,
    "copyfile_regex": r".*\.rst",
    "remove_config_comments": True,
    "default_thumb_file": str(Path(__file__).parent / "_static" / "verdicts.png"),
}
# sphinx-gallery keeps functions in its configuration, which Sphinx cannot store between builds
suppress_warnings = ["config.cache"]

html_theme = "pydata_sphinx_theme"
html_title = "rosenblatt"
html_static_path = ["_static"]
html_css_files = ["book.css"]
html_js_files = [("selftest.js", {"defer": "defer"}), ("theme.js", {"defer": "defer"})]
html_sidebars = {"index": [], "start": [], "lab": []}  # pages without sections below them
copybutton_prompt_text = r">>> |\.\.\. |\$ "  # what is copied can be run
copybutton_prompt_is_regexp = True
html_context = {"default_mode": "auto"}  # light or dark as the reader's system is; without it the theme complains
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "logo": {"text": "rosenblatt"},
    "navbar_align": "left",
    "header_links_before_dropdown": 8,
    "navbar_end": ["theme-switcher"],
    "show_nav_level": 1,
    "show_toc_level": 2,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": ["sphinx-version"],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
    "back_to_top_button": True,
    "show_version_warning_banner": False,
}

warnings.filterwarnings("ignore", message=".*FigureCanvasAgg is non-interactive.*")  # plt.show() of the gallery

_SPECIAL = re.compile(r"(?<!\\)[*|]|_(?=[\s,.;:)\]’]|$)")
_LABEL = re.compile(r"\s*\*\w+\.\*|")  # *Algorithm.* and its like are meant
_ENTRY = re.compile(r"[A-Z]{4,} {2,}\S")  # a word and what it means, in two columns


def plain_text(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Docstrings are plain text: a star is w*, a bar an absolute value, an underscore the end of `coef_`."""
    for k, line in enumerate(lines):
        if line.lstrip().startswith((">>>", "...", ".. ", ":")) or _in_example(lines, k):
            continue
        label = _LABEL.match(line).group()
        parts = line[len(label) :].split("`")
        lines[k] = label + "`".join(part if i % 2 else _SPECIAL.sub(r"\\\g<0>", part) for i, part in enumerate(parts))
        if _ENTRY.match(line):
            word, meaning = re.split(r" {2,}", lines[k], maxsplit=1)
            lines[k] = f"| **{word}** {meaning}"


def _in_example(lines: list[str], k: int) -> bool:
    """Whether line k is what an example above it prints."""
    while k >= 0 and lines[k].strip():
        if lines[k].lstrip().startswith(">>>"):
            return True
        k -= 1
    return False


def our_own(app: Any, what: str, name: str, obj: Any, skip: bool, options: Any) -> bool | None:
    """Leave out what a class inherits from elsewhere, and fields of which nothing is said: the signature has them."""
    if (getattr(obj, "__doc__", None) or "").startswith("Alias for field number"):
        return True
    return None if str(getattr(obj, "__module__", "rosenblatt")).startswith("rosenblatt") else True


def trimmed(app: Any, doctree: nodes.document) -> None:
    """Doctests end with an empty line, which a reader need not see."""
    for block in doctree.findall(nodes.literal_block):
        text = block.astext().rstrip()
        block.rawsource, block.children = text, [nodes.Text(text)]  # equal, or it is not highlighted


def setup(app: Any) -> None:
    """Sphinx calls this. Before numpydoc (500): its sections come out as markup, which must stay."""
    app.connect("autodoc-skip-member", our_own)
    app.connect("doctree-read", trimmed)
    app.connect("autodoc-process-docstring", plain_text, priority=400)
