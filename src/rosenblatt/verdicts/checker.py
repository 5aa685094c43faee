"""Check a certificate of separability. Standard library only; shares no code with the solver.

    python checker.py CERTIFICATE.json DATA.csv

With z = y·(x, 1), or y·x without intercept, a certificate proves one of

    complete   whole numbers w with z·w > 0 for every row;
    quasi      w with z·w ≥ 0 for every row and > 0 for some, and λ > 0 on rows with Σ λ z = 0 that span every row with
               z·w = 0: so no w at all has z·w > 0 for every row, and no other w leaves the plane rows off the plane;
    overlap    λ > 0 on rows with Σ λ z = 0 that span every row: every w with z·w ≥ 0 has z·w = 0.

A complete certificate may prove two intervals too: of the theorem's margin, max min z·w/‖w‖, and (version 2) of the
street, max min z·w/‖w‖ with ‖w‖ without the bias, which is half the distance of the classes' convex hulls.
It may also say what becomes of each coefficient of a logistic regression (version 2, `coefficients`; see _fates).
Spanning is clear where `base` gives every such row a share in λ. Otherwise it is proved by a rank: the rows of λ have
rank at least d − |null| (modulo a prime, which can only lose rank), and the |null| independent vectors v with z·v = 0
show that all those rows together have no more. Every float is the fraction it is, so nothing here rounds; of a column
to which `decimals` (version 2) gives a power k, it is the float nearest to the decimal m/10^k that it stands for.
Exit status: 0 it holds, 1 it does not, 2 it is not about these data.
"""

import csv
import hashlib
import json
import re
import sys
from array import array
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, localcontext
from itertools import accumulate, combinations_with_replacement
from math import comb, prod

PRIME = (1 << 61) - 1
LONGEST_FILE = 1 << 28  # bytes of a certificate
LONGEST_NUMBER = 1 << 16  # hexadecimal digits, or this many for each weight if that is more: far above any honest proof
DIGITS_A_WEIGHT = 1 << 10
WIDEST_TABLE = 1 << 20  # columns of X
MOST_DECIMALS, LARGEST_DECIMAL = 15, 10**15  # digits that float64 tells apart
COMMON = {"format": str, "verdict": str, "n": int, "p": int, "fit_intercept": bool, "layout": str, "data_sha256": str}
COMMON |= {"classes": list, "features": list, "table": dict}


class Refused(Exception):
    """The certificate does not hold; the message says why."""


class OtherData(Exception):
    """The certificate is about other data."""


def check(certificate, X, y):
    """Check a certificate (a dict) on rows X (lists of floats) and labels y (−1 or +1). Returns what is proved."""
    n, p, bias, kind = _schema(certificate)
    if n != len(X) or n != len(y) or any(len(x) != p for x in X) or any(t not in (-1, 1) for t in y):
        raise OtherData(f"it is about {n} rows and {p} columns")
    if certificate["data_sha256"] != digest(X, y, certificate["layout"]):
        raise OtherData("the data have another hash")
    if any(v - v for x in X for v in x):  # nan, which counts as true
        raise OtherData("a value is not a finite number")
    d = p + bias
    powers = certificate.get("decimals", [None] * p)
    ten = 10 ** max((k or 0 for k in powers), default=0)  # all rows times this: no decimal is left
    rows = [_row(x, t, bias, powers, ten) for x, t in zip(X, y, strict=True)]
    plane, signs, w = range(n), [0] * n, None
    if kind != "overlap":
        w = vector(certificate.get("w"), d)
        signs = [_sign(z, w) for z in rows]
        if min(signs) < 0 or (kind == "complete" and min(signs) == 0) or max(signs) == 0:
            raise Refused(f"row {signs.index(min(signs))} is not where w should have it")
        plane = [i for i, s in enumerate(signs) if s == 0]
    fates = _fates(certificate, rows, signs, plane, ten) if "coefficients" in certificate else ()
    if kind == "complete":
        found = [name for name in ("margin", "street") if name in certificate]
        return proved(
            kind, n, 0, 0, {name: _interval(name, certificate[name], rows, w, d, ten) for name in found}, fates
        )
    mixture = _mixture(certificate, plane, d)
    if any(_mixed(rows, mixture, d)[0]):
        raise Refused("the mixture does not vanish")
    if "base" not in certificate:  # with it λ is positive on all of those rows, so they span themselves
        _spans(mixture, certificate["null"], rows, plane, d)
    return proved(kind, n, len(plane), len(mixture), (), fates)


def _spans(some, null, rows, plane, d):
    """The vectors of null, 0 on the plane and independent; with the rank of some rows they make up all d dimensions."""
    null = [vector(v, d) for v in _list(null, d)]
    if _rank(null) < len(null):
        raise Refused("directions to which rows do not respond are dependent")
    if any(_sign(rows[i], v) for i in plane for v in null):
        raise Refused("a row responds to a direction to which it should not")
    if _rank([_mixed(rows, {i: 1}, d)[0] for i in some]) < d - len(null):
        raise Refused("some rows do not span the others")
    return null


def _fates(certificate, rows, signs, plane, ten):
    """What becomes of each coefficient of a logistic regression: the kinds, proved.

    `null` is all to which no row responds, `open` all to which no plane row does (complete: everything; overlap: null).
    not identified: some v in null has v_j ≠ 0. finite: no v in open has, so e_j is a combination of plane rows.
    ±inf: ±scale·e_j less Σ μ z over strict rows, μ > 0, is at right angles to open, so such a combination: w_j has
    that sign in every w that separates as this one does. undetermined: some such w has w_j = 0, and can be tilted.
    """
    entry, kind, d = certificate["coefficients"], certificate["verdict"], len(rows[0])
    if not isinstance(entry, dict) or set(entry) != {"rows", "null", "each"} | ({"open"} if kind == "quasi" else set()):
        raise Refused("its coefficients do not have the fields of such")
    some, each = _list(entry["rows"], d), _list(entry["each"], d)
    if not all(type(i) is int and 0 <= i < len(rows) for i in some) or len(set(some)) < len(some) or len(each) < d:
        raise Refused("coefficients are missing, or name a row that is not there, or one twice")
    sides = [signs[i] for i in some]
    null = _spans(some, entry["null"], rows, range(len(rows)), d)
    if len(some) + len(null) > d or sides != sorted(sides):
        raise Refused("the rows of coefficients are dependent, or do not begin with those on the plane")
    opened = null if kind == "overlap" else [[int(i == j) for i in range(d)] for j in range(d)]
    if kind == "quasi":
        opened = _spans([i for i in some if not signs[i]], entry["open"], rows, plane, d)
        if len(opened) > d - sides.count(0):
            raise Refused("the rows of coefficients and open are not as many as weights")
    return [_fate(one, j, rows, signs, null, opened, ten) for j, one in enumerate(each)]


def _fate(entry, j, rows, signs, null, opened, ten):
    d, kind = len(rows[0]), entry.get("kind") if isinstance(entry, dict) else None
    fields = {"not identified": set(), "finite": set(), "undetermined": {"separating"}}
    fields |= {infinite: {"strict", "scale"} for infinite in ("+inf", "-inf")}
    if not isinstance(kind, str) or kind not in fields or set(entry) != {"kind"} | fields[kind]:
        raise Refused("a coefficient does not have the fields of its kind")
    if (kind == "not identified") != any(v[j] for v in null):
        raise Refused(f"null does not show whether coefficient {j} is identified")
    if kind != "not identified" and (kind == "finite") == any(v[j] for v in opened):
        raise Refused(f"the open directions do not show whether coefficient {j} is finite")
    if kind == "undetermined":
        w = vector(entry["separating"], d)
        if w[j] or not any(signs) or any(_sign(z, w) != s for z, s in zip(rows, signs, strict=True)):
            raise Refused(f"the weights that leave coefficient {j} out do not, or do not separate")
    if "strict" in entry:
        mixture = _mixture({"lambda": entry["strict"]}, [i for i, s in enumerate(signs) if s > 0], d)
        total, low = _mixed(rows, mixture, d)
        scale, sign = number(entry["scale"], d) * ten, 1 if kind == "+inf" else -1
        left = [_shifted(sum(a * b for a, b in zip(total, v, strict=True)), low) for v in opened]
        if scale <= 0 or left != [_shifted(sign * scale * v[j], -low) for v in opened]:
            raise Refused(f"strict rows do not combine to coefficient {j}")
    return kind


def proved(kind, n, plane, rows, ends=(), fates=()):
    """What a certificate that holds has proved; `ends` are intervals by their names, `fates` kinds of coefficients."""
    told = [f"complete: w has each of the {n} rows strictly on its side"]
    if kind == "quasi":
        told = [f"quasi: no row is on the wrong side, {plane} of {n} rows lie on every such hyperplane"]
    if kind == "overlap":
        told = [f"overlap: {rows} rows have mixtures that coincide; no hyperplane separates, not even touching"]
    for name, words in (("margin", "the theorem's margin"), ("street", "half the width of the widest street")):
        if name in ends:
            lower, upper = map(_decimal, ends[name], (ROUND_FLOOR, ROUND_CEILING))
            told.append(f"{words} lies between {lower} and {upper}")
    return ", and ".join(told) + (f"; of {len(fates)} coefficients {_counted(fates)}" if fates else "")


def proved_of_model(name, kind, strict, many, fates=()):
    """The same with a model: `strict` of so `many` comparisons can be made certain."""
    told = f"overlap: the maximum-likelihood estimate of this {name} model exists"
    if kind != "overlap":
        told = (
            f"{kind}: this {name} model has no maximum-likelihood estimate, {strict} of {many} comparisons are certain"
        )
    return told + (f"; of {len(fates)} weights {_counted(fates)}" if fates else "")


def _counted(fates):
    """How many coefficients go where.

    >>> _counted(["+inf", "finite", "+inf"])
    '1 is finite, 2 run to +∞'
    """
    words = {"finite": "is finite|are finite", "+inf": "runs to +∞|run to +∞", "-inf": "runs to −∞|run to −∞"}
    words |= {kind: f"is {kind}|are {kind}" for kind in ("undetermined", "not identified")}
    counts = {kind: fates.count(kind) for kind in words}
    return ", ".join(f"{many} {words[kind].split('|')[many > 1]}" for kind, many in counts.items() if many)


def _schema(certificate):
    """n, p, fit_intercept and the verdict, of a certificate that has exactly the fields of its verdict and version."""
    for name, kind in COMMON.items():
        _field(certificate, name, kind)
    n, p, bias, verdict = (certificate[name] for name in ("n", "p", "fit_intercept", "verdict"))
    if certificate["format"] not in ("rosenblatt-certificate/1", "rosenblatt-certificate/2"):
        raise Refused("it has an unknown format")
    if certificate["layout"] not in ("dense", "csr") or verdict not in ("complete", "quasi", "overlap") or n < 1:
        raise Refused("it has an unknown layout or verdict, or no rows")
    fields = set(certificate) - set(COMMON)
    span = {"lambda", "base" if "base" in fields else "null"}
    needed = {"complete": {"w"}, "quasi": {"w"} | span, "overlap": span}[verdict]
    newer = {"coefficients", "decimals"} if certificate["format"].endswith("2") else set()
    if verdict == "complete":
        newer |= {"margin"} | ({"street"} if bias and newer else set())
    if not needed <= fields <= needed | newer:
        raise Refused("its fields are not those of its verdict and version")
    if "decimals" in fields:
        powers = _list(certificate["decimals"], p)
        if len(powers) < p or not any(powers) or any(k is not None and type(k) is not int for k in powers):
            raise Refused("its decimals are not one power of ten a column")
        if any(not 0 <= (k or 0) <= MOST_DECIMALS for k in powers):
            raise Refused("it has a power of ten whose decimals floats do not tell apart")
    return n, p, bias, verdict


def digest(X, y, layout="dense"):
    """SHA-256 over X as little-endian float64, −0.0 as 0.0, then y as int8; csr: row starts, columns, other values."""
    h = hashlib.sha256()
    if layout == "csr":
        columns = [[j for j, v in enumerate(x) if v] for x in X]
        h.update(_bytes("q", accumulate(map(len, columns), initial=0)))
        for part in columns:
            h.update(_bytes("q", part))
        X = [[v for v in x if v] for x in X]
    for x in X:
        h.update(_bytes("d", (v + 0.0 for v in x)))
    h.update(array("b", y).tobytes())
    return h.hexdigest()


def _bytes(kind, values):
    numbers = array(kind, values)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tobytes()


def _field(certificate, name, kind):
    value = certificate.get(name) if isinstance(certificate, dict) else None
    if type(value) is not kind:
        raise Refused(f"its {name} is missing or of the wrong kind")
    return value


def _list(value, longest):
    if not isinstance(value, list) or len(value) > longest:
        raise Refused("a list is missing or too long")
    return value


def number(text, d):
    """A whole number in hexadecimal, refused if it is anything else, or longer than a proof with d weights needs."""
    if not isinstance(text, str) or not re.fullmatch("-?0x[0-9a-fA-F]+", text):
        raise Refused("a number is not written in hexadecimal")
    if len(text) > max(LONGEST_NUMBER, DIGITS_A_WEIGHT * d):
        raise Refused(f"a number has {len(text)} digits: no proof with {d} weights needs so many")
    return int(text, 16)


def vector(value, d):
    """d whole numbers, not all zero."""
    numbers = [number(v, d) for v in _list(value, d)]
    if len(numbers) != d or not any(numbers):
        raise Refused("a vector has the wrong length or is zero")
    return numbers


def _mixture(certificate, plane, d):
    """λ: with `base`, base plus the entry on every row of the plane; without, the entries."""
    entries = certificate["lambda"]
    if not isinstance(entries, dict) or len(entries) > len(plane):
        raise Refused("lambda is missing or too long")
    allowed = {str(i): i for i in plane}
    if not all(key in allowed for key in entries):
        raise Refused("lambda names a row that is not on the plane")
    mixture = {allowed[key]: number(value, d) for key, value in entries.items()}
    if "base" in certificate:
        base = number(certificate["base"], d)
        mixture = {i: base + mixture.get(i, 0) for i in plane}
    if not mixture or min(mixture.values()) <= 0:
        raise Refused("lambda is empty or not positive")
    return mixture


def _row(x, label, bias, powers, ten):
    """z times `ten`, a power of ten, as (integer, exponent) pairs: value = integer · 2^exponent."""
    pairs = []
    for v, k in zip(x, powers, strict=True):
        if k is None:
            over, under = float(v).as_integer_ratio()  # under is a power of two
            pairs.append((label * over * ten, 1 - under.bit_length()))
        else:
            pairs.append((label * _decimal_of(float(v), k) * (ten // 10**k), 0))
    return [*pairs, (label * ten, 0)] if bias else pairs


def _decimal_of(v, k):
    """The m of the decimal m/10^k that the float v stands for: the whole number nearest to v·10^k."""
    over, under = v.as_integer_ratio()
    m = (2 * over * 10**k + under) // (2 * under)
    if (k and abs(m) > LARGEST_DECIMAL) or m / 10**k != v:  # Python rounds the quotient of two whole numbers once
        raise Refused(f"{v} is not a decimal with {k} digits after the point")
    return m


def _dot(z, w):
    """z·w times a positive power of two."""
    low = min((e for m, e in z if m), default=0)
    return sum((m * v) << (e - low) for (m, e), v in zip(z, w, strict=True) if m)


def _sign(z, w):
    s = _dot(z, w)
    return (s > 0) - (s < 0)


def _mixed(rows, mixture, d):
    """Σ λ z in whole numbers times 2^low, and low."""
    low = min((e for i in mixture for m, e in rows[i] if m), default=0)
    terms = [[(m * a, e - low) for a, e in rows[i]] for i, m in mixture.items()]
    return [sum(z[j][0] << z[j][1] for z in terms if z[j][0]) for j in range(d)], low


def _interval(name, entry, rows, w, d, ten):
    """The ends: z·w ≥ lower·‖w‖ on every row, and ‖Σ λ z‖ ≤ upper·Σ λ; a street has a w of its own and Σ λ y = 0.

    `rows` are z times `ten`.
    """
    fields = {"lower", "upper", "lambda"} | ({"w"} if name == "street" else set())
    if not isinstance(entry, dict) or set(entry) != fields:
        raise Refused(f"its {name} does not have the fields of one")
    (p, q), (r, s) = ends = [_ratio(entry[end], d) for end in ("lower", "upper")]
    w = vector(entry["w"], d) if name == "street" else w
    size = sum(v * v for v in (w[:-1] if name == "street" else w))
    if p * s > r * q or not size:
        raise Refused(f"its {name} is no interval, or its w has no direction")
    p, r = p * ten, r * ten
    for i, z in enumerate(rows):
        low = min((e for m, e in z if m), default=0)
        left, right = _dot(z, w) * q, p * p * size
        if left < 0 or _shifted(left**2, 2 * low) < _shifted(right, -2 * low):
            raise Refused(f"row {i} is nearer than the lower end of the {name}")
    mixture = _mixture({"lambda": entry["lambda"]}, range(len(rows)), d)
    total, low = _mixed(rows, mixture, d)
    if name == "street" and total[-1]:
        raise Refused("lambda does not have the same sum in both classes")
    left, right = sum(v * v for v in total) * s * s, r * r * sum(mixture.values()) ** 2
    if _shifted(left, 2 * low) > _shifted(right, -2 * low):
        raise Refused(f"lambda does not prove the upper end of the {name}")
    return ends


def _shifted(value, bits):
    return value << bits if bits > 0 else value


def _decimal(ratio, rounding):
    """p/q in 12 digits, rounded outward: the sentence is true too."""
    with localcontext(prec=12, rounding=rounding):
        return f"{Decimal(ratio[0]) / Decimal(ratio[1]):g}"


def _ratio(text, d):
    """p/q in hexadecimal, p ≥ 0 and q > 0."""
    parts = [number(part, d) for part in text.split("/", 2)] if isinstance(text, str) else []
    if len(parts) != 2 or parts[0] < 0 or parts[1] <= 0:
        raise Refused("an end of the margin is not a fraction")
    return parts


def _rank(rows):
    """Rank modulo a prime: never more than the rank."""
    pivots = {}
    for row in rows:
        row = [v % PRIME for v in row]
        for j, pivot in pivots.items():
            if row[j]:
                factor = row[j]
                row = [(a - factor * b) % PRIME for a, b in zip(row, pivot, strict=True)]
        j = next((j for j, v in enumerate(row) if v), None)
        if j is not None:
            inverse = pow(row[j], -1, PRIME)
            pivots[j] = [v * inverse % PRIME for v in row]
    return len(pivots)


def read_certificate(path):
    """The certificate in a file, refused if it is too long to be one."""
    with open(path, "rb") as file:
        text = file.read(LONGEST_FILE + 1)
    if len(text) > LONGEST_FILE:
        raise Refused("the file is too long for a certificate")
    try:
        return json.loads(text, object_pairs_hook=_unique)
    except (ValueError, RecursionError):
        raise Refused("the file is not JSON") from None


def _unique(pairs):
    if len(dict(pairs)) < len(pairs):
        raise Refused("the file has a name twice")
    return dict(pairs)


def read_table(certificate, path):
    """X and y from a CSV file with a header, by the certificate's `table`, and a sentence that says how it was read."""
    table = _field(certificate, "table", dict)
    try:
        _check_table(table, certificate.get("p"))
        with open(path, newline="", encoding="utf-8-sig") as file:
            lines = [_read_line(line, table) for line in csv.DictReader(file, delimiter=table.get("delimiter", ","))]
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError, csv.Error) as error:
        raise OtherData(f"the table does not fit: {error}") from None
    dropped = sum(not labels for _, labels in lines)
    told = f"{len(lines)} rows, target {table.get('counts') or table['target']}, columns "
    told += ", ".join(f"{c['name']} ({c['kind']})" for c in table["columns"])
    told += f"; {dropped} rows dropped, because a value is missing or they weigh nothing" if dropped else ""
    return [x for x, labels in lines for _ in labels], [label for _, labels in lines for label in labels], told


def _check_table(table, p):
    """Refuse a target among the features, and more columns than the certificate is about."""
    names, width = [column["name"] for column in table["columns"]], 0
    if {table.get("target"), *(table.get("counts") or ())} & set(names):
        raise Refused("its target is among the columns that should tell it")
    for column in table["columns"]:
        if column["kind"] not in ("number", "boolean", "category", "hash"):
            raise Refused(f"this checker knows no column of the kind {column['kind']}")
        inner = {"category": len(column.get("levels", ())), "hash": column.get("buckets", 0)}.get(column["kind"], 1)
        width += inner - bool(column.get("reference")) + bool(column.get("missing"))
    degree = table.get("degree", 1)
    if not 1 <= degree <= 9 or width > WIDEST_TABLE or comb(width + degree, degree) - 1 != p or p > WIDEST_TABLE:
        raise Refused(f"its table does not describe the {p} columns it is about, or they are too many")


def _read_line(line, table):
    """The row x of a line, and its labels: one; none where it is dropped; two of a group with both outcomes."""
    cells = {name: None if text in ("", *table.get("na", ())) else text for name, text in line.items()}
    encoded = [_encode(column, cells[column["name"]]) for column in table["columns"]]
    if table.get("counts"):
        successes, failures = (float(cells[name] or "nan") for name in table["counts"])
        labels, known = [1] * (successes > 0) + [-1] * (failures > 0), successes + failures >= 0
    else:
        label = cells[table["target"]]
        labels, known = [1 if label == str(table["positive"]) else -1], label is not None
    absent = None in encoded or not known
    if absent and table["missing"] != "drop":
        raise ValueError("a value is missing")
    if absent or ("weights" in table and not float(cells[table["weights"]] or 0) > 0):
        return [], []
    x = [value for values in encoded for value in values]
    products = (term for d in range(2, table.get("degree", 1) + 1) for term in combinations_with_replacement(x, d))
    return x + [prod(term) for term in products], labels


def _encode(column, text):
    """The numbers that stand for a cell; None where it is missing and has no place of its own."""
    kind, lost = column["kind"], text is None
    if kind == "number":
        value = float("nan" if lost else text)
        lost, values = value != value, [0.0 if value != value else value]
    elif kind == "boolean":
        values = [0.0 if lost else float(["false", "true"].index(text.lower()))]
    elif kind == "category":
        at = -1 if lost else column["levels"].index(text)
        values = [float(i == at) for i in range(column.get("reference", 0), len(column["levels"]))]
    else:
        at = -1 if lost else int(hashlib.md5(text.encode()).hexdigest()[:8], 16) % column["buckets"]
        values = [float(i == at) for i in range(column.get("reference", 0), column["buckets"])]
    return [*values, float(lost)] if column.get("missing") else None if lost else values


def main(arguments):
    """Check the certificate in a file on the table in another."""
    if len(arguments) != 2:
        print("usage: checker.py CERTIFICATE.json DATA.csv")
        return 2
    try:
        certificate = read_certificate(arguments[0])
        X, y, told = read_table(certificate, arguments[1])
        print("holds:", check(certificate, X, y))
        print("read:", told)
    except Refused as why:
        print("does not hold:", why)
        return 1
    except (OtherData, OSError) as why:
        print("is not about these data:", why)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
