"""Numbers as `printf` prints them, as plain Python for machine code.

A float times a power of ten is computed with its rounding error, so the last digit is rounded as if
all digits were known: to the nearest, ties to even.

Source: Dekker, "A floating-point technique for extending the available precision" (1971).
"""

from __future__ import annotations

from graphwright.base.scalar_code import Integers, Octets, Reals


def _put(out: Octets, place: int, number: int, count: int) -> int:
    """Writes the last `count` digits of a number; the place behind them."""
    for i in range(count - 1, -1, -1):
        out[place + i] = 48 + number % 10
        number = number // 10
    return place + count


def _digits(number: int) -> int:
    """How many digits a number has that is not negative."""
    count = 1
    while number > 9:
        number = number // 10
        count += 1
    return count


def print_integers(x: Integers, n: int, out: Octets, ends: Integers) -> None:
    """Writes numbers one behind the other: all but -2 ** 63, with up to 20 bytes each."""
    place = 0
    ends[0] = 0
    for i in range(n):
        number = x[i]
        if number < 0:
            out[place] = 45
            place += 1
            number = -number
        place = _put(out, place, number, _digits(number))
        ends[i + 1] = place


def _times(x: float, power: float) -> int:
    """x * power, rounded; below 2 ** 52, and `power` a whole number."""
    product = x * power
    split = 134217729.0 * x
    x_high = split - (split - x)
    x_low = x - x_high
    split = 134217729.0 * power
    power_high = split - (split - power)
    power_low = power - power_high
    error = x_low * power_low - (
        ((product - x_high * power_high) - x_low * power_high) - x_high * power_low
    )
    number = int(product)
    rest = product - float(number)
    if rest > 0.5 or (rest == 0.5 and error > 0.0):
        return number + 1
    if rest == 0.5 and error == 0.0:
        return number + number % 2
    return number


def _over(x: float, power: float) -> int:
    """x / power, rounded; x below 2 ** 53, and `power` a whole number."""
    number = int(x / power)
    rest = x - float(number) * power
    if rest < 0.0:
        number -= 1
        rest += power
    half = 0.5 * power
    if rest > half:
        return number + 1
    if rest == half:
        return number + number % 2
    return number


def _scaled(x: float, exponent: int, powers: Reals) -> int:
    """x times a power of ten, rounded."""
    if exponent >= 0:
        return _times(x, powers[exponent])
    return _over(x, powers[-exponent])


def _exponent(x: float, powers: Reals) -> int:
    """The exponent of ten below x, or one less; x is from 1e-12 to 1e15."""
    exponent = 0
    if x >= 1.0:
        while x >= powers[exponent + 1]:
            exponent += 1
        return exponent
    while x * powers[-exponent] < 1.0000000001:
        exponent -= 1
    return exponent


def _put_exponent(out: Octets, place: int, exponent: int) -> int:
    """Writes an exponent as %e does; the place behind it."""
    out[place] = 101
    out[place + 1] = 43
    if exponent < 0:
        out[place + 1] = 45
        exponent = -exponent
    return _put(out, place + 2, exponent, 2)


def _without_zeros(out: Octets, place: int) -> int:
    """The place behind the last digit of a fraction that is not 0, or of the whole part."""
    while out[place - 1] == 48:
        place -= 1
    if out[place - 1] == 46:
        place -= 1
    return place


def _fixed(
    x: float, precision: int, powers: Reals, wholes: Integers, out: Octets, place: int
) -> int:
    """Writes a number as %f does; the place behind it, or -1 where it is too large."""
    if not x * powers[precision] < 4503599627370496.0:
        return -1
    number = _times(x, powers[precision])
    whole = number // wholes[precision]
    place = _put(out, place, whole, _digits(whole))
    if precision > 0:
        out[place] = 46
        place = _put(out, place + 1, number - whole * wholes[precision], precision)
    return place


def _scientific(
    x: float,
    precision: int,
    is_short: bool,
    powers: Reals,
    wholes: Integers,
    out: Octets,
    place: int,
) -> int:
    """Writes a number as %e does, or as %g; the place behind it, or -1 for some numbers."""
    if is_short:
        precision = max(precision, 1) - 1
    exponent = 0
    number = 0
    if x != 0.0:
        if not (x >= 1e-8 and x < 1e15) or precision > 11:
            return -1
        exponent = _exponent(x, powers)
        number = _scaled(x, precision - exponent, powers)
        while number >= wholes[precision + 1]:
            exponent += 1
            number = _scaled(x, precision - exponent, powers)
    if is_short and exponent >= -4 and exponent <= precision:
        decimals = precision - exponent
        whole = number // wholes[decimals]
        place = _put(out, place, whole, _digits(whole))
        if decimals > 0:
            out[place] = 46
            place = _put(out, place + 1, number - whole * wholes[decimals], decimals)
            place = _without_zeros(out, place)
        return place
    first = number // wholes[precision]
    place = _put(out, place, first, 1)
    if precision > 0:
        out[place] = 46
        place = _put(out, place + 1, number - first * wholes[precision], precision)
        if is_short:
            place = _without_zeros(out, place)
    return _put_exponent(out, place, exponent)


def print_reals(
    x: Reals,
    n: int,
    style: int,
    precision: int,
    powers: Reals,
    wholes: Integers,
    out: Octets,
    ends: Integers,
) -> None:
    """Writes numbers one behind the other, with at most 24 + `precision` bytes each.

    A number of no bytes is for Python.

    Args:
        x: The numbers.
        n: How many there are.
        style: 0 for %f, 1 for %e and 2 for %g.
        precision: The digits that the style asks for, at most 15.
        powers: The powers of ten from 1 to 1e22.
        wholes: Those from 1 to 1e18.
        out: Room for the texts.
        ends: Where they begin, and the last one ends.
    """
    place = 0
    ends[0] = 0
    for i in range(n):
        number = x[i]
        start = place
        if abs(number) < 1e18:
            if number < 0.0 or (number == 0.0 and 1.0 / number < 0.0):
                out[place] = 45
                place += 1
                number = -number
            if style == 0:
                place = _fixed(number, precision, powers, wholes, out, place)
            else:
                place = _scientific(number, precision, style == 2, powers, wholes, out, place)
            if place < 0:
                place = start
        ends[i + 1] = place


#: All functions; each calls those before it.
FUNCTIONS = (
    _put, _digits, print_integers, _times, _over, _scaled, _exponent, _put_exponent,
    _without_zeros, _fixed, _scientific, print_reals,
)  # fmt: skip
