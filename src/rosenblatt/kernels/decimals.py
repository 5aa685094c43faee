"""Decimal numbers in text to float64, each rounded as Python's float() rounds it.

A number is plain if it has a sign or none, digits with a point or without one, and perhaps an exponent. Where anything
else comes, the reading ends, and the caller decides what to do. A number is m · 10^e, with its first 19 digits in m:

    m < 10^15, |e| ≤ 22     one division or product of exact numbers (Clinger 1990)
    otherwise               m times the first 128 bits of 5^e (Lemire 2021; that they suffice: Mushtak & Lemire 2023)
    more than 19 digits     the caller must ask float(), unless they are zeros in front

Digits are read eight at a time, as one word. All constants are uint64: to Numba, uint64 + int64 is a float.

A float stands for its text where the text has at most 15 digits, or is the shortest text of that float. The caller is
asked about texts that may be neither.
"""

import numpy as np

from rosenblatt.kernels.compile import helper, helper_inlined, kernel
from rosenblatt.kernels.instructions import as_bits, as_float, load_eight_bytes, upper_product, zeros_above, zeros_below

__all__ = ["PADDING", "count_byte", "held_number", "narrow_formats", "read_pairs", "nearest_bits"]

PADDING = 16  # zero bytes that must follow the text
LOOK = 4  # the text must be looked at

_MINUS, _PLUS, _POINT, _ZERO, _NINE = (np.uint64(ord(c)) for c in "-+.09")
_SMALL_E, _LARGE_E, _COLON = (np.uint64(ord(c)) for c in "eE:")
_SPACE, _TAB, _RETURN, _NEWLINE = (np.uint64(ord(c)) for c in " \t\r\n")
_BYTE, _EIGHT = np.uint64(0xFF), np.uint64(8)
_U0, _U1, _U2, _U3, _U16, _U32, _U63 = (np.uint64(k) for k in (0, 1, 2, 3, 16, 32, 63))

# ------------------------------------------------------------------------------------------------------------- powers


def _fives():
    """The first 128 bits of 5^e for e = −342 … 308, upper and lower half; for e < 0 they are rounded up."""
    halves = []
    for e in range(_LEAST, _MOST + 1):
        power = 5 ** abs(e)
        bits = power << 128 if e >= 0 else (1 << (2 * power.bit_length() + 128)) // power
        first = (bits >> (bits.bit_length() - 128)) + (e < 0)
        halves.append((first >> 64, first & 0xFFFFFFFFFFFFFFFF))
    return np.array(halves, dtype=np.uint64)


_LEAST, _MOST = -342, 308  # beyond these, 19 digits give zero or infinity
_FIVES = _fives()
_TENS = np.array([10**k for k in range(20)], dtype=np.uint64)
_FLOAT_TENS = np.array([10.0**k for k in range(23)])
_DIGITS = 19  # what a uint64 holds
_FRACTION = np.uint64(52)
_HIDDEN = np.uint64(1 << 52)
_EXACT = np.uint64(1 << 53)
_INFINITE = np.uint64(0x7FF << 52)
_LOWER_BITS = np.uint64(0xFFFFFFFFFFFFFFFF >> 55)


@helper_inlined
def nearest_bits(m, e):
    """The bits of m · 10^e, correctly rounded; those of infinity where it is too large."""
    if m == _U0 or e < _LEAST:
        return _U0
    if e > _MOST:
        return _INFINITE
    # Shift m until its highest bit is set, as that of the power is: then the product has 127 or 128 bits.
    lead = zeros_above(m)
    m <<= lead
    # 10^e = 5^e · 2^e, and 2^e moves the exponent only. The upper half of 5^e decides almost always.
    upper, lower = upper_product(m, _FIVES[e - _LEAST, 0]), m * _FIVES[e - _LEAST, 0]
    # if these bits are all ones, the lower half of 5^e may carry into the bits that are kept
    if upper & _LOWER_BITS == _LOWER_BITS:
        more = upper_product(m, _FIVES[e - _LEAST, 1])
        lower += more
        if more > lower:
            upper += _U1
    top = upper >> _U63
    shift = top + np.uint64(9)
    mantissa = upper >> shift  # 54 bits: one more than needed
    power = ((217706 * e) >> 16) + 63 + 1023 + np.int64(top) - np.int64(lead)  # ⌊e · log2 10⌋, biased
    # a subnormal number has fewer bits, so it is rounded at another place
    if power <= 0:
        if power <= -63:
            return _U0
        mantissa >>= np.uint64(1 - power)
        # rounded up to 2^52, these are the bits of the smallest normal number
        return (mantissa + (mantissa & _U1)) >> _U1
    # exactly between two numbers: round to the even one
    if lower <= _U1 and -4 <= e <= 23 and mantissa & _U3 == _U1 and mantissa << shift == upper:
        mantissa &= ~_U1
    mantissa = (mantissa + (mantissa & _U1)) >> _U1
    if mantissa >= _EXACT:
        mantissa = _HIDDEN
        power += 1
    if power >= 0x7FF:
        return _INFINITE
    return (np.uint64(power) << _FRACTION) | (mantissa & ~_HIDDEN)


# ------------------------------------------------------------------------------------------------------ shortest texts

_SHORT, _LONGEST = np.uint64(10**15), np.uint64(10**17)  # 15 digits, and 17: no float needs more
_SMALL = np.uint64(64 << 52)  # the bits of 2^−959; numbers below it may have fewer digits than others
_LARGEST = np.uint64((1023 + 53) << 52)  # the bits of 2^53
_ONE_WORD = 27  # 5^27 < 2^64
_ONE_WORD_FIVES = np.array([5**k for k in range(_ONE_WORD + 1)], dtype=np.uint64)
_MOST_TENS = 22  # 10^22 is a float
_NEAR = 280  # numbers of at most 19 digits times a power of ten up to this are neither tiny nor infinite
_ELEVEN, _MIDDLE, _CLOSE = np.uint64(11), np.uint64(1 << 63), np.uint64(64)


@helper
def _nearest_whole(bits, k):
    """(m, certain): the whole number nearest to x · 10^k, of 49 to 60 bits, for the float x > 0 with these bits.

    Of two that are equally near it is the even one, as in the shortest text of x.
    """
    # x = M · 2^s. With the first 128 bits T of 5^k, x · 10^k is M · T · 2^(s + ⌊k · log2 10⌋ − 127).
    mantissa = ((bits & (_HIDDEN - _U1)) | _HIDDEN) << _ELEVEN
    s = np.int64(bits >> _FRACTION) - 1075 - 11
    upper, lower = upper_product(mantissa, _FIVES[k - _LEAST, 0]), mantissa * _FIVES[k - _LEAST, 0]
    more = upper_product(mantissa, _FIVES[k - _LEAST, 1])
    lower += more
    if more > lower:
        upper += _U1
    away = -(s + ((217706 * k) >> 16) - 127) - 128  # the point is so many bits into the upper word
    if not 1 <= away <= 63:
        return _U0, False
    shift = np.uint64(away)
    whole, part = upper >> shift, (upper << np.uint64(64 - away)) | (lower >> shift)
    if part == _MIDDLE and 0 <= k <= _ONE_WORD and lower << np.uint64(64 - away) == _U0:  # exactly between two
        return whole + (whole & _U1), True
    certain = part + _CLOSE < _MIDDLE or part > _MIDDLE + _CLOSE
    return whole + (_U1 if part > _MIDDLE else _U0), certain


@helper
def _stands_for(m, e, bits):
    """Whether the float x > 0 with these bits surely stands for m · 10^e, from which it was read."""
    if bits < _SMALL:
        return m == _U0
    while m % _TEN == _U0:
        m //= _TEN
        e += 1
    if m < _SHORT:
        return True
    if m >= _LONGEST or not _LEAST < -e < _MOST:
        return False
    # no shorter text has this float, and of those with as many digits none is nearer to it
    tenth = m // _TEN
    if nearest_bits(tenth, e + 1) == bits or nearest_bits(tenth + _U1, e + 1) == bits:
        return False
    nearest, certain = _nearest_whole(bits, -e)
    return certain and nearest == m


@helper_inlined
def _is_shortest(m, k):
    """Whether m / 10^k surely is the shortest text of its float; 10^15 ≤ m < 10^17 does not end in 0, and k ≤ 22."""
    x = np.float64(np.int64(m)) / _FLOAT_TENS[k]  # the nearest float, or a neighbour of it
    bits = as_bits(x)
    # x = M · 2^s. In units of 2^−t, with t = −s − k: x · 10^k is M · 5^k, a step of M is 5^k, and one of m is 2^t.
    mantissa = (bits & (_HIDDEN - _U1)) | _HIDDEN
    t = 1075 - np.int64(bits >> _FRACTION) - k
    if not 1 <= t <= 57:
        return False
    # both products overflow, and their difference, which is small, does not
    beyond = np.int64(mantissa * _ONE_WORD_FIVES[k] - (m << np.uint64(t)))
    step, one = np.int64(_ONE_WORD_FIVES[k]), 1 << t
    # a neighbour, then; no branch, since nobody foresees it
    away = np.int64(2 * beyond > step) - np.int64(2 * beyond < -step)
    mantissa -= np.uint64(away)
    beyond -= away * step
    # at a power of two the steps on both sides differ
    if not _HIDDEN < mantissa < _EXACT:
        return False
    last = np.int64(m % _TEN)
    nearest = (2 * abs(beyond) < step) & (2 * abs(beyond) < one)
    # neither m without its last digit nor the next such number has this float
    return nearest & (2 * (beyond + last * one) > step) & (2 * ((10 - last) * one - beyond) > step)


@helper
def _as_printed(m, e, bits):
    """By which of %.16g (1) and %.17g (2) the float x > 0 with these bits is written m · 10^e."""
    if bits < _SMALL or m == _U0:
        return 0
    while m % _TEN == _U0:
        m //= _TEN
        e += 1
    while m < _SHORT:
        m *= _TEN
        e -= 1
    found = 0
    for digits in range(1, 3):
        if m < _LONGEST and _LEAST < -e < _MOST:
            nearest, certain = _nearest_whole(bits, -e)
            # m has 16 digits, then 17
            if certain and nearest == m and (m < _LONGEST // _TEN) == (digits == 1):
                found |= digits
        if m < _LONGEST // _TEN:
            m *= _TEN
            e -= 1
    return found


@helper
def _how_written(m, e, bits):
    """How m · 10^e is written: 0 so that the float stands for it, 1 to 3 as `_as_printed` says, else LOOK."""
    if _stands_for(m, e, bits):
        return 0
    found = _as_printed(m, e, bits)
    return found if found else LOOK


@helper
def _rounded_to(bits, digits):
    """(m, e, certain): the decimal of 15, 16 or 17 digits that is nearest to the float x > 0 with these bits."""
    e = np.int64(np.floor(np.log10(as_float(bits)))) - digits + 1
    for _ in range(2):
        if not _LEAST < -e < _MOST:
            break
        m, certain = _nearest_whole(bits, -e)
        if m >= _TENS[digits]:
            e += 1
        elif m < _TENS[digits - 1]:
            e -= 1
        else:
            return m, e, certain
    return _U0, 0, False


@helper
def _formats(bits):
    """By which of %.16g (1) and %.17g (2) the float x > 0 is written as in its shortest text."""
    found = 0
    for flag in range(1, 3):
        m, e, certain = _rounded_to(bits, 15 + flag)
        if certain and nearest_bits(m, e) == bits and _stands_for(m, e, bits):
            found |= flag
    return found


@kernel
def narrow_formats(values, columns, printed, formats, long):
    """Take from `formats` of each column those that have not written all of its values; 0: the column is not asked for.

    printed    how values were written that are not in their shortest text; 0: they are
    long       becomes true where a value is no decimal of 15 digits
    """
    for at in range(values.shape[0]):
        j = columns[at]
        if formats[j] == 0 or values[at] == 0.0:
            continue
        bits = as_bits(abs(values[at]))
        formats[j] &= printed[at] if printed[at] else _formats(bits)
        if not long[j]:
            m, e, certain = _rounded_to(bits, 15)
            long[j] = certain and nearest_bits(m, e) != bits


# -------------------------------------------------------------------------------------------------------------- digits

_EACH_30, _EACH_46, _EACH_80 = (np.uint64(0x0101010101010101 * byte) for byte in (0x30, 0x46, 0x80))
_TEN, _PAIRS = np.uint64(10), np.uint64(0x000000FF000000FF)
_FIRST, _SECOND = np.uint64(100 + (1000000 << 32)), np.uint64(1 + (10000 << 32))


@helper_inlined
def _leading_digits(word):
    """How many of eight bytes are digits, up to the first that is not."""
    # A byte above "9" sets its highest bit in the sum, a byte below "0" in the difference. A carry only reaches bytes
    # behind the first one that is no digit, and those do not count.
    return zeros_below(((word + _EACH_46) | (word - _EACH_30)) & _EACH_80) >> _U3


@helper_inlined
def _value_of_digits(word, n):
    """The number whose n digits are the first of eight bytes."""
    half = _U32 - (n << _U2)
    # shift in two steps: n may be 0, and a shift by 64 would do nothing
    word = ((word - _EACH_30) << half) << half
    # neighbouring digits make four numbers below 100, and these make one
    word = word * _TEN + (word >> _EIGHT)
    return ((word & _PAIRS) * _FIRST + ((word >> _U16) & _PAIRS) * _SECOND) >> _U32


@helper
def _significant(text, at, end):
    """The first 19 significant digits as one number m, their power of ten, and whether more than zeros was left out.

    The power is the number of digits left out before the point; or minus the number of digits of m behind the point.
    """
    m, kept, power, point, left_out = _U0, 0, 0, False, False
    for i in range(at, end):
        byte = np.uint64(text[i])
        if byte == _POINT:
            point = True
        elif kept < _DIGITS:
            m = m * _TEN + (byte - _ZERO)
            kept += m > _U0
            power -= point
        else:
            left_out |= byte != _ZERO
            power += not point
    return m, power, left_out


@helper
def _long_number(text, at, end, shift):
    """The bits of a number of more than 19 digits at..end, without sign and exponent, and how it is written."""
    m, power, left_out = _significant(text, at, end)
    bits = nearest_bits(m, power + shift)
    return bits, LOOK if left_out else _how_written(m, power + shift, bits)


@helper
def _exponent(text, at):
    """The exponent at `at`, behind its e: its value, and where it ends (−1 if it has no digit)."""
    byte = np.uint64(text[at])
    minus = byte == _MINUS
    if minus or byte == _PLUS:
        at += 1
    start, power = at, 0
    while _ZERO <= np.uint64(text[at]) <= _NINE:
        power = min(power * 10 + np.int64(text[at]) - 48, 1 << 40)  # anything larger means infinity or zero too
        at += 1
    return -power if minus else power, at if at > start else -1


@helper_inlined
def _append_digits(text, at, word, m):
    """Append the digits at `at` to those of m; `word` is the eight bytes at `at`.

    Returns m, where the digits end, and the byte there.
    """
    n = _leading_digits(word)
    # Most numbers have fewer than eight digits on a side of the point: the loop is seldom entered. In it the next place
    # does not depend on what is read, so that processors read ahead.
    while n == _EIGHT:
        m = m * _TENS[8] + _value_of_digits(word, _EIGHT)
        at += 8
        word = load_eight_bytes(text, at)
        n = _leading_digits(word)
    m = m * _TENS[n] + _value_of_digits(word, n)
    at += np.int64(n)
    return m, at, (word >> (n << _U3)) & _BYTE


@helper_inlined
def _plain_number(text, at):
    """The number at `at`: its value, where it ends (−1 if it is not plain), and `_how_written`."""
    word = load_eight_bytes(text, at)
    negative = word & _BYTE == _MINUS
    if negative or word & _BYTE == _PLUS:
        at += 1
        word = load_eight_bytes(text, at)
    start = at
    # Digits before and behind the point make one whole number m; `power` counts those behind it, as a negative number.
    m, at, end = _append_digits(text, at, word, _U0)
    digits, power = at - start, 0
    if digits == 0 and end != _POINT:
        return 0.0, -1, 0
    if end == _POINT:
        first = at + 1
        m, at, end = _append_digits(text, first, load_eight_bytes(text, first), m)
        power = first - at
        # a point alone is no number
        if power == 0 and digits == 0:
            return 0.0, -1, 0
        digits -= power
    stop, shift = at, 0
    if end in (_SMALL_E, _LARGE_E):
        shift, at = _exponent(text, at + 1)
        if at < 0:
            return 0.0, -1, 0
        power += shift
    # Floats hold both numbers exactly, so this one operation rounds once, as float() does.
    if digits <= _DIGITS and m < _SHORT and -22 <= power <= 22:
        exact = np.float64(np.int64(m))
        value = exact / _FLOAT_TENS[-power] if power < 0 else exact * _FLOAT_TENS[power]
        return -value if negative else value, at, 0
    # m has overflowed: read the first 19 digits again.
    if digits > _DIGITS:
        bits, how = _long_number(text, start, stop, shift)
    else:
        bits = nearest_bits(m, power)
        how = _how_written(m, power, bits)
    if digits == at - start and bits > _LARGEST:  # a whole number that the float may not hold
        how = LOOK
    # Too large for float64: the caller decides what to do.
    if bits == _INFINITE:
        return 0.0, -1, 0
    value = as_float(bits)
    return -value if negative else value, at, how


@helper
def _is_held(m, e):
    """Whether float64 surely holds m · 10^e, m > 0: it has at most 15 digits, or is the shortest text of its float."""
    if not -_NEAR <= e <= _NEAR:
        return False
    while m % _TEN == _U0:
        m //= _TEN
        e += 1
    if m < _SHORT:
        return True
    if m < _LONGEST and -_MOST_TENS <= e < 0 and _is_shortest(m, -e):
        return True
    bits = nearest_bits(m, e)
    return bits != _INFINITE and _stands_for(m, e, bits)


@helper
def _is_long_held(text, start, stop, shift):
    """The same for a number of more than 19 digits at start..stop, without sign, times 10^shift."""
    m, power, left_out = _significant(text, start, stop)
    return not left_out and (m == _U0 or _is_held(m, power + shift))


@helper_inlined
def held_number(text, at):
    """Where the plain number at `at` ends, and whether float64 surely holds it.

    Where there is no plain number, it ends anywhere before the first byte that cannot be in one, and is not held.
    """
    at += np.uint64(text[at]) == _MINUS
    start = at
    m = np.uint64(text[at]) - _ZERO
    if m < _TEN and np.uint64(text[at + 1]) == _POINT:  # as most are: where they go on depends on nothing
        at, end = at + 1, _POINT
    else:
        m, at, end = _append_digits(text, at, load_eight_bytes(text, at), _U0)
    digits, power = at - start, 0
    if end == _POINT:
        first = at + 1
        m, at, end = _append_digits(text, first, load_eight_bytes(text, first), m)
        power = first - at
        digits -= power
    if digits == 0:
        return at, False
    stop, shift = at, 0
    if end in (_SMALL_E, _LARGE_E):
        shift, after = _exponent(text, at + 1)
        if after < 0:
            return at, False
        at = after
    if digits == at - start:  # a whole number beyond these may not be its float, though it has few digits
        return at, digits <= _DIGITS and m <= _EXACT
    if digits > _DIGITS:
        return at, _is_long_held(text, start, stop, shift)
    power += shift
    if m < _SHORT:
        return at, -_NEAR <= power <= _NEAR or m == _U0
    if m < _LONGEST and -_MOST_TENS <= power < 0 and m % _TEN != _U0 and _is_shortest(m, -power):
        return at, True
    return at, _is_held(m, power)


# --------------------------------------------------------------------------------------------------------------- lines


@kernel
def count_byte(text, start, stop, byte):
    """How often a byte occurs."""
    n = 0
    for i in range(np.uint64(start), np.uint64(stop)):  # unsigned: no index counts from the end, so it is vectorised
        n += text[i] == byte
    return n


@helper_inlined
def _after_blanks(text, at):
    while np.uint64(text[at]) in (_SPACE, _TAB, _RETURN):
        at += 1
    return at


@helper_inlined
def _index(text, at):
    """The whole number at `at`, and where it ends; −1 if there is no digit."""
    # ten digits are enough for 2^32; if there are more, the caller finds no colon behind the tenth
    start, index = at, 0
    while _ZERO <= np.uint64(text[at]) <= _NINE and at - start < 10:
        index = index * 10 + np.int64(text[at]) - 48
        at += 1
    return (index, at) if at > start else (-1, at)


@kernel
def read_pairs(text, stop, least, most, labels, lengths, columns, values, printed, unsure):
    r"""Read lines `label index:value index:value …`, each with its \n, blank ones left out, from the start to `stop`.

    text               bytes, and PADDING more
    least, most        the smallest and the largest index allowed; in a line they ascend
    labels, lengths    the label of each line, and how many values it has
    columns, values    of all lines, one after another
    printed            by which formats a value is written that is not in its shortest text: 1 %.16g, 2 %.17g, 3 both
    unsure             numbers whose text must be looked at: place among the values (−1 − place among the labels),
                       start, stop

    Returns how many lines, values and unsure numbers there are; lines is −1 where anything is not plain.
    """
    at, row, pair, noted = 0, 0, 0, 0
    while at < stop:
        at = _after_blanks(text, at)
        if np.uint64(text[at]) == _NEWLINE:
            at += 1
            continue
        first, before = pair, least - 1
        # The label is read like a value; its place is negative, so that both can be noted as unsure.
        place = -1 - row
        while True:
            begin = at
            value, at, how = _plain_number(text, at)
            # not plain, or no room to note another unsure number: the caller reads these lines itself
            if at < 0 or noted == unsure.shape[0]:
                return -1, 0, 0
            if place < 0:
                labels[row] = value
            else:
                values[place] = value
                printed[place] = how if how != LOOK else 0
            if how == LOOK or (how != 0 and place < 0):
                unsure[noted, 0], unsure[noted, 1], unsure[noted, 2] = place, begin, at
                noted += 1
            end = at
            at = _after_blanks(text, at)
            if np.uint64(text[at]) == _NEWLINE:
                at += 1
                break
            index, colon = _index(text, at)
            # a blank comes before every pair, and indices ascend
            if at == end or index <= before or index > most or np.uint64(text[colon]) != _COLON:
                return -1, 0, 0
            columns[pair] = index
            before, place, at = index, pair, colon + 1
            pair += 1
        lengths[row] = pair - first
        row += 1
    return row, pair, noted
