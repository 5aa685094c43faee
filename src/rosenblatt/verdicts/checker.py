"""Check a certificate of separability. Standard library only; shares no code with the solver.

    python checker.py CERTIFICATE.json DATA.csv

With z = y·(x, 1), or y·x without intercept, a certificate proves one of

    complete   whole numbers w with z·w > 0 for every row;
    quasi      w with z·w ≥ 0 for every row and > 0 for some, and λ > 0 on rows with Σ λ z = 0 that span every row with
               z·w = 0: so no w at all has z·w > 0 for every row, and no other w leaves the plane rows off the plane;
    overlap    λ > 0 on rows with Σ λ z = 0 that span every row: every w with z·w ≥ 0 on all rows has z·w = 0 on all.

A complete certificate may prove two intervals too: of the theorem's margin, max min z·w/‖w‖, and (version 2) of the
street, max min z·w/‖w‖ with ‖w‖ without the bias, which is half the distance of the classes' convex hulls.
It may also say what becomes of each coefficient of a logistic regression (version 2, `coefficients`; see _fates).
Spanning is clear where `base` gives every such row a share in λ. Otherwise it is proved by a rank: the rows of λ have
rank at least d − |null| (modulo a prime, which can only lose rank), and the |null| independent vectors v with z·v = 0
show that all those rows together have no more.

Nothing here rounds. Version 3 says in `readings` what the numbers of each column are: {"power": k}, whole numbers times
10^k, for which each cell's text is taken as the fraction that it is; or {"binary": 64}, floats (32: float32), and the
text must be one that programs write for that float. Versions 1 and 2 knew floats only; in a column to which `decimals`
(version 2) gives a power k, a float stands for the decimal m/10^k that it is nearest to.

With a `model` (from version 2 on) the rows z are those of another likelihood, see MODELS: its maximum-likelihood
estimate exists exactly where they overlap. Some rows are equalities, z·w = 0, on which `free` has numbers of either
sign: Σ λ z + Σ free z = 0, and λ's rows span all others of the plane together with the equalities.
Exit status: 0 it holds, 1 it does not, 2 it is not about these data, or a file cannot be read.
"""

import codecs
import csv
import hashlib
import json
import re
import sys
from array import array
from bisect import bisect_left, bisect_right
from datetime import datetime
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, localcontext
from fractions import Fraction
from itertools import accumulate, combinations_with_replacement, product
from math import comb, inf, prod
from struct import pack, unpack

PRIME = (1 << 61) - 1
LONGEST_FILE = 1 << 28  # bytes of a certificate
LONGEST_NUMBER = 1 << 16  # hexadecimal digits, or this many for each weight if that is more: far above any honest proof
DIGITS_A_WEIGHT = 1 << 10
WIDEST_TABLE = 1 << 20  # columns of X
MANY = 16  # a row of a Cox model that needs more times than this before its last is compared by a tree
MOST_DECIMALS, LARGEST_DECIMAL = 15, 10**15  # digits that float64 tells apart
FARTHEST_POWER = 2000  # the largest exponent of ten that a reading, or a number, may have, either way
COMMON = {"format": str, "verdict": str, "n": int, "p": int, "fit_intercept": bool, "layout": str, "data_sha256": str}
COMMON |= {"classes": list, "features": list, "table": dict}


class DoesNotHold(Exception):
    """The certificate does not hold; the message says why."""


class OtherData(Exception):
    """The certificate is about other data."""


BLOCK = 65536  # rows that are hashed together
MOST_DIGITS = 31  # of a number
DIGITS = r"\d(?:_?\d)*"
NUMBER = re.compile(rf"([-+]?)(?:({DIGITS})(?:\.({DIGITS})?)?|\.({DIGITS}))(?:[eE]([-+]?{DIGITS}))?", re.ASCII)


def check(certificate, X, y, **columns):
    """Check a certificate (a dict) on rows X and labels y (−1 or +1). Returns what is proved.

    X has lists of numbers: floats, or texts of numbers where floats would not be what was written.

    With a model, y and the further columns are numbers as it has them; fixed_effects and items are lists of columns.
    Classes, levels, groups, effects and items are names of the certificate's lists, or places in them (from 0). Names
    are looked up, so lists in another order are about other data. Who gives places vouches for what they stand for.
    """
    n, p, bias, kind = _strict_fields(certificate)
    model = certificate.get("model")
    if n != len(X) or any(len(x) != p for x in X):
        raise OtherData(f"it is about {n} rows and {p} columns")
    readings = certificate.get("readings")  # version 3
    if readings is None:
        data = _model_columns(model, n, {"y": y} | columns) if model else _label_columns(n, y, columns)
        if certificate["data_sha256"] != digest(X, y, certificate["layout"], data):
            raise OtherData("the data have another hash")
        if any(v - v for x in X for v in x):  # nan, which counts as true
            raise OtherData("a value is not a finite number")
        powers = certificate.get("decimals", [None] * p)
        ten = 10 ** max((k or 0 for k in powers), default=0)  # all rows times this: no decimal is left
        values = [_decimal_values(x, powers, ten) for x in X]
    else:
        X = [[_number_as(v, reading) for v, reading in zip(x, readings, strict=False)] for x in X]
        own = dict(zip(numbers_of_model(model), readings[p:], strict=True))
        data = _model_columns(model, n, {"y": y} | columns, own) if model else _label_columns(n, y, columns)
        if certificate["data_sha256"] != digest_of_blocks(X, data, certificate["layout"], readings, own):
            raise OtherData("the data have another hash")
        data |= {name: [_fraction(v, reading) for v in data[name]] for name, reading in own.items()}
        ten = 10 ** max([0, *(-one.get("power", 0) for one in readings[:p])])
        values = [_read_values(x, readings, ten) for x in X]
    made = MODELS[model["name"] if model else ""](values, data, model, p, bias, ten)
    signs = _signs(certificate, made)
    plane = [i for i, s in enumerate(signs) if s == 0]
    _because(certificate, made, p, bias)
    fates = _fates(certificate, made, signs, plane, ten) if "coefficients" in certificate else ()
    mixture, ends = {}, {}
    if kind == "complete":
        found = [name for name in ("margin", "street") if name in certificate]
        ends = {name: _interval(name, certificate, made, ten) for name in found}
    else:
        mixture = _vanishing_mixture(certificate, made, plane)
    if model:
        many, silent = len(signs) - len(made.equal), kind == "overlap" and _silent(made, model["name"], p)
        return proved_of_model(model["name"], kind, sum(signs), many, fates, silent)
    return proved(kind, n, len(plane), len(mixture), ends, fates)


class _Rows:
    """The rows z, all times one number, each a list of (column, integer, exponent): value = integer · 2^exponent.

    d is how many weights there are, `names` what λ calls the rows, `equal` which rows are equalities.
    """

    def __init__(self, d):
        self.d, self.z, self.names, self.equal, self.place = d, [], [], set(), {}

    def add(self, name, z, equal=False):
        self.place[name] = len(self.z)
        self.equal |= {len(self.z)} if equal else set()
        self.names.append(name)
        self.z.append(z)


def _signs(certificate, made):
    """The sign of z·w on every row; refuses a w that has a row on the wrong side."""
    if certificate["verdict"] == "overlap":
        return [0] * len(made.z)
    w = vector(certificate["w"], made.d)
    signs = [_sign(z, w) for z in made.z]
    if any(signs[i] for i in made.equal):
        raise DoesNotHold("an equality does not hold for w")
    lowest, highest = min(signs, default=0), max(signs, default=0)
    if lowest < 0 or highest == 0 or (certificate["verdict"] == "complete" and lowest == 0):
        raise DoesNotHold(f"row {made.names[signs.index(lowest)] if signs else 0} is not where w should have it")
    return signs


def _because(certificate, made, p, bias):
    """Refuse weights that should separate by few columns alone, and do not."""
    last = made.d - bias
    for entry in short_list(certificate.get("because", []), made.d):
        if not isinstance(entry, dict) or set(entry) != {"columns", "w"}:
            raise DoesNotHold("its because does not have the fields of such")
        columns, w = short_list(entry["columns"], made.d), vector(entry["w"], made.d)
        if not columns or columns != sorted({j for j in columns if type(j) is int and 0 <= j < last}):
            raise DoesNotHold("its because names columns that are not there, or not in their order")
        if any(v and j < last and j not in columns for j, v in enumerate(w)):
            raise DoesNotHold("weights of its because are not 0 elsewhere")
        _signs({"verdict": certificate["verdict"], "w": entry["w"]}, made)


def _vanishing_mixture(certificate, made, plane):
    """λ; refuses a mixture that does not vanish, or whose rows and the equalities do not span the plane."""
    mixture = _lambda_on(certificate, made, [i for i in plane if i not in made.equal])
    free = {}
    for name, value in certificate.get("free", {}).items():
        if made.place.get(name) not in made.equal:
            raise DoesNotHold("free names a row that is no equality")
        free[made.place[name]] = number(value, made.d)
    if any(_mixed(made, mixture | free)[0]):
        raise DoesNotHold("the mixture does not vanish")
    if "base" not in certificate:  # with it λ is positive on all inequalities of the plane
        _spans([*mixture, *made.equal], certificate["null"], made, plane)
    return mixture


def _spans(spanning, null, made, plane):
    """The vectors of null; refuses unless `spanning` rows span the plane.

    The vectors are independent and 0 on the plane, so its rank is at most d − |null|; these rows have that rank.
    """
    null = [vector(v, made.d) for v in short_list(null, made.d)]
    if _rank(map(enumerate, null)) < len(null):
        raise DoesNotHold("directions to which rows do not respond are dependent")
    if any(_sign(made.z[i], v) for i in plane for v in null):
        raise DoesNotHold("a row responds to a direction to which it should not")
    if _rank(_whole_row(made.z[i]) for i in spanning) < made.d - len(null):
        raise DoesNotHold("some rows do not span the others")
    return null


def _fates(certificate, made, signs, plane, ten):
    """The kind of each coefficient; refuses a kind that is not proved.

    `null` is all to which no row responds, `open` all to which no plane row does (complete: everything; overlap: null).
    not identified: some v in null has v_j ≠ 0. finite: no v in open has, so e_j is a combination of plane rows.
    ±inf: ±scale·e_j less Σ μ z over strict rows, μ > 0, is at right angles to open, so such a combination: w_j has
    that sign in every w that separates as this one does. undetermined: some such w has w_j = 0, and can be tilted.
    """
    entry, kind, d = certificate["coefficients"], certificate["verdict"], made.d
    if not isinstance(entry, dict) or set(entry) != {"rows", "null", "each"} | ({"open"} if kind == "quasi" else set()):
        raise DoesNotHold("its coefficients do not have the fields of such")
    names, each = short_list(entry["rows"], d), short_list(entry["each"], d)
    known = str if "model" in certificate else int  # with a model, rows are called by λ's names, otherwise by numbers
    if not all(type(i) is known and str(i) in made.place for i in names) or len({*names}) < len(names) or len(each) < d:
        raise DoesNotHold("coefficients are missing, or name a row that is not there, or one twice")
    rows = [made.place[str(i)] for i in names]
    sides = [signs[i] for i in rows]
    null = _spans(rows, entry["null"], made, range(len(signs)))
    if len(rows) + len(null) > d or sides != sorted(sides):
        raise DoesNotHold("the rows of coefficients are dependent, or do not begin with those on the plane")
    opened = null if kind == "overlap" else [[int(i == j) for i in range(d)] for j in range(d)]
    if kind == "quasi":
        opened = _spans([i for i in rows if not signs[i]], entry["open"], made, plane)
        if len(opened) > d - sides.count(0):
            raise DoesNotHold("the rows of coefficients and open are not as many as weights")
    newest = "readings" in certificate
    return [_fate_proved(fate, j, made, signs, null, opened, ten, newest) for j, fate in enumerate(each)]


def _fate_proved(entry, j, made, signs, null, opened, ten, newest):
    kind = entry.get("kind") if isinstance(entry, dict) else None
    if newest and entry == {"kind": "open"}:  # nothing is claimed of it
        return "open"
    fields = {"not identified": set(), "finite": set(), "undetermined": {"separating"}}
    fields |= {infinite: {"strict", "scale"} for infinite in ("+inf", "-inf")}
    if not isinstance(kind, str) or kind not in fields or set(entry) != {"kind"} | fields[kind]:
        raise DoesNotHold("a coefficient does not have the fields of its kind")
    if (kind == "not identified") != any(v[j] for v in null):
        raise DoesNotHold(f"null does not show whether coefficient {j} is identified")
    if kind != "not identified" and (kind == "finite") == any(v[j] for v in opened):
        raise DoesNotHold(f"the open directions do not show whether coefficient {j} is finite")
    if kind == "undetermined":
        w = vector(entry["separating"], made.d)
        if w[j] or not any(signs) or any(_sign(z, w) != s for z, s in zip(made.z, signs, strict=True)):
            raise DoesNotHold(f"the weights that leave coefficient {j} out do not, or do not separate")
    if "strict" in entry:
        mixture = _lambda_on({"lambda": entry["strict"]}, made, [i for i, s in enumerate(signs) if s > 0])
        total, low = _mixed(made, mixture)
        scale, sign = number(entry["scale"], made.d) * ten, 1 if kind == "+inf" else -1
        left = [_shifted(sum(a * b for a, b in zip(total, v, strict=True)), low) for v in opened]
        if scale <= 0 or left != [_shifted(sign * scale * v[j], -low) for v in opened]:
            raise DoesNotHold(f"strict rows do not combine to coefficient {j}")
    return kind


# ------------------------------------------------------------------------------------------------- the rows of models
# Each takes the rows' values (times `ten`), the columns by name, the certificate's model, p, and if there is a bias.


def _labelled(values, data, model, p, bias, ten):
    """Without a model: y·(x, 1)."""
    made = _Rows(p + bias)
    for i, (x, label) in enumerate(zip(values, data["y"], strict=True)):
        made.add(str(i), _signed(label, [*x, (p, ten, 0)] if bias else x))
    return made


def _counting(values, data, model, p, bias, ten):
    """±(x, 1), where x goes on with a column for each level but the first of every set of effects.

    logistic: + for the second class; binomial, k of m: + if k > 0 and − if k < m; Poisson: − for 0, equal for others.
    """
    starts = list(accumulate((len(levels) - 1 for levels in model.get("effects", ())), initial=p))
    made = _Rows(starts[-1] + bias)
    for i, x in enumerate(values):
        effects = zip(starts, data.get("fixed_effects", ()), strict=False)
        x = [*x, *((start + codes[i] - 1, ten, 0) for start, codes in effects if codes[i])]
        x = [*x, (starts[-1], ten, 0)] if bias else x
        if model["name"] == "binomial":
            for way, there in ((1, data["y"][i] > 0), (0, data["y"][i] < data["trials"][i])):
                if there:
                    made.add(f"{i}:{way}", _signed(2 * way - 1, x))
        else:
            made.add(str(i), _signed(1 if data["y"][i] else -1, x), model["name"] == "poisson" and data["y"][i] > 0)
    return made


def _multinomial(values, data, model, p, bias, ten):
    """Each row against each other class k: (x, 1) in the block of its own class, −(x, 1) in that of k; none for 0."""
    width, many = p + bias, len(model["classes"])
    made = _Rows(width * (many - 1))
    for i, (x, own) in enumerate(zip(values, data["y"], strict=True)):
        x = [*x, (p, ten, 0)] if bias else x
        for other in range(many):
            if other != own:
                blocks = [(k, sign) for k, sign in ((own, 1), (other, -1)) if k]
                made.add(f"{i}:{other}", [((k - 1) * width + j, sign * m, e) for k, sign in blocks for j, m, e in x])
    return made


def _ordinal(values, data, model, p, bias, ten):
    """x·β lies between the thresholds beside the row's level; an inner level without rows has none of its own."""
    kept = sorted({0, len(model["levels"]) - 1, *data["y"]})
    made = _Rows(p + len(kept) - 1)
    for i, (x, level) in enumerate(zip(values, data["y"], strict=True)):
        k = kept.index(level)  # thresholds are numbered from 1
        if k < len(kept) - 1:
            made.add(f"{i}:{k + 1}", _signed(-1, [*x, (p + k, -ten, 0)]))
        if k > 0:
            made.add(f"{i}:{k}", [*x, (p + k - 1, -ten, 0)])
    return made


def _sequential(values, data, model, p, bias, ten):
    """x·β is above the thresholds of the levels that a row has passed, and below that of the level it stays at."""
    last = len(model["levels"]) - 1
    made = _Rows(p + last)
    for i, (x, level) in enumerate(zip(values, data["y"], strict=True)):
        for k in range(min(level + 1, last)):  # thresholds are numbered from 1
            made.add(f"{i}:{k + 1}", _signed(1 if k < level else -1, [*x, (p + k, -ten, 0)]))
    return made


def _paired(values, data, model, p, bias, ten):
    """x = x_a − x_b, or a weight for each item but the first; −x where b won, and an equality for a draw."""
    made = _Rows(len(model["items"]) - 1 if "items" in model else p)
    for i, (x, won) in enumerate(zip(values, data["y"], strict=True)):
        if "items" in model:
            a, b = (column[i] for column in data["items"])
            x = [(item - 1, sign * ten, 0) for item, sign in ((a, 1), (b, -1)) if item and a != b]
        made.add(str(i), _signed(1 if won else -1, x), won == 0.5)
    return made


def _conditional(values, data, model, p, bias, ten):
    """Each case of a set against each other row of it."""
    sets = {}
    for i, (group, case) in enumerate(zip(data["groups"], data["y"], strict=True)):
        sets.setdefault(group, ([], []))[1 - case].append(i)
    made = _Rows(p)
    _add_set_rows(made, values, sets, ten, str)
    return made


def _cox(values, data, model, p, bias, ten):
    """Each event against all who are at risk then, by few comparisons: docs/explanation/existence.md has the proof.

    Times of events are numbered, stratum by stratum; a row is at risk at those from `first` to `last`, without its own.
    """
    n, exact = len(values), model["ties"] == "exact"
    strata, entry = data.get("groups", [0] * n), data.get("entry", [-inf] * n)
    when = list(zip(strata, data["time"], strict=True))
    times = sorted({one for one, event in zip(when, data["event"], strict=True) if event})
    first = [bisect_right(times, (strata[i], entry[i])) for i in range(n)]
    last = [bisect_right(times, when[i]) - 1 - data["event"][i] for i in range(n)]
    events = {k: [] for k in range(len(times))}
    for i in sorted(range(n), key=lambda i: entry[i]):
        if data["event"][i]:
            events[last[i] + 1].append(i)
    made, tied = _Rows(p), set()
    for k, (lead, *others) in events.items():
        if not exact:  # tied events are equal to the first of them
            for i in others:
                made.add(f"{lead}:{i}", _minus(values[lead], values[i]), True)
            tied |= set(others)
            events[k] = [lead]
    _add_set_rows(made, values, _risk_sets(events, first, last, set(range(n)) - tied), ten, lambda i, k: f"{i}:{n + k}")
    return made


def _risk_sets(events, first, last, rows):
    """Sets of events and of rows at risk at all of them: one for each time, and nodes of a tree.

    A time covers an earlier one if an event of it was at risk then. A row needs its last time, and those before that no
    later one covers. A row that needs more than MANY of these has nodes that make up all times not covered by the next.
    """
    earliest = {k: min(first[i] for i in some) for k, some in events.items()}
    before, open_ = {}, []  # the last time before each that neither it nor a time between covers
    for k in events:
        while open_ and open_[-1] >= earliest[k]:
            open_.pop()
        before[k] = open_[-1] if open_ else -1
        open_.append(k)
    ends = [k for k in range(len(events) - 1) if earliest[k + 1] > k]
    size = 1 << max(len(ends) - 1, 0).bit_length()
    sets = {k: (events[k], []) for k in events}
    for j in sorted(rows):
        needed, k = [], last[j]
        while k >= first[j] and len(needed) < MANY + 2:
            needed.append(k)
            k = before[k]
        if len(needed) == MANY + 2:
            needed = needed[:1] + [
                ends[node - size] if node >= size else len(events) + node
                for node in _nodes(*(size + bisect_left(ends, time) for time in (first[j], last[j])))
            ]
        for k in needed:
            sets.setdefault(k, ([], []))[1].append(j)
    for leaf, k in enumerate(ends, size):
        for height in range(1, leaf.bit_length()):
            if len(events) + (leaf >> height) in sets:
                sets[len(events) + (leaf >> height)][0].extend(events[k])
    return sets


def _silent(made, name, p):
    """Whether no comparison depends on a coefficient: every z is 0, or rows beside the same unknown are all equal."""
    width, beside = p if name in ("conditional", "cox") else made.d, {}
    for z in made.z:
        x, unknown = [one for one in z if one[0] < width], [one for one in z if one[0] >= width]
        if unknown:  # ±(x, −u)
            x = _signed(-1 if unknown[0][1] > 0 else 1, x)
        if x != (beside.setdefault(unknown[0][0], x) if unknown else []):
            return False
    return width > 0


def _nodes(low, high):
    """The nodes of a binary tree that make up its leaves from low to high − 1; 2N and 2N + 1 are N's children."""
    while low < high:
        yield from [low] * (low % 2) + [high - 1] * (high % 2)
        low, high = (low + 1) // 2, high // 2


def _add_set_rows(made, values, sets, ten, name):
    """Each row of a set's first part against each of its second; through an unknown between, if both have several rows.

    Unknowns come after the other weights, in the order of the sets that have one.
    """
    for number, (above, below) in sorted(sets.items()):
        if min(len(above), len(below)) < 2:
            for i, j in product(above, below):
                made.add(f"{i}:{j}", _minus(values[i], values[j]))
            continue
        for side, (rows, sign) in enumerate(((above, 1), (below, -1))):
            for i in rows:
                called = str(i) if name is str else name(i, 2 * number + side)
                made.add(called, _signed(sign, [*values[i], (made.d, -ten, 0)]))
        made.d += 1


def _minus(a, b):
    """The difference of two rows."""
    found = {j: (m, e) for j, m, e in a}
    for j, k, f in b:
        m, e = found.get(j, (0, f))
        low = min(e, f)
        found[j] = (m << (e - low)) - (k << (f - low)), low
    return [(j, m, e) for j, (m, e) in sorted(found.items()) if m]


MODELS = {
    "": _labelled,
    "logistic": _counting,
    "binomial": _counting,
    "poisson": _counting,
    "multinomial": _multinomial,
}
MODELS |= {"ordinal": _ordinal, "conditional": _conditional, "cox": _cox, "paired": _paired, "sequential": _sequential}
# which columns a model has besides y, which it may have, and which lists say what its codes stand for
NEEDED = {"binomial": {"trials"}, "conditional": {"groups"}, "cox": {"time", "event"}}
OPTIONAL = {"cox": {"entry", "groups"}, "paired": {"items"}}
OPTIONAL |= {name: {"fixed_effects"} for name in ("logistic", "binomial", "poisson")}
LISTS = {"logistic": {"classes"}, "multinomial": {"classes"}, "ordinal": {"levels"}, "sequential": {"levels"}}
SEVERAL = {"fixed_effects", "items"}  # of those there are several columns
ORDER = ("y", "trials", "groups", "time", "event", "entry", "fixed_effects", "items")  # in which they are hashed
NUMBERS = {"binomial": ("y", "trials"), "poisson": ("y",), "paired": ("y",), "cox": ("time", "entry")}  # no codes


def numbers_of_model(model):
    """The columns besides X that are numbers, in their order; they have readings in version 3."""
    names = NUMBERS.get(model["name"], ()) if model else ()
    return [name for name in names if name == "y" or name in model["columns"]]


def model_schema(model, p, bias):
    """Refuse a model that this checker does not know, or that has other fields than its own."""
    name = model.get("name") if isinstance(model, dict) else None
    if not isinstance(name, str) or not name or name not in MODELS:
        raise DoesNotHold("it has an unknown model")
    columns = _field(model, "columns", dict)
    if not NEEDED.get(name, set()) <= set(columns) <= NEEDED.get(name, set()) | OPTIONAL.get(name, set()):
        raise DoesNotHold("its model does not have the columns of such")
    lists = LISTS.get(name, set()) | {"groups", "items"} & set(columns)
    fields = {"name", "columns", *lists} | ({"ties"} if name == "cox" else set())
    if set(model) != fields | ({"effects"} if "fixed_effects" in columns else set()):
        raise DoesNotHold("its model does not have the fields of such")
    if name == "cox" and model["ties"] not in ("efron", "breslow", "exact"):
        raise DoesNotHold("it has unknown ties")
    for argument, column in columns.items():
        _listed(column if argument in SEVERAL else [column], 1)
    sizes = [
        _listed(model[field], 1 + (name in ("multinomial", "ordinal", "sequential")), True) for field in sorted(lists)
    ]
    sets = len(columns.get("fixed_effects", ()))
    sizes += [_listed(levels, 1, True) for levels in short_list(model.get("effects", []), sets)]
    if not all(map(in_order, [model[field] for field in lists & {"groups", "items"}] + model.get("effects", []))):
        raise DoesNotHold("its groups, effects or items are not sorted")
    if sets != len(model.get("effects", ())) or len(columns.get("items", "ab")) != 2:
        raise DoesNotHold("its model has another number of columns than of lists")
    if bias and MODELS[name] not in (_counting, _multinomial):
        raise DoesNotHold(f"a {name} model has no intercept")
    if ("effects" in model and not bias) or (name == "logistic" and sizes[0] > 2):
        raise DoesNotHold("its effects need an intercept, or it has more than two classes")
    if sum(sizes) * (p + 1) > WIDEST_TABLE:
        raise DoesNotHold("its model has too many weights")


def same_classes(certificate):
    """Whether the classes that every certificate lists are those of its model, or none where the model has none."""
    return certificate["classes"] == certificate["model"].get("classes", [])


def _listed(listed, least, different=False):
    """How many names a list has; refuses what is no such list."""
    if not isinstance(listed, list) or len(listed) < least or not all(isinstance(one, str) for one in listed):
        raise DoesNotHold("a list of its model is too short, or not of names")
    if different and len(set(listed)) < len(listed):
        raise DoesNotHold("a list of its model has a name twice")
    return len(listed)


def in_order(names):
    """Whether names are sorted, as text or, where all are numbers, as numbers.

    >>> in_order(["9", "10"]), in_order(["10", "9"]), in_order(["b", "a"])
    (True, True, False)
    """
    plain = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?|-?inf", re.ASCII)
    return names == sorted(names) or (all(map(plain.fullmatch, names)) and names == sorted(names, key=Decimal))


def _label_columns(n, y, columns):
    """The columns of a certificate without a model: y alone."""
    if columns or y is None or n != len(y) or any(t not in (-1, 1) for t in y):
        raise OtherData(f"it is about {n} rows with two classes")
    return {"y": array("b", map(int, y))}


def _model_columns(model, n, given, readings=()):
    """A model's columns as arrays, in the order in which they are hashed: codes as int64, other numbers as float64.

    Columns with readings (version 3) become lists of whole numbers or floats.

    Groups, effects and items are numbered by a list of those that are there.
    """
    name = model["name"]
    wanted = {*model["columns"], *["y"] * (name != "cox")}
    if {argument for argument, values in given.items() if values is not None} != wanted:
        raise OtherData(f"it is about the columns {', '.join(sorted(wanted))}")
    known = {argument: [model[argument]] for argument in ("groups", "items") if argument in model}
    known |= {"fixed_effects": model.get("effects", []), "event": [[0, 1]]}
    if name not in ("binomial", "poisson", "paired"):
        known["y"] = [model.get("classes") or model.get("levels") or [0, 1]]
    found = {}
    for argument in filter(wanted.__contains__, ORDER):
        columns = given[argument] if argument in SEVERAL else [given[argument]]
        lists = known.get(argument, [None]) * (2 if argument == "items" else 1)
        if len(columns) != len(lists):
            raise OtherData(f"it is about another number of {argument}")
        if argument in readings:
            columns = [[_number_as(v, readings[argument]) for v in one] for one in columns]
        read = [
            _codes_of(argument, one, n, listed, argument in readings)
            for one, listed in zip(columns, lists, strict=True)
        ]
        if argument in ("groups", "fixed_effects", "items"):
            used = [set().union(*read)] if argument == "items" else read
            if any(len(set(one)) < len(listed) for one, listed in zip(used, known[argument], strict=True)):
                raise DoesNotHold(f"it lists {argument} that are not there")
        found[argument] = read if argument in SEVERAL else read[0]
    _sound(name, found | {one: [_fraction(v, readings[one]) for v in found[one]] for one in readings})
    return found


def _codes_of(argument, values, n, listed, known=False):
    """One column: places in a list, which names are turned into, or finite numbers (`known`: read already)."""
    if known:
        if len(values) != n:
            raise OtherData(f"{argument} does not hold one value for each row that the certificate knows")
        return values
    try:
        if listed is not None and len(values) and all(isinstance(v, str) for v in values):
            places = {name: place for place, name in enumerate(listed)}
            values = [places.get(v, -1) for v in values]
        found = array("d", (v + 0.0 for v in values)) if listed is None else array("q", values)
    except (TypeError, OverflowError):
        raise OtherData(f"{argument} does not hold what it should") from None
    if len(found) != n or any(v - v if listed is None else not 0 <= v < len(listed) for v in found):
        raise OtherData(f"{argument} does not hold one value for each row that the certificate knows")
    return found


def _sound(name, data):
    """Refuse what no data of a model are."""
    y, rows = data.get("y"), range(len(next(iter(data.values()))))
    wrong = name == "binomial" and any(not 0 <= y[i] <= data["trials"][i] for i in rows)
    wrong = wrong or (name == "poisson" and min(y) < 0) or (name == "paired" and not set(y) <= {0, 0.5, 1})
    wrong = wrong or ("entry" in data and any(data["entry"][i] >= data["time"][i] for i in rows))
    if wrong:
        raise OtherData(f"the columns are not those of a {name} model")


# ------------------------------------------------------------------------------------------------ what a certificate is


def proved(kind, n, plane, rows, ends=(), fates=()):
    """What a certificate that holds has proved; `ends` are intervals by their names, `fates` kinds of coefficients."""
    claims = [f"complete: w has each of the {n} rows strictly on its side"]
    if kind == "quasi":
        claims = [f"quasi: no row is on the wrong side, {plane} of {n} rows lie on every such hyperplane"]
    if kind == "overlap":
        claims = [f"overlap: {rows} rows have mixtures that coincide; no hyperplane separates, not even touching"]
    for name, words in (("margin", "the theorem's margin"), ("street", "half the width of the widest street")):
        if name in ends:
            lower, upper = map(_decimal, ends[name], (ROUND_FLOOR, ROUND_CEILING))
            claims.append(f"{words} lies between {lower} and {upper}")
    return ", and ".join(claims) + (f"; of {len(fates)} coefficients {_fates_counted(fates)}" if fates else "")


def proved_of_model(name, kind, strict, many, fates=(), silent=False):
    """The same with a model: `strict` of `many` comparisons can be made certain; `silent`: none depends on a weight."""
    claim = f"overlap: the maximum-likelihood estimate of this {name} model exists"
    if silent:
        claim = f"overlap: nothing is identified, the likelihood of this {name} model is constant"
    if kind != "overlap":
        none = f"this {name} model has no maximum-likelihood estimate"
        claim = f"{kind}: {none}, {strict} of {many} comparisons are certain"
    return claim + (f"; of {len(fates)} weights {_fates_counted(fates)}" if fates else "")


def _fates_counted(fates):
    """How many coefficients go where.

    >>> _fates_counted(["+inf", "finite", "+inf"])
    '1 is finite, 2 run to +∞'
    """
    words = {"finite": "is finite|are finite", "+inf": "runs to +∞|run to +∞", "-inf": "runs to −∞|run to −∞"}
    words |= {kind: f"is {kind}|are {kind}" for kind in ("undetermined", "not identified")}
    counts = {kind: fates.count(kind) for kind in words}
    return ", ".join(f"{many} {words[kind].split('|')[many > 1]}" for kind, many in counts.items() if many)


def _strict_fields(certificate):
    """n, p, fit_intercept and the verdict, of a certificate that has exactly the fields of its verdict and version."""
    for name, kind in COMMON.items():
        _field(certificate, name, kind)
    n, p, bias, verdict = (certificate[name] for name in ("n", "p", "fit_intercept", "verdict"))
    if certificate["format"] not in [f"rosenblatt-certificate/{version}" for version in (1, 2, 3)]:
        raise DoesNotHold("it has an unknown format")
    version = int(certificate["format"][-1])
    if certificate["layout"] not in ("dense", "csr") or verdict not in ("complete", "quasi", "overlap") or n < 1:
        raise DoesNotHold("it has an unknown layout or verdict, or no rows")
    fields = set(certificate) - set(COMMON)
    span = {"lambda", "base" if "base" in fields else "null"}
    needed = {"complete": {"w"}, "quasi": {"w"} | span, "overlap": span}[verdict]
    newer = {1: set(), 2: {"coefficients", "decimals"}, 3: {"coefficients"}}[version]
    if version == 3:
        needed |= {"readings"}
        newer |= set() if verdict == "overlap" else {"because"}
    if "model" in fields and newer:
        model_schema(certificate["model"], p, bias)
        needed |= {"model"} | (set() if verdict == "complete" else {"free"})
        if not isinstance(certificate.get("free", {}), dict) or not same_classes(certificate):
            raise DoesNotHold("its free is not an object, or its classes are not those of its model")
    elif verdict == "complete":
        newer |= {"margin"} | ({"street"} if bias and newer else set())
    if not needed <= fields <= needed | newer:
        raise DoesNotHold("its fields are not those of its verdict and version")
    if version == 3:
        many = p + len(numbers_of_model(certificate.get("model")))
        if len(short_list(certificate["readings"], many)) < many or not all(map(is_reading, certificate["readings"])):
            raise DoesNotHold("its readings are not one for each column")
    if "decimals" in fields:
        powers = short_list(certificate["decimals"], p)
        if len(powers) < p or not any(powers) or any(k is not None and type(k) is not int for k in powers):
            raise DoesNotHold("its decimals are not one power of ten a column")
        if any(not 0 <= (k or 0) <= MOST_DECIMALS for k in powers):
            raise DoesNotHold("it has a power of ten whose decimals floats do not tell apart")
    return n, p, bias, verdict


def digest(X, y, layout="dense", columns=None):
    """SHA-256 over X as little-endian float64, −0.0 as 0.0, then y as int8; csr: row starts, columns, other values.

    A model's `columns` (arrays) stand for y: codes as little-endian int64, other numbers as float64.
    """
    h = hashlib.sha256()
    if layout == "csr":
        places = [[j for j, v in enumerate(x) if v] for x in X]
        h.update(_little_endian("q", accumulate(map(len, places), initial=0)))
        for part in places:
            h.update(_little_endian("q", part))
        X = [[v for v in x if v] for x in X]
    for x in X:
        h.update(_little_endian("d", (v + 0.0 for v in x)))
    for values in columns.values() if columns else [array("b", y)]:
        for one in values if isinstance(values, list) else [values]:
            h.update(_little_endian(one.typecode, one))
    return h.hexdigest()


def digest_of_blocks(X, columns, layout, readings, own):
    """The hash of version 3: the readings, then the digests of blocks of rows.

    X and the columns with readings (`own`) are whole numbers or floats, other columns are arrays of codes or labels.
    """
    n, p = len(X), len(readings) - len(own)
    text = [j for j in range(p) if "power" in readings[j] and not all(-(1 << 63) <= x[j] < 1 << 63 for x in X)]
    h = hashlib.sha256(json.dumps(readings, separators=(",", ":")).encode())
    for start in range(0, n, BLOCK):
        block, some = hashlib.sha256(), X[start : start + BLOCK]
        if layout == "csr":
            places = [[j for j, v in enumerate(x) if v] for x in some]
            block.update(_little_endian("q", accumulate(map(len, places), initial=0)))
            block.update(_little_endian("q", (j for part in places for j in part)))
        kept = [[(j, v) for j, v in enumerate(x) if v or layout == "dense"] for x in some]
        for row in kept:
            block.update(b"".join(_eight(v) for j, v in row if j not in text))
        for column in text:
            block.update("".join(f"{v}," for row in kept for j, v in row if j == column).encode())
        for name, values in columns.items():
            part = slice(start, start + BLOCK)
            if name in own and all(type(v) is float or -(1 << 63) <= v < 1 << 63 for v in values):
                block.update(b"".join(map(_eight, values[part])))
            elif name in own:
                block.update("".join(f"{v}," for v in values[part]).encode())
            else:
                for one in values if isinstance(values, list) else [values]:
                    block.update(_little_endian(one.typecode, one[part]))
        h.update(block.digest())
    return h.hexdigest()


def _eight(value):
    """A float, or a whole number, in 8 bytes; −0.0 is 0.0."""
    return pack("<d", value + 0.0) if type(value) is float else pack("<q", value)


def is_reading(entry):
    """Whether this is the reading of a column."""
    if not isinstance(entry, dict) or len(entry) != 1:
        return False
    ((kind, value),) = entry.items()
    if type(value) is not int:
        return False
    return value in (32, 64) if kind == "binary" else kind == "power" and abs(value) <= FARTHEST_POWER


def as_written(text):
    """(m, e) of a number's text, which is m·10^e, without zeros at the end of m.

    >>> as_written("-12.50"), as_written("0.0"), as_written("7e+3")
    ((-125, -1), (0, 0), (7, 3))
    """
    found = NUMBER.fullmatch(text.strip(" \t\n\r\f\v"))
    if not found or len(found[5] or "") > 6:
        raise OtherData(f"{text!r} is not a number")
    sign, before, *after, exponent = ((part or "").replace("_", "") for part in found.groups())
    places = "".join(after)
    digits = (before + places).lstrip("0")
    m, e = digits.rstrip("0"), int(exponent or 0) - len(places)
    if len(m) > MOST_DIGITS or abs(e) > FARTHEST_POWER:
        raise OtherData(f"{text!r} has more than {MOST_DIGITS} digits, or too long an exponent")
    return (int(sign + m), e + len(digits) - len(m)) if m else (0, 0)


def _number_as(value, reading):
    """A value, float or text, by the reading of its column: the whole number value / 10^power, or the float."""
    if isinstance(value, str):
        m, e = as_written(value)
    elif isinstance(value, int):
        m, e = as_written(str(value))
    else:
        if value - value:  # nan, which counts as true
            raise OtherData("a value is not a finite number")
        m, e = as_written(repr(float(value)))
    if "power" not in reading:
        return _float_of(value, m, e, reading["binary"])
    if not isinstance(value, (str, int)) and abs(m) >= LARGEST_DECIMAL:
        raise OtherData(f"the float {value} is no decimal of 15 digits, as its column's reading says")
    if m and e < reading["power"]:
        raise OtherData(f"{value} is not a whole number times 10^{reading['power']}, as its column's reading says")
    return m * 10 ** (e - reading["power"]) if m else 0


def _float_of(value, m, e, bits):
    """The float of a binary column: the value itself, or the float that a program writes so."""
    found = float(value) if bits == 64 or not isinstance(value, str) else unpack("<f", pack("<f", float(value)))[0]
    if isinstance(value, (str, int)) and bits == 64 and abs(m) >= LARGEST_DECIMAL:
        exactly = Fraction(m) * Fraction(10) ** e == Fraction(found)
        if not exactly and as_written(repr(found)) != (m, e):
            raise OtherData(f"{value} is not what programs write for a float")
    return found + 0.0


def _fraction(value, reading):
    """A value that was read, as a fraction."""
    return Fraction(value) * Fraction(10) ** reading.get("power", 0)


def _read_values(x, readings, ten):
    """x times `ten`, a power of ten, as (column, integer, exponent) where it is not zero."""
    found = []
    for j, (v, reading) in enumerate(zip(x, readings, strict=False)):
        if type(v) is float:
            over, under = v.as_integer_ratio()  # under is a power of two
            found.append((j, over * ten, 1 - under.bit_length()))
        else:
            power = reading["power"]
            found.append((j, v * ten * 10**power if power >= 0 else v * (ten // 10**-power), 0))
    return [one for one in found if one[1]]


def _little_endian(kind, values):
    numbers = array(kind, values)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tobytes()


def _field(certificate, name, kind):
    value = certificate.get(name) if isinstance(certificate, dict) else None
    if type(value) is not kind:
        raise DoesNotHold(f"its {name} is missing or of the wrong kind")
    return value


def short_list(value, longest):
    """A list, refused if it is anything else or too long."""
    if not isinstance(value, list) or len(value) > longest:
        raise DoesNotHold("a list is missing or too long")
    return value


def number(text, d):
    """A whole number in hexadecimal, refused if it is anything else, or longer than a proof with d weights needs."""
    if not isinstance(text, str) or not re.fullmatch("-?0x[0-9a-fA-F]+", text):
        raise DoesNotHold("a number is not written in hexadecimal")
    if len(text) > max(LONGEST_NUMBER, DIGITS_A_WEIGHT * d):
        raise DoesNotHold(f"a number has {len(text)} digits: no proof with {d} weights needs so many")
    return int(text, 16)


def vector(value, d):
    """d whole numbers, not all zero."""
    numbers = [number(v, d) for v in short_list(value, d)]
    if len(numbers) != d or not any(numbers):
        raise DoesNotHold("a vector has the wrong length or is zero")
    return numbers


def _lambda_on(certificate, made, rows):
    """λ on these rows: with `base`, base plus the entry on every one of them; without, the entries.

    λ may be empty only where equalities span the plane, or where a model has no comparisons at all.
    """
    entries = certificate["lambda"]
    if not isinstance(entries, dict) or len(entries) > len(rows):
        raise DoesNotHold("lambda is missing or too long")
    allowed = set(rows)
    if not all(made.place.get(key) in allowed for key in entries):
        raise DoesNotHold("lambda names a row that is not on the plane")
    mixture = {made.place[key]: number(value, made.d) for key, value in entries.items()}
    if "base" in certificate:
        base = number(certificate["base"], made.d)
        if "free" in certificate and base <= 0:
            raise DoesNotHold("base is not positive")
        mixture = {i: base + mixture.get(i, 0) for i in rows}
    empty = "free" in certificate and (made.equal or not made.z)
    if min(mixture.values(), default=1 if empty else 0) <= 0:
        raise DoesNotHold("lambda is empty or not positive")
    return mixture


def _decimal_values(x, powers, ten):
    """x times `ten`, a power of ten, as (column, integer, exponent) where it is not zero."""
    found = []
    for j, (v, k) in enumerate(zip(x, powers, strict=True)):
        if k is None:
            over, under = float(v).as_integer_ratio()  # under is a power of two
            found.append((j, over * ten, 1 - under.bit_length()))
        else:
            found.append((j, _decimal_of(float(v), k) * (ten // 10**k), 0))
    return [one for one in found if one[1]]


def _signed(sign, z):
    return [(j, sign * m, e) for j, m, e in z]


def _decimal_of(v, k):
    """The m of the decimal m/10^k that the float v stands for: the whole number nearest to v·10^k."""
    over, under = v.as_integer_ratio()
    m = (2 * over * 10**k + under) // (2 * under)
    if (k and abs(m) > LARGEST_DECIMAL) or m / 10**k != v:  # Python rounds the quotient of two whole numbers once
        raise DoesNotHold(f"{v} is not a decimal with {k} digits after the point")
    return m


def _response(z, w):
    """z·w times a positive power of two."""
    low = min((e for _, _, e in z), default=0)
    return sum((m * w[j]) << (e - low) for j, m, e in z)


def _sign(z, w):
    s = _response(z, w)
    return (s > 0) - (s < 0)


def _whole_row(z):
    """z times a positive power of two, by column."""
    low = min((e for _, _, e in z), default=0)
    return [(j, m << (e - low)) for j, m, e in z]


def _mixed(made, mixture):
    """Σ λ z in whole numbers times 2^low, and low."""
    low = min((e for i in mixture for _, _, e in made.z[i]), default=0)
    total = [0] * made.d
    for i, share in mixture.items():
        for j, m, e in made.z[i]:
            total[j] += (share * m) << (e - low)
    return total, low


def _interval(name, certificate, made, ten):
    """The ends: z·w ≥ lower·‖w‖ on every row, and ‖Σ λ z‖ ≤ upper·Σ λ; a street has a w of its own and Σ λ y = 0.

    The rows are z times `ten`.
    """
    entry, d = certificate[name], made.d
    fields = {"lower", "upper", "lambda"} | ({"w"} if name == "street" else set())
    if not isinstance(entry, dict) or set(entry) != fields:
        raise DoesNotHold(f"its {name} does not have the fields of one")
    (p, q), (r, s) = ends = [_ratio(entry[end], d) for end in ("lower", "upper")]
    w = vector((entry if name == "street" else certificate)["w"], d)
    size = sum(v * v for v in (w[:-1] if name == "street" else w))
    if p * s > r * q or not size:
        raise DoesNotHold(f"its {name} is no interval, or its w has no direction")
    p, r = p * ten, r * ten
    for i, z in enumerate(made.z):
        low = min((e for _, _, e in z), default=0)
        left, right = _response(z, w) * q, p * p * size
        if left < 0 or _shifted(left**2, 2 * low) < _shifted(right, -2 * low):
            raise DoesNotHold(f"row {i} is nearer than the lower end of the {name}")
    mixture = _lambda_on({"lambda": entry["lambda"]}, made, range(len(made.z)))
    total, low = _mixed(made, mixture)
    if name == "street" and total[-1]:
        raise DoesNotHold("lambda does not have the same sum in both classes")
    left, right = sum(v * v for v in total) * s * s, r * r * sum(mixture.values()) ** 2
    if _shifted(left, 2 * low) > _shifted(right, -2 * low):
        raise DoesNotHold(f"lambda does not prove the upper end of the {name}")
    return ends


def _shifted(value, bits):
    return value << bits if bits > 0 else value


def _decimal(ratio, rounding):
    """p/q in 12 digits, rounded outward so that the sentence is true."""
    with localcontext(prec=12, rounding=rounding):
        return f"{Decimal(ratio[0]) / Decimal(ratio[1]):g}"


def _ratio(text, d):
    """p/q in hexadecimal, p ≥ 0 and q > 0."""
    parts = [number(part, d) for part in text.split("/", 2)] if isinstance(text, str) else []
    if len(parts) != 2 or parts[0] < 0 or parts[1] <= 0:
        raise DoesNotHold("an end of the margin is not a fraction")
    return parts


def _rank(rows):
    """Rank modulo a prime, never more than the rank, of rows given as (column, whole number)."""
    pivots = {}
    for row in rows:
        row = {j: v % PRIME for j, v in row if v % PRIME}
        while row and (j := min(row)) in pivots:
            factor = row[j]
            for k, v in pivots[j]:
                row[k] = (row.get(k, 0) - factor * v) % PRIME
            row = {k: v for k, v in row.items() if v}
        if row:
            inverse = pow(row[j], -1, PRIME)
            pivots[j] = [(k, v * inverse % PRIME) for k, v in row.items()]
    return len(pivots)


def read_certificate(path):
    """The certificate in a file, refused if it is too long to be one."""
    with open(path, "rb") as file:
        if len(text := file.read(LONGEST_FILE + 1)) > LONGEST_FILE:
            raise DoesNotHold("the file is too long for a certificate")
    try:
        return json.loads(text, object_pairs_hook=_unique)
    except (ValueError, RecursionError):
        raise DoesNotHold("the file is not JSON") from None


def _unique(pairs):
    if len(dict(pairs)) < len(pairs):
        raise DoesNotHold("the file has a name twice")
    return dict(pairs)


def read_table(certificate, path):
    """X, y and a model's further columns from a CSV file with a header, by the certificate's `table`.

    The last result is a sentence that says how the file was read.
    """
    table, model = _field(certificate, "table", dict), certificate.get("model")
    exact, remarks = "readings" in certificate, []
    if model is not None:
        model_schema(model, certificate.get("p"), certificate.get("fit_intercept"))
    try:
        with open(path, newline="", encoding=_encoding_of(path)) as file:
            reader = csv.DictReader(file, delimiter=table.get("delimiter", ","))
            model, yes = _with_flag(model, reader.fieldnames or ())
            _check_table(table, certificate.get("p"), model)
            read = _labels_of(table) if model is None else _Cells(table, model, exact, yes)
            wanted = [column["name"] for column in table["columns"]] + [column for _, column in _columns_named(model)]
            wanted += [] if model and model["name"] == "cox" else table.get("counts") or [table["target"]]
            absent = [name for name in wanted if name not in (reader.fieldnames or ())]
            if absent:
                raise ValueError(f"its first line does not name the column {absent[0]}")
            lines = [_read_line(line, table, read, exact, remarks) for line in reader]
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError, csv.Error) as error:
        raise OtherData(f"the table does not fit: {error}") from None
    dropped = sum(not labels for _, labels in lines)
    how = f"{len(lines)} rows, target {table.get('counts') or table['target'] or 'none'}, columns "
    how += ", ".join(f"{c['name']} ({c['kind']})" for c in table["columns"])
    how += "".join(f", {column} as {argument}" for argument, column in _columns_named(model))
    how += f"; {dropped} rows dropped, because a value is missing or they weigh nothing" if dropped else ""
    how += f"; REMARK: {remarks[0]}, so this is about rounded numbers" if remarks else ""
    X, labels = [x for x, labels in lines for _ in labels], [label for _, labels in lines for label in labels]
    y, columns = (labels, {}) if model is None else read.transposed(labels)
    return X, y, columns, how


def _encoding_of(path):
    """UTF-8; UTF-16 where the text has its mark; Windows-1252 where the text does not begin as UTF-8."""
    with open(path, "rb") as file:
        start = file.read(1 << 16)
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    if b"\0" in start:
        raise ValueError("it is no text, and this checker reads CSV files only")
    try:
        codecs.getincrementaldecoder("utf-8")().decode(start)
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8-sig"


def _columns_named(model):
    """(argument, column) of a model, besides y."""
    columns = model["columns"].items() if model else ()
    return [(argument, one) for argument, some in columns for one in (some if argument in SEVERAL else [some])]


def _with_flag(model, names):
    """The model with the column of its events, and the value that means an event: "status=2", unless one is called so.

    Without a value, events are 1 or true.
    """
    event = model["columns"].get("event") if model else None
    if event is None or event in names or "=" not in event:
        return model, None
    column, _, yes = event.rpartition("=")
    return model | {"columns": model["columns"] | {"event": column}}, yes


def _labels_of(table):
    """A function from cells to labels: one; two for a group with both outcomes; None where a value is missing."""

    def read(cells):
        if table.get("counts"):
            successes, failures = (float(cells[name] or "nan") for name in table["counts"])
            return [1] * (successes > 0) + [-1] * (failures > 0) if successes + failures >= 0 else None
        label = cells[table["target"]]
        return None if label is None else [1 if label == str(table["positive"]) else -1]

    return read


class _Cells:
    """Reads y and the columns of a model from cells: numbers (`exact`: their texts), or places in the model's lists."""

    def __init__(self, table, model, exact, yes):
        self.exact, self.yes = exact, yes
        self.classes = [str(table[name]) for name in ("negative", "positive")] if table.get("rest") else None
        self.wanted = [] if model["name"] == "cox" else [("y", table["target"])]
        self.wanted += _columns_named(model)
        effects = iter(model.get("effects", ()))
        known = {"y": model.get("classes", model.get("levels")), "groups": model.get("groups")}
        known["items"] = model.get("items")
        lists = [next(effects) if one == "fixed_effects" else known.get(one) for one, _ in self.wanted]
        self.places = [{label: k for k, label in enumerate(labels or ())} for labels in lists]
        self.whole = [one == "event" or (one == "y" and model["name"] == "conditional") for one, _ in self.wanted]

    def __call__(self, cells):
        texts = [cells[column] for _, column in self.wanted]
        return None if None in texts else [[self._number(k, text) for k, text in enumerate(texts)]]

    def _number(self, k, text):
        if self.places[k]:
            if self.classes is not None and self.wanted[k][0] == "y":  # one class, told from all the others
                text = self.classes[text == self.classes[1] or _same_number(self.classes[1], text)]
            if text not in self.places[k]:  # a number may be written in another way
                alike = [label for label in self.places[k] if _same_number(label, text)]
                if not alike:
                    raise ValueError(f"{self.wanted[k][1]} has {text!r}, which the certificate's model does not list")
                text = alike[0]
            return self.places[k][text]
        if self.yes is not None and self.wanted[k][0] == "event":
            return int(text == self.yes or _same_number(self.yes, text))
        text = {"true": "1", "false": "0"}.get(text.lower(), text)
        value = float(text)
        if self.whole[k]:
            return int(value) if value == int(value) else value
        return text if self.exact else value

    def transposed(self, lines):
        """y, and the other columns by their arguments."""
        columns = {}
        for (argument, _), values in zip(self.wanted, map(list, zip(*lines, strict=True)), strict=False):
            columns.setdefault(argument, []).append(values)
        columns = {name: some if name in SEVERAL else some[0] for name, some in columns.items()}
        return columns.pop("y", None), columns


def _same_number(label, text):
    try:
        return as_written(label) == as_written(text)
    except OtherData:
        return False


def _check_table(table, p, model):
    """Refuse a target among the features, and more columns than the certificate is about."""
    names, width = [column["name"] for column in table["columns"]], 0
    followed = {column for argument, column in _columns_named(model) if argument in ("time", "event")}
    if {table.get("target"), *(table.get("counts") or ()), *followed} & set(names):
        raise DoesNotHold("its target is among the columns that should tell it")
    for column in table["columns"]:
        if column["kind"] not in ("number", "boolean", "category", "hash"):
            raise DoesNotHold(f"this checker knows no column of the kind {column['kind']}")
        inner = {"category": len(column.get("levels", ())), "hash": column.get("buckets", 0)}.get(column["kind"], 1)
        width += inner - bool(column.get("reference")) + bool(column.get("missing"))
    degree = table.get("degree", 1)
    if not 1 <= degree <= 9 or width > WIDEST_TABLE or comb(width + degree, degree) - 1 != p or p > WIDEST_TABLE:
        raise DoesNotHold(f"its table does not describe the {p} columns it is about, or they are too many")


def _read_line(line, table, read, exact, remarks):
    """The row x of a line, and its labels: none where it is dropped. `exact`: numbers stay texts."""
    cells = {name: None if text in ("", *table.get("na", ())) else text for name, text in line.items()}
    cells |= {name: _without_marks(cells[name], how) for name, how in table.get("numerals", {}).items()}
    encoded = [_encode(column, cells[column["name"]], exact, remarks) for column in table["columns"]]
    labels = read(cells)
    absent = None in encoded or labels is None
    if absent and table["missing"] != "drop":
        raise ValueError("a value is missing")
    if absent or ("weights" in table and not float(cells[table["weights"]] or 0) > 0):
        return [], []
    x = [value for values in encoded for value in values]
    floats, degrees = map(float, x) if table.get("degree", 1) > 1 else (), range(2, table.get("degree", 1) + 1)
    floats = list(floats)
    products = (term for d in degrees for term in combinations_with_replacement(floats, d))
    return x + [prod(term) for term in products], labels


def _without_marks(text, how):
    """The text of a number without the marks that its column has: 1.234,5 is 1234.5, and 68 % is 68e-2."""
    if text is None or text in how.get("na", ()):
        return None
    if how.get("date"):
        return _of_date(text, how["date"])
    point, between, percent = how.get("decimal", "."), how.get("thousands", ""), how.get("percent", False)
    if point == "." and not between and not percent and not how.get("minus"):
        return text
    text = text.replace("\u2212", "-") if how.get("minus") else text
    blanks = " \u00a0\u2009\u202f"
    text = text.strip(" ")
    body = text[:-1].rstrip(blanks) if percent and text.endswith("%") else text
    whole, mark, rest = body.partition(point)
    groups = re.split(f"[{blanks if between == ' ' else re.escape(between)}]", whole) if between else [whole]
    sizes, few = [len(one) for one in groups], 2 if how.get("indian") else 3  # 12,34,567 or 1,234,567
    sizes[0] = len(groups[0].lstrip("+-"))
    grouped = len(groups) == 1 or (sizes[0] <= few and sizes[-1] == 3 and set(sizes[1:-1]) <= {few})
    plain = "".join(groups) + mark.replace(point, ".") + rest
    number = re.fullmatch(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?", plain, re.ASCII)
    if not grouped or not number or "." in "".join(groups) + rest or percent != (body != text):
        raise ValueError(f"{text} is not a number")
    return f"{plain}e-2" if percent else plain


def _of_date(text, part):
    """A number of a date: days since 1970-01-01, or one of its parts."""
    moment = datetime.fromisoformat(text.strip()).replace(tzinfo=None)
    if part == "days":  # rounded once; Python reads six digits of a second
        since, finer = moment - datetime(1970, 1, 1), re.search(r"[.,]\d{6}(\d{1,3})", text)
        fine = Fraction(since.microseconds) + (Fraction(int(finer[1]), 10 ** len(finer[1])) if finer else 0)
        return repr(float((since.days * 86400 + since.seconds + fine / 10**6) / 86400))
    return str(moment.isoweekday() if part == "weekday" else getattr(moment, part))


def _encode(column, text, exact, remarks):
    """The numbers that stand for a cell; None where it is missing and has no place of its own."""
    kind, lost = column["kind"], text is None
    if kind == "number":
        value = float(column.get("mean", "nan") if lost else text)
        keep = exact and not lost and value == value
        if not exact and not lost and not remarks and _was_rounded(text, value):
            remarks.append(f"{column['name']} has {text}, which this certificate's version takes as {value!r}")
        lost, values = value != value, [0.0 if value != value else text if keep else value]
    elif kind == "boolean":
        values = [0.0 if lost else float(["false", "true"].index(text.lower()))]
    elif kind == "category":
        at = -1 if lost else column["levels"].index(text)
        values = [float(i == at) for i in range(column.get("reference", 0), len(column["levels"]))]
    else:
        at = -1 if lost else int(hashlib.md5(text.encode()).hexdigest()[:8], 16) % column["buckets"]
        values = [float(i == at) for i in range(column.get("reference", 0), column["buckets"])]
    return [*values, float(lost)] if column.get("missing") else None if lost else values


def _was_rounded(text, value):
    """Whether a float is not the number that the text says, and the text is not what programs write for it."""
    try:
        m, e = as_written(text)
        return (
            abs(m) >= LARGEST_DECIMAL and Fraction(m) * Fraction(10) ** e != value and as_written(repr(value)) != (m, e)
        )
    except OtherData:
        return value - value == 0  # too long a number; nan and inf are refused elsewhere


def main(arguments):
    """Check the certificate in a file on the table in another."""
    if len(arguments) != 2:
        print("usage: checker.py CERTIFICATE.json DATA.csv")
        return 2
    try:
        certificate = read_certificate(arguments[0])
        X, y, columns, how = read_table(certificate, arguments[1])
        print("holds:", check(certificate, X, y, **columns))
        print("read:", how)
    except DoesNotHold as why:
        print("does not hold:", why)
        return 1
    except (OtherData, OSError) as why:
        print("is not about these data:" if isinstance(why, OtherData) else "cannot be read:", why)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
