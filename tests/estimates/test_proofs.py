"""What is proved of estimates and interval ends, tried against a slow maximiser that knows nothing of separation."""

from math import inf, isfinite

from rosenblatt.estimates.estimating import estimate
from tests.estimates.oracles import half_quantile
from tests.estimates.sets import small_set

HALF = half_quantile(0.95)
SETS = 100


def check_ends(slow, best, j, one):
    """Inner values are inside, outer ones outside; towards an infinite end the profile never leaves the interval."""
    for sign, end in ((-1.0, one.lower), (1.0, one.upper)):
        if isfinite(end.value):
            assert end.proved
            assert abs(end.outer - end.inner) <= 1e-6 * max(1.0, abs(end.value))
            inside, w = slow.least(j, end.inner)
            outside, _ = slow.least(j, end.outer, w)
            assert inside <= best + HALF <= outside
        else:
            assert end.value == sign * inf
            w = None
            for b in (1.0, 2.0, 4.0, 6.0, 8.0, 10.0, 12.0):
                loss, w = slow.least(j, sign * b, w)
            assert loss < best + HALF


def check_firth(slow, found):
    """The root is as near as was proved, and no small step from it is more likely."""
    values = [one.firth.value for one in found.coefficients]
    root = slow.root(values)
    here = slow.penalised_loss(root)
    for j, one in enumerate(found.coefficients):
        assert one.firth.error is not None
        assert abs(root[j] - one.firth.value) <= one.firth.error
        for sign, end in ((-1.0, one.firth.lower), (1.0, one.firth.upper)):
            held = [end if k == j else v for k, v in enumerate(values)]
            assert sign * (end - one.firth.value) > 0
            if slow.d == 1:
                assert abs(slow.penalised_loss(slow.root(held, j)) - here - HALF) < 1e-7


def test_estimates_and_ends_are_where_they_are_proved_to_be(request):
    fates, models = set(), set()
    for number in range(10 * SETS if request.config.getoption("--soak") else SETS):
        data, with_firth = small_set(number), number % 5 == 0
        found = estimate(data.X, data.y, firth=with_firth, **data.arguments)
        if any(one.fate == "not identified" for one in found.coefficients):
            continue
        slow = data.slow()
        best, w = slow.least()
        for j, one in enumerate(found.coefficients):
            if one.fate == "finite":
                assert one.error is not None
                assert one.error < 1e-8
                assert abs(w[j] - one.value) <= one.error, number
            else:
                assert {"+inf": w[j] > 5, "-inf": w[j] < -5}.get(one.fate, True), number
            check_ends(slow, best, j, one)
        if with_firth:
            check_firth(slow, found)
        fates |= {one.fate for one in found.coefficients}
        models.add(data.model)
    assert fates == {"finite", "+inf", "-inf", "undetermined"}
    assert models == {"logistic", "binomial", "poisson"}


def test_the_profile_of_a_separated_coefficient_is_the_limit_of_the_others_at_infinity():
    # x0 is 1 only among successes, x1 only among failures: held at any value, the other one runs away
    X, y = [[1, 0], [1, 0], [0, 1], [0, 1], [0, 0], [0, 0], [0, 0]], [1, 1, 0, 0, 0, 1, 1]
    found = estimate(X, y, firth=False)
    assert [one.fate for one in found.coefficients] == ["+inf", "-inf", "finite"]
    slow_data = small_set(1).__class__(X, y, "logistic", None, None, None, True).slow()
    best, _ = slow_data.least()
    for j, one in enumerate(found.coefficients):
        check_ends(slow_data, best, j, one)
