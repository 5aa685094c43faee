"""Whether a number as it was written is the true one, rounded."""

from math import isclose

__all__ = ["is_shown", "number"]


def number(text):
    """A number as it is written: 1,234 or −0.5 or 1e-08."""
    return float(text.replace(",", "").replace("−", "-"))


def is_shown(text, value, slack=1.01):
    """`text` is `value`, rounded in its last digit."""
    mantissa = text.lower().partition("e")[0].replace(",", "").lstrip("-+−")
    written = number(text)
    exponent = int(text.lower().partition("e")[2] or 0)
    unit = 10.0 ** (exponent - len(mantissa.partition(".")[2]))
    if "." not in mantissa:  # 6-digit formats drop zeros: 1200000 has fewer digits than it shows
        unit = max(unit, abs(written) * 1e-5) if abs(written) >= 1e5 else unit
    return isclose(written, float(value), rel_tol=1e-12, abs_tol=0.5 * unit * slack)
