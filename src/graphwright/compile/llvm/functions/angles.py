"""Functions of angles and their inverses, branch-free except for huge angles.

An angle is r + n quarter turns, |r| <= pi / 4: fused steps subtract n times pi / 2 in three parts.
The first difference is exact, so r is good to the last bit even near a multiple of pi / 2.
"""

from __future__ import annotations

from graphwright.compile.llvm.functions import polynomials as of
from graphwright.compile.llvm.functions.element_blocks import rarely
from graphwright.compile.llvm.functions.huge_angles import reduced_huge
from graphwright.compile.llvm.functions.lanes import Lanes, choose, fma, polynomial, select
from graphwright.compile.llvm.functions.scaling import nearest

TWO_OVER_PI = 0.6366197723675814
#: Above which n times pi / 2 needs more parts.
HUGE = {"f32": 2.0**16, "f64": 2.0**30}


def reduced(x: Lanes) -> tuple[Lanes, Lanes]:
    """r and the integer n of the angle x."""
    first, second, third = of.HALF_PI[x.kind]
    whole, n = nearest(x, TWO_OVER_PI)
    r = fma(whole, -third, fma(whole, -second, fma(whole, -first, x)))
    huge = ~(x.abs() <= HUGE[x.kind])
    r, n = rarely(huge, [r, n], lambda: [
        select(huge, there, here) for there, here in zip(reduced_huge(x)[::2], (r, n))
    ])  # fmt: skip
    return r, n


def reduced_in_two(x: Lanes) -> tuple[Lanes, Lanes, Lanes]:
    """r, the error of r, and n of the angle x."""
    first, second, third = of.HALF_PI[x.kind]
    whole, n = nearest(x, TWO_OVER_PI)
    exact = fma(-whole, first, x)
    product = whole * second
    r = exact - product
    product_low = fma(whole, third, fma(whole, second, -product))
    low = ((exact - r) - product) - product_low
    huge = ~(x.abs() <= HUGE[x.kind])
    r, low, n = rarely(huge, [r, low, n], lambda: [
        select(huge, there, here) for there, here in zip(reduced_huge(x), (r, low, n))
    ])  # fmt: skip
    return r, low, n


def sine_and_cosine(r: Lanes) -> tuple[Lanes, Lanes]:
    """The sine and the cosine of |r| <= pi / 4."""
    square = r * r
    sine = fma(r * square, polynomial(square, of.SIN[r.kind]), r)
    cosine = fma(square, fma(square, polynomial(square, of.COS[r.kind]), -0.5), 1)
    return sine, cosine


def signed_by(x: Lanes, bit: Lanes) -> Lanes:
    """x with its sign changed where the second lowest bit of an integer is set."""
    shift = 30 if bit.kind == "i32" else 62
    return (x.to_bits() ^ ((bit & 2) << shift)).from_bits()


def sin(x: Lanes) -> Lanes:
    """Sine."""
    r, n = reduced(x)
    sine, cosine = sine_and_cosine(r)
    result = signed_by(select((n & 1).ne(0), cosine, sine), n)
    return select(x.eq(0), x, result)


def cos(x: Lanes) -> Lanes:
    """Cosine."""
    r, n = reduced(x)
    sine, cosine = sine_and_cosine(r)
    return signed_by(select((n & 1).ne(0), sine, cosine), n + 1)


def tan(x: Lanes) -> Lanes:
    """Tangent: sine over cosine, or minus cosine over sine after odd quarter turns.

    Both are pairs, so the residual of the quotient corrects it.
    """
    r, low, n = reduced_in_two(x)
    square = r * r
    curve = fma(r * square, polynomial(square, of.SIN[r.kind]), low)
    sine = r + curve
    sine_low = (r - sine) + curve
    curve = fma(square, fma(square, polynomial(square, of.COS[r.kind]), -0.5), -(r * low))
    cosine = curve + 1
    cosine_low = (1 - cosine) + curve
    odd = (n & 1).ne(0)
    above, above_low = select(odd, -cosine, sine), select(odd, -cosine_low, sine_low)
    below, below_low = select(odd, sine, cosine), select(odd, sine_low, cosine_low)
    inverse = 1 / below
    quotient = above * inverse
    residual = fma(-quotient, below, above) + fma(-quotient, below_low, above_low)
    return select(x.eq(0), x, fma(residual, inverse, quotient))


# -- inverse functions ----------------------------------------------------------------------


def half_angle(x: Lanes) -> tuple[Lanes, Lanes, Lanes]:
    """|x| > 1/2, and asin(|x|), or asin(sqrt((1 - |x|) / 2)) where it is greater.

    In two parts: a number, and the rest, less than a tenth of it.
    """
    size = x.abs()
    large = size > 0.5
    square = select(large, fma(size, -0.5, 0.5), size * size)
    start = select(large, square.sqrt(), size)
    return large, start, start * square * polynomial(square, of.ASIN[x.kind])


def asin(x: Lanes) -> Lanes:
    """The angle whose sine is x: pi / 2 - 2 asin(sqrt((1 - x) / 2)) of a large x."""
    large, start, rest = half_angle(x)
    high, low, _ = of.HALF_PI[x.kind]
    double = start * 2
    most = high - double
    lost = (high - most) - double
    complement = most + (fma(rest, -2, low) + lost)
    return select(large, complement, start + rest).with_sign_of(x)


def acos(x: Lanes) -> Lanes:
    """The angle whose cosine is x."""
    large, start, rest = half_angle(x)
    high, low, _ = of.HALF_PI[x.kind]
    angle = start + rest
    negative = x < 0
    signed = select(negative, -angle, angle)
    near_zero = high - (signed - low)
    double = angle * 2
    near_ends = select(negative, high * 2 - (double - low * 2), double)
    return select(large, near_ends, near_zero)


def atan(x: Lanes) -> Lanes:
    """The angle whose tangent is x."""
    return angle_of(x.abs(), x.constant(1)).with_sign_of(x)


def angle_of(y: Lanes, x: Lanes) -> Lanes:
    """The angle of a point in the first quadrant: 0, pi / 4 or pi / 2 and a small one."""
    steep = y > x * 2.414213562373095
    middle = y > x * 0.4142135623730951
    high, low, _ = of.HALF_PI[y.kind]
    above = select(steep, -x, select(middle, y - x, y))
    below = select(steep, y, select(middle, y + x, x))
    zero = y.constant(0)
    base = choose(steep, high, select(middle, y.constant(high / 2), zero))
    base_low = choose(steep, low, select(middle, y.constant(low / 2), zero))
    tangent = above / below
    square = tangent * tangent
    rest = fma(tangent * square, polynomial(square, of.ATAN[y.kind]), base_low)
    return base + (tangent + rest)


#: The limit above which sums and multiples of coordinates may overflow, and a scale for these.
LARGE = {"f32": (2.0**120, 2.0**-20), "f64": (2.0**1000, 2.0**-100)}


def atan2(y: Lanes, x: Lanes) -> Lanes:
    """The angle of the point (x, y)."""
    above, right = y.abs(), x.abs()
    infinite = above.eq(float("inf")) & right.eq(float("inf"))
    limit, scale = LARGE[x.kind]
    large = (above > limit) | (right > limit)
    above = choose(infinite, 1.0, select(large, above * scale, above))
    right = choose(infinite, 1.0, select(large, right * scale, right))
    right = choose(above.eq(0) & right.eq(0), 1.0, right)
    angle = angle_of(above, right)
    high, low, _ = of.HALF_PI[x.kind]
    back = high * 2 - (angle - low * 2)
    return select(x.to_bits() < 0, back, angle).with_sign_of(y)
