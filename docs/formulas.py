"""Formulas of the book as MathML, which browsers draw themselves: no script, no font and no network is needed."""

from typing import Any

from docutils import nodes
from latex2mathml.converter import convert


def mathml(formula: str, display: str = "inline") -> str:
    """The formula as browsers read it; refuses a command that would be shown as it is written."""
    found: str = convert(formula, display=display)
    if "\\" in found:
        raise ValueError(f"no browser can draw {formula!r}: latex2mathml does not know one of its commands")
    return found


def inline(translator: Any, node: nodes.math) -> None:
    """A formula in a line."""
    translator.body.append(f'<span class="formula">{mathml(node.astext())}</span>')
    raise nodes.SkipNode


def block(translator: Any, node: nodes.math_block) -> None:
    """A formula in a line of its own; where it is wider than a phone, it scrolls."""
    translator.body.append(f'<div class="formula" tabindex="0">{mathml(node.astext(), "block")}</div>\n')
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, Any]:
    """Sphinx calls this."""
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    app.config.html_math_renderer = "mathml"
    return {"parallel_read_safe": True}
