"""Where the profile of a weight crosses a target, compiled: what `estimates.crossing` says, for rows of counts.

A model of the profile near a point is in five rows of `found`: [0] and [1] are `move` and `along` of the look at hand,
[2] and [3] those of a look that is tried; [4] keeps weights. Anything unusual (no crossing, rounding that hides it, too
many rounds) ends the search: the caller then does it in small steps.
"""

from math import copysign, inf, sqrt

from rosenblatt.kernels.compile import helper_once, kernel
from rosenblatt.kernels.likelihood import (
    DONE,
    DOUBTFUL,
    HIDDEN,
    LOSS,
    SIZE,
    CountRows,
    bend,
    derive,
    explore,
    factorised,
    loss_at,
    newton,
    restrict,
    solve_row,
)

__all__ = ["CLOSE", "FAR", "HELD", "LEAST", "LOWER", "ONCE", "ON_THE_WAY", "SETTLED", "TRUSTED", "profile"]

CLOSE, SETTLED = 1e-4, 1e-9  # |f − target| and Q from which the model's last step errs by about 1e-9 or less
TRUSTED = 0.01  # Q up to which the model is used; beyond, the other weights are first brought near their best
FAR = 1e6  # standard errors beyond which no end is sought: there floats cannot tell the loss from its limit
ONCE = 5.0  # standard errors of the longest first step; a later step is at most as long as the way so far
LEAST = 1e-300
HELD, ON_THE_WAY = 1e-12, 1e-2  # the Q at which a search for a least loss ends, and that on the way to it
LOWER = 1e-7  # how much lower a loss must be for rounding not to explain it
_EXPLORED, _WAY, _STEPS_OF_WAY = 25, 4, 3  # as in `estimates.profile`
_ROUNDS, _STEPS, _HALVINGS, _FARTHER = 30, 50, 20, 3
_NOTHING = 1e-4  # a Q of this share of the loss's rounding error makes no proof better
_CONVEX = 0.5  # share of the information that the whole curvature has at least, for a ball without a second minimum
_UNIT = 2.0**-53


@helper_once
def _model(rows, look, j, full, found, place):
    """Fill found[place], found[place + 1] with `move` and `along`; returns whether it went well, Q, slope, curvature.

    `look` is derived and, if `full`, bent.
    """
    d = look.v.size
    A, L, B = look.small[d], look.small[d + 1], look.small[d + 2]
    bent, free = False, restrict(look, j, full, A)
    if full:
        bent = factorised(A, free, L)
        if not bent:
            free = restrict(look, j, False, A)
    if not bent and not factorised(A, free, L):
        return False, 0.0, 0.0, 0.0
    for k in range(d):
        found[place, k] = 0.0
        found[place + 1, k] = 0.0
    found[place + 1, j] = 1.0
    for which in range(2 if free else 0):
        a = 0
        for k in range(d):
            if k != j:
                bent_by = look.bend[k, j] if bent else 0.0
                B[which, a] = -look.gradient[k] if which == 0 else bent_by - look.information[k, j]
                a += 1
        solve_row(L, free, B, which)
        a = 0
        for k in range(d):
            if k != j:
                found[place + which, k] = B[which, a]
                a += 1
    Q, slope, curvature = 0.0, 0.0, 0.0
    for a in range(d):
        Q -= look.gradient[a] * found[place, a]
        slope += look.gradient[a] * found[place + 1, a]
        part = 0.0
        for b in range(d):
            part += (look.information[a, b] - (look.bend[a, b] if bent else 0.0)) * found[place + 1, b]
        curvature += part * found[place + 1, a]
    return abs(Q) < inf, Q, slope, max(curvature, LEAST)


@helper_once
def _seen(rows, look, full):
    """Everything about the look at its weights; whether the loss is finite."""
    loss_at(rows, look)
    if not look.sums[LOSS] < inf:
        return False
    derive(rows, look, False)
    if full:
        bend(rows, look)
    return True


@helper_once
def _improved(rows, looks, at, j, full, enough):
    """Newton's steps from looks[at] until Q is `enough`; returns whether that went well, and which look it is then."""
    look, new, other = looks[at], looks[(at + 1) % 3], looks[(at + 2) % 3]
    how, made, _ = newton(rows, look, new, other, j, full, enough, _STEPS, inf, inf, look, 0.0)
    return how == DONE, at if made == 0 else (at + 1) % 3 if made % 2 else (at + 2) % 3


@helper_once
def _trusted(rows, looks, at, j, full, found, place):
    """A model near looks[at] that can be trusted: well, where, Q, slope, curvature."""
    well, Q, slope, curvature = _model(rows, looks[at], j, full, found, place)
    if well and Q > TRUSTED:
        well, at = _improved(rows, looks, at, j, full, SETTLED)
        if well:
            well, Q, slope, curvature = _model(rows, looks[at], j, full, found, place)
    return well, at, Q, slope, curvature


@helper_once
def _noise(look, largest, of_size):
    """About how far rounding may have moved the loss."""
    size = largest
    for k in range(look.v.size):
        size += abs(look.v[k])
    return look.sums[DOUBTFUL] * 2.0 * (look.v.size + 16) * _UNIT * size + look.sums[SIZE] * of_size


@helper_once
def _to_crossing(slope, curvature, missing, sign, longest):
    """The step t with slope·t + ½·curvature·t² = missing, not longer than `longest`."""
    root = slope * slope + 2.0 * curvature * missing
    if root <= 0.0:
        return -slope / curvature
    towards = sign * sqrt(root)
    # the root can be written in two ways: take the one without cancellation
    t = 2.0 * missing / (slope + towards) if slope * sign > 0.0 else (towards - slope) / curvature
    return copysign(min(abs(t), longest), t)


@helper_once
def _crossed(rows, looks, at, j, full, target, sign, exact, bounds, found):
    """A look from close to where the profile is the target: whether there is one, which, Q, slope, curvature."""
    close, settled = exact
    largest, of_size = bounds
    d = looks[0].v.size
    well, at, Q, slope, curvature = _trusted(rows, looks, at, j, full, found, 0)
    if not well:
        return False, at, Q, slope, curvature
    spread = 0.0
    for a in range(d):
        for b in range(d):
            spread += found[1, a] * looks[at].information[a, b] * found[1, b]
    first, scale = looks[at].v[j], 1.0 / sqrt(max(spread, LEAST))
    inside, outside = -inf * sign, inf * sign
    for _ in range(_ROUNDS):
        look = looks[at]
        missing, b = target - (look.sums[LOSS] - 0.5 * Q), look.v[j]
        if abs(missing) <= max(close, _noise(look, largest, of_size)) and settled >= Q:
            return True, at, Q, slope, curvature
        if abs(missing) > Q:  # else the model may err about the side
            inside, outside = (b, outside) if missing > 0.0 else (inside, b)
        if abs(b - first) > FAR * scale:
            return False, at, Q, slope, curvature
        step = _to_crossing(slope, curvature, missing, sign, max(ONCE * scale, abs(b - first)))
        if sign * (b + step) >= sign * outside:
            step = (outside - b) / 2.0
        elif sign * (b + step) <= sign * inside:
            step = (inside - b) / 2.0
        if not abs(step) > 0.0:
            return False, at, Q, slope, curvature
        well, there = False, (at + 1) % 3
        for _ in range(_HALVINGS):
            for k in range(d):
                looks[there].v[k] = look.v[k] + found[0, k] + step * found[1, k]
            if _seen(rows, looks[there], full):
                well, at, Q, slope, curvature = _trusted(rows, looks, there, j, full, found, 2)
                break
            step /= 2.0
        if not well:
            return False, at, Q, slope, curvature
        for k in range(d):
            found[0, k], found[1, k] = found[2, k], found[3, k]
    return False, at, Q, slope, curvature


@helper_once
def _starts(rows, plain, known, looks, starts, j, found):
    """Fill `starts` as `estimates.profile` has them; returns how many, 0 where floats lose them."""
    look, new, other = looks
    d, v, many, even = known.v.size, known.v, 0, found[4]
    for k in range(d):
        look.v[k] = 0.0
    loss_at(rows, look)
    A, L, B = look.small[d], look.small[d + 1], look.small[d + 2]
    free = restrict(look, j, False, A)
    if not look.sums[LOSS] < inf or not factorised(A, free, L):
        return 0
    a = 0
    for k in range(d):
        if k != j:
            B[0, a] = -look.information[k, j] * v[j]
            a += 1
    solve_row(L, free, B, 0)
    a = 0
    for k in range(d):
        even[k] = v[j] if k == j else B[0, a]
        a += k != j
    for t in (0.0, -1.0, 0.5, 2.0):
        for k in range(d):
            starts[many, k] = t * v[k]
            starts[many + 1, k] = even[k] + t * (v[k] - even[k])
        many += 2
    for changed in range(d):
        if changed != j:
            for k in range(d):
                starts[many, k] = -v[k] if k == changed else v[k]
            many += 1
    for k in range(d):
        look.v[k] = even[k]
    loss_at(plain, look)
    if look.sums[LOSS] < inf:
        derive(plain, look, False)
        for _ in range(_WAY):
            how, made, _ = newton(plain, look, new, other, j, False, 0.0, _STEPS_OF_WAY, inf, inf, look, 0.0)
            if how == HIDDEN:
                break
            if made % 2:
                look, new, other = new, other, look
            elif made:
                look, new, other = other, look, new
            for k in range(d):
                starts[many, k] = look.v[k]
            many += 1
    for k in range(many):
        starts[k, j] = v[j]
    return many


@helper_once
def _alone(rows, look, j):
    """How far from a minimum, in the norm of the information, there is no other with weight j held.

    Where the whole curvature is at least half of the information I, it is positive within 1/(2·L) of there, L being a
    bound on the third derivatives (see `estimates.penalised`).
    """
    d, kappa2 = look.v.size, 0.0
    for i in range(look.s.size):
        kappa2 = max(kappa2, look.spread[i])
    bend(rows, look)
    A = look.small[d]
    free = restrict(look, j, True, A)
    a = 0
    for p in range(d):
        if p != j:
            b = 0
            for q in range(d):
                if q != j:
                    A[a, b] -= _CONVEX * look.information[p, q]
                    b += 1
            a += 1
    if not factorised(A, free, look.small[d + 1]):
        return 0.0
    kappa = sqrt(kappa2)
    return min(0.25 / (kappa + 3.0 * d * kappa * kappa2), 0.1 / max(kappa, LEAST))


@helper_once
def _lowest_from_starts(rows, known, looks, starts, j, found):
    """Whether the starts were found, and the least loss from them; where it is below that of `known`, in starts[0]."""
    plain = CountRows(rows.Z, rows.weights, rows.offset, rows.y, rows.trials, rows.poisson, False)
    many, below = _starts(rows, plain, known, looks, starts, j, found), known.sums[LOSS] - LOWER
    if many == 0:
        return False, below
    radius = _alone(rows, known, j)
    _, _, _, below = explore(rows, looks, starts, many, j, False, _EXPLORED, HELD, below, known, radius)
    return True, below


@helper_once
def _settled_near(rows, looks, v, j, full):
    """The minimum near v with weight j held: whether that went well, and which look."""
    for k in range(v.size):
        looks[0].v[k] = v[k]
    if not _seen(rows, looks[0], False):
        return False, 0
    return _improved(rows, looks, 0, j, full, HELD)


@helper_once
def _beyond_others(
    rows, looks, more, spare, at, Q, slope, curvature, j, full, target, sign, exact, bounds, starts, found
):
    """The look itself or, where another minimum with weight j held is lower, a look at the end farther out."""
    d = looks[0].v.size
    for _ in range(_FARTHER):
        step = _last_step(target - (looks[at].sums[LOSS] - 0.5 * Q), slope, curvature)
        for k in range(d):
            found[4, k] = looks[at].v[k] + found[0, k] + step * found[1, k]
        well, here = _settled_near(rows, more, found[4], j, full)
        if not well:
            return False, at, Q, slope, curvature
        well, below = _lowest_from_starts(rows, more[here], spare, starts, j, found)
        if not well:
            return False, at, Q, slope, curvature
        if below < more[here].sums[LOSS] - LOWER:
            well, here = _settled_near(rows, more, starts[0], j, full)
            if not well:
                return False, at, Q, slope, curvature
        if not more[here].sums[LOSS] < target - LOWER:
            return True, at, Q, slope, curvature
        for k in range(d):
            looks[0].v[k] = more[here].v[k]
        well = _seen(rows, looks[0], full)
        if well:
            well, at, Q, slope, curvature = _crossed(rows, looks, 0, j, full, target, sign, exact, bounds, found)
        if not well:
            return False, at, Q, slope, curvature
    return True, at, Q, slope, curvature


@helper_once
def _last_step(missing, slope, curvature):
    """The step t from close by to where the profile is the target: slope·t + ½·curvature·t² = missing."""
    root = sqrt(max(slope * slope + 2.0 * curvature * missing, 0.0))
    return 2.0 * missing / (slope + copysign(root, slope))


@helper_once
def _held_at(rows, looks, j, full, value, enough, found):
    """The least loss with weight j held at a value, reached in steps from looks[0]: whether found, and which look."""
    at, d = 0, looks[0].v.size
    well, _, _, _ = _model(rows, looks[0], j, full, found, 0)
    spread, responses, distance = 0.0, 0.0, value - looks[0].v[j]
    for a in range(d):
        responses += abs(found[1, a])
        for b in range(d):
            spread += found[1, a] * looks[0].information[a, b] * found[1, b]
    far, steps = 1.0 + abs(distance) * min(sqrt(max(spread, LEAST)), responses), 1
    while far >= 2.0:
        far, steps = far / 2.0, steps + 1
    for k in range(steps):
        if not well:
            return False, at
        there = (at + 1) % 3
        for a in range(d):
            looks[there].v[a] = looks[at].v[a] + found[0, a] + distance / steps * found[1, a]
        looks[there].v[j] = value - distance * (1.0 - (k + 1.0) / steps)
        if not _seen(rows, looks[there], False):
            return False, at
        well, at = _improved(rows, looks, there, j, full, enough if k + 1 == steps else ON_THE_WAY)
        if well:
            well, _, _, _ = _model(rows, looks[at], j, full, found, 0)
    return well, at


@kernel
def profile(rows, start, looks, more, spare, j, full, target, sign, exact, bounds, starts, found):
    """The end of an interval (sign ±1), or the least loss where weight j is `target` (sign 0), seen from a minimum.

    `start` is seen, and bent if `full`; it stays as it is. Where there are `starts` to fill, lower minima are searched
    for. Returns whether it was found, which of `looks` it is, and of the profile's model there Q, slope and curvature.
    That is close to an end; without a penalty, at the end itself.
    """
    first, d = looks[0], start.v.size
    for a in range(d):
        first.v[a], first.gradient[a] = start.v[a], start.gradient[a]
        for b in range(d):
            first.information[a, b], first.bend[a, b] = start.information[a, b], start.bend[a, b]
    for k in range(start.sums.size):
        first.sums[k] = start.sums[k]
    for i in range(start.s.size):
        first.V[i] = start.V[i]
        if rows.penalised:
            first.V1[i], first.V2[i], first.spread[i] = start.V1[i], start.V2[i], start.spread[i]
    for a in range(d):
        for b in range(d):
            first.factor[a, b] = start.factor[a, b]
    if sign == 0.0:
        well, at = _held_at(rows, looks, j, full, target, exact[1], found)
        if well and starts.shape[0]:
            well, below = _lowest_from_starts(rows, looks[at], spare, starts, j, found)
            if well and below < looks[at].sums[LOSS] - LOWER:
                well, at = _settled_near(rows, looks, starts[0], j, full)
        if not well:
            return False, at, 0.0, 0.0, 0.0
        well, Q, slope, curvature = _model(rows, looks[at], j, full, found, 0)
        return well, at, Q, slope, curvature
    well, at, Q, slope, curvature = _crossed(rows, looks, 0, j, full, target, sign, exact, bounds, found)
    if well and starts.shape[0]:
        well, at, Q, slope, curvature = _beyond_others(
            rows, looks, more, spare, at, Q, slope, curvature, j, full, target, sign, exact, bounds, starts, found
        )
    if not well or rows.penalised:
        return well, at, Q, slope, curvature
    step = _last_step(target - (looks[at].sums[LOSS] - 0.5 * Q), slope, curvature)
    enough, there = _NOTHING * _noise(looks[at], bounds[0], bounds[1]), (at + 1) % 3
    for a in range(d):
        looks[there].v[a] = looks[at].v[a] + found[0, a] + step * found[1, a]
        found[0, a] = 0.0
    well = _seen(rows, looks[there], False)
    if well:
        well, at = _improved(rows, looks, there, j, False, enough)
    return well, at, 0.0, slope, curvature
