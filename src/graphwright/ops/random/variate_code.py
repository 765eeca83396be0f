"""Gamma, Poisson and binomial variates, each from a stream of Philox's blocks, as plain functions.

Python runs these functions, and `base/scalar_code.py` makes machine code of them. They draw what
TensorFlow draws on CPUs, in its order, by the same functions of C's library. A block gives two
numbers, of which the second is used first.

Sources:

- blocks: see `philox.py`; normals: Box and Muller (1958);
- gamma: Marsaglia and Tsang (2000);
- Poisson: Knuth's product of uniforms for rates below 10, the transformed rejection of Hoermann
  (1993) above;
- binomial: sums of geometric variates (Kachitvichyanukul, Schmeiser 1988) for means below 10,
  Hoermann's BTRS above.
"""

from __future__ import annotations

from math import ceil, cos, exp, floor, lgamma, log, log1p, pow, sin, sqrt

from graphwright.base.scalar_code import Reals


def _units(key: int, low: int, high: int, offset: int) -> tuple[float, float]:
    """The two numbers in [0, 1) of the block so far behind a counter, of which there are halves."""
    sum_ = (low & 0xFFFFFFFF) + offset
    c0 = sum_ & 0xFFFFFFFF
    sum_ = (low >> 32 & 0xFFFFFFFF) + (sum_ >> 32)
    c1 = sum_ & 0xFFFFFFFF
    sum_ = (high & 0xFFFFFFFF) + (sum_ >> 32)
    c2 = sum_ & 0xFFFFFFFF
    c3 = (high >> 32) + (sum_ >> 32) & 0xFFFFFFFF
    k0 = key & 0xFFFFFFFF
    k1 = key >> 32 & 0xFFFFFFFF
    for _ in range(10):
        p0 = c0 * 0xD2511F53
        p1 = c2 * 0xCD9E8D57
        c0 = p1 >> 32 & 0xFFFFFFFF ^ c1 ^ k0
        c1 = p1 & 0xFFFFFFFF
        c2 = p0 >> 32 & 0xFFFFFFFF ^ c3 ^ k1
        c3 = p0 & 0xFFFFFFFF
        k0 = k0 + 0x9E3779B9 & 0xFFFFFFFF
        k1 = k1 + 0xBB67AE85 & 0xFFFFFFFF
    first = (c0 & 0xFFFFF) << 32 | c1
    second = (c2 & 0xFFFFF) << 32 | c3
    return first * 2.220446049250313e-16, second * 2.220446049250313e-16


def _gamma(alpha: float, d: float, c: float, key: int, low: int, high: int, place: int) -> float:
    """A variate of which the shape parameter is not 1."""
    v, radius, angle, spare = 0.0, 0.0, 0.0, 0.0
    has_sine, has_spare = False, False
    while True:
        if has_sine:
            x = sin(angle) * radius
            has_sine = False
        else:
            first, second = _units(key, low, high, place)
            place += 1
            radius = sqrt(-2.0 * log(max(first, 1e-7)))
            angle = 6.283185307179586 * second
            x = cos(angle) * radius
            has_sine = True
        v = 1.0 + c * x
        if v <= 0.0:
            continue
        v = v * v * v
        u = spare
        if has_spare:
            has_spare = False
        else:
            spare, u = _units(key, low, high, place)
            place += 1
            has_spare = True
        if (
            u < 1.0 - 0.0331 * (x * x) * (x * x)
            or u == 0.0
            or log(u) < 0.5 * x * x + d * (1.0 - v + log(v))
        ):
            break
    if alpha < 1.0:
        u = spare
        if not has_spare:
            spare, u = _units(key, low, high, place)
        return d * v * pow(u, 1.0 / alpha)
    return d * v


def gammas(
    alphas: Reals, count: int, samples: int, key: int, low: int, high: int, out: Reals
) -> None:
    """Gamma variates of unit scale.

    Args:
        alphas: [count], finite ones that are not negative.
        count: How many parameters there are.
        samples: How many variates there are for each.
        key: That of all streams.
        low: The lower half of the first stream's counter.
        high: The upper one.
        out: [samples, count], for the variates.
    """
    for i in range(count):
        alpha = alphas[i]
        d = alpha + 2.0 / 3.0 if alpha < 1.0 else alpha + -1.0 / 3.0
        c = 1.0 / 3.0 / sqrt(d)
        for j in range(samples):
            place = (i * samples + j) * 256
            if alpha == 1.0:
                _, u = _units(key, low, high, place)
                out[j * count + i] = -log1p(-u)
            else:
                out[j * count + i] = _gamma(alpha, d, c, key, low, high, place)


def _product(least: float, key: int, low: int, high: int, place: int) -> float:
    """How many numbers can be multiplied until there is no more than the least."""
    product, count, spare = 1.0, 0.0, 0.0
    while True:
        spare, u = _units(key, low, high, place)
        product *= u
        if product <= least:
            return count
        product *= spare
        if product <= least:
            return count + 1.0
        count += 2.0
        place += 1


def _rejection(rate: float, key: int, low: int, high: int, place: int) -> float:
    """A Poisson variate of a rate of 10 or more."""
    b = 0.931 + 2.53 * sqrt(rate)
    a = -0.059 + 0.02483 * b
    inverse_alpha = 1.1239 + 1.1328 / (b - 3.4)
    log_rate = log(rate)
    while True:
        v, u = _units(key, low, high, place)
        place += 1
        u = u - 0.5
        us = 0.5 - abs(u)
        if us == 0.0:
            continue
        k = float(floor((2.0 * a / us + b) * u + rate + 0.43))
        if us >= 0.07 and v <= 0.9277 - 3.6224 / (b - 2.0):
            return k
        if k < 0.0 or (us < 0.013 and v > us):
            continue
        if v == 0.0 or log(v * inverse_alpha / (a / (us * us) + b)) <= (
            -rate + k * log_rate - lgamma(k + 1.0)
        ):
            return k


def poissons(
    rates: Reals, count: int, samples: int, key: int, low: int, high: int, out: Reals
) -> None:
    """Poisson variates; the parameters are those of `gammas`."""
    for i in range(count):
        rate = rates[i]
        least = exp(-rate)
        for j in range(samples):
            place = (i * samples + j) * 256
            if rate < 10.0:
                out[j * count + i] = _product(least, key, low, high, place)
            else:
                out[j * count + i] = _rejection(rate, key, low, high, place)


def _geometric(trials: float, scale: float, key: int, low: int, high: int, place: int) -> float:
    """How many geometric variates, of which the scale is the logarithm, fit into trials."""
    total, count, spare = 0.0, 0.0, 0.0
    while True:
        spare, u = _units(key, low, high, place)
        total += float(ceil(log(u) / scale))
        if total > trials:
            return count
        total += float(ceil(log(spare) / scale))
        if total > trials:
            return count + 1.0
        count += 2.0
        place += 1


def _tail(k: float, tails: Reals) -> float:
    """The error of Stirling's formula for log k!: `tails` for numbers below 10, a series above."""
    if k <= 9.0:
        return tails[int(k)]
    square = (k + 1.0) * (k + 1.0)
    return (1.0 / 12.0 - (1.0 / 360.0 - 1.0 / 1260.0 / square) / square) / (k + 1.0)


def _btrs(
    trials: float, chance: float, tails: Reals, key: int, low: int, high: int, place: int
) -> float:
    """A binomial variate of a mean of 10 or more."""
    deviation = sqrt(trials * chance * (1.0 - chance))
    b = 1.15 + 2.53 * deviation
    a = -0.0873 + 0.0248 * b + 0.01 * chance
    alpha = (2.83 + 5.1 / b) * deviation
    m = float(floor((trials + 1.0) * chance))
    odds = chance / (1.0 - chance)
    while True:
        v, u = _units(key, low, high, place)
        place += 1
        u = u - 0.5
        us = 0.5 - abs(u)
        if us == 0.0:
            continue
        k = float(floor((2.0 * a / us + b) * u + (trials * chance + 0.5)))
        if us >= 0.07 and v <= 0.92 - 4.2 / b:
            return k
        if k < 0.0 or k > trials:
            continue
        bound = (m + 0.5) * log((m + 1.0) / (odds * (trials - m + 1.0)))
        bound += (trials + 1.0) * log((trials - m + 1.0) / (trials - k + 1.0))
        bound += (k + 0.5) * log(odds * (trials - k + 1.0) / (k + 1.0))
        bound = bound + _tail(m, tails) + _tail(trials - m, tails)
        bound = bound - _tail(k, tails) - _tail(trials - k, tails)
        if v == 0.0 or log(v * alpha / (a / (us * us) + b)) <= bound:
            return k


def binomials(
    trials: Reals, chances: Reals, tails: Reals, count: int, samples: int, key: int, low: int,
    high: int, out: Reals,
) -> None:  # fmt: skip
    """Binomial variates.

    Args:
        trials: [count].
        chances: [count], at most 0.5.
        tails: [10], the error of Stirling's formula for the logarithms of 0!, 1!, ...
        count, samples, key, low, high, out: As of `gammas`.
    """
    for i in range(count):
        scale = log1p(-chances[i])
        is_small = trials[i] * chances[i] < 10.0
        for j in range(samples):
            place = i * samples + j
            if trials[i] == 0.0 or chances[i] == 0.0:
                out[j * count + i] = 0.0
            elif is_small:
                drawn = _geometric(trials[i], scale, key, low, high, place * 42)
                out[j * count + i] = drawn
            else:
                drawn = _btrs(trials[i], chances[i], tails, key, low, high, place * 256)
                out[j * count + i] = drawn


#: All functions; each calls those before it.
FUNCTIONS = (
    _units, _gamma, gammas, _product, _rejection, poissons, _geometric, _tail, _btrs, binomials
)  # fmt: skip
