"""Eigenvectors and singular vectors of small real matrices, as plain Python for machine code.

The steps are LAPACK's, in its order, so signs and orders of vectors are LAPACK's too: `sytd2` and
`steqr` for self-adjoint matrices, `gebd2` and `bdsqr` for singular values. LAPACK spends several
microseconds on choices for each matrix, these functions less than one.

Source: Anderson et al., "LAPACK Users' Guide" (1999). Golub and Van Loan, "Matrix Computations"
(2013), chapters 5 and 8.
"""

from __future__ import annotations

from math import copysign, sqrt

from graphwright.base.scalar_code import Reals
from graphwright.ops.linalg.row_steps import add, dot, exchange, length, rotate


def _rotation(f: float, g: float) -> tuple[float, float, float]:
    """c, s and r with c * f + s * g = r and c * g = s * f."""
    if g == 0.0:
        return 1.0, 0.0, f
    if f == 0.0:
        return 0.0, copysign(1.0, g), abs(g)
    high = max(abs(f), abs(g))
    if min(abs(f), abs(g)) > 1e-15 and high < 1e15:
        size = sqrt(f * f + g * g)
        r = copysign(size, f)
        return abs(f) / size, g / r, r
    f = f / high
    g = g / high
    size = sqrt(f * f + g * g)
    r = copysign(size, f)
    return abs(f) / size, g / r, r * high


def _reflector(x: Reals, n: int) -> float:
    """tau of the reflection that makes x[1:n] zero; x becomes the new x[0], and the rest of v."""
    total = dot(x[1:], x[1:], n - 1)
    if total == 0.0:
        return 0.0
    first = x[0]
    beta = -copysign(length(first, sqrt(total)), first)
    scale = 1.0 / (first - beta)
    for i in range(1, n):
        x[i] = x[i] * scale
    x[0] = beta
    return (beta - first) / beta


def _reflect(rows: Reals, count: int, step: int, v: Reals, n: int, tau: float) -> None:
    """Each row x becomes x - tau * (x @ v) * v, where v[0] counts as 1."""
    if tau == 0.0:
        return
    for i in range(count):
        x = rows[i * step :]
        total = tau * (x[0] + dot(x[1:], v[1:], n - 1))
        x[0] = x[0] - total
        add(x[1:], v[1:], -total, n - 1)


def _tridiagonal(a: Reals, n: int, d: Reals, e: Reals, tau: Reals, w: Reals) -> None:
    """Reduces a symmetric matrix, of which the upper triangle of `a` is read.

    Row i of `a` holds v of reflection i from column i + 1 on.
    """
    for i in range(n - 1):
        count = n - i - 1
        v = a[i * n + i + 1 :]
        share = _reflector(v, count)
        e[i] = v[0]
        d[i] = a[i * n + i]
        tau[i] = share
        if share != 0.0:
            v[0] = 1.0
            inner = a[(i + 1) * n + i + 1 :]
            for j in range(count):
                w[j] = 0.0
            for j in range(count):
                row = inner[j * n + j :]
                w[j] = w[j] + dot(row, v[j:], count - j)
                add(w[j + 1 :], row[1:], v[j], count - j - 1)
            for j in range(count):
                w[j] = w[j] * share
            add(w, v, -0.5 * share * dot(w, v, count), count)
            for j in range(count):
                row = inner[j * n + j :]
                add(row, w[j:], -v[j], count - j)
                add(row, v[j:], -w[j], count - j)
            v[0] = e[i]
    d[n - 1] = a[n * n - 1]


def _symmetric_pair(a: float, b: float, c: float) -> tuple[float, float, float, float]:
    """The eigenvalues of [[a, b], [b, c]], the greater in size first, and its unit vector."""
    total, gap, twice = a + c, a - c, b + b
    high = a if abs(a) > abs(c) else c
    low = c if abs(a) > abs(c) else a
    wide, across = abs(gap), abs(twice)
    root = across * sqrt(2.0)
    if wide > across:
        root = wide * sqrt(1.0 + (across / wide) * (across / wide))
    elif wide < across:
        root = across * sqrt(1.0 + (wide / across) * (wide / across))
    first = 0.5 * root
    second = -0.5 * root
    sign = 1
    if total < 0.0:
        first = 0.5 * (total - root)
        sign = -1
        second = (high / first) * low - (b / first) * b
    elif total > 0.0:
        first = 0.5 * (total + root)
        second = (high / first) * low - (b / first) * b
    other = 1 if gap >= 0.0 else -1
    cosine = gap + root if gap >= 0.0 else gap - root
    c1 = 1.0
    s1 = 0.0
    if abs(cosine) > across:
        tangent = -twice / cosine
        s1 = 1.0 / sqrt(1.0 + tangent * tangent)
        c1 = tangent * s1
    elif across != 0.0:
        tangent = -cosine / twice
        c1 = 1.0 / sqrt(1.0 + tangent * tangent)
        s1 = tangent * c1
    if sign == other:
        return first, second, -s1, c1
    return first, second, c1, s1


def _upwards(
    d: Reals, e: Reals, z: Reals, k: int, last: int, n: int, width: int, eps: float, least: float
) -> bool:
    """QL steps on rows k to `last`, which no zero of e parts. Whether they converge."""
    turns = 0
    while k <= last:
        m = k
        while m < last:
            if e[m] * e[m] <= eps * eps * abs(d[m]) * abs(d[m + 1]) + least:
                break
            m += 1
        if m < last:
            e[m] = 0.0
        p = d[k]
        if m == k:
            k += 1
            continue
        if m == k + 1:
            d[k], d[m], c, s = _symmetric_pair(d[k], e[k], d[m])
            if width > 0:
                rotate(z[k * n :], z[m * n :], c, s, width)
            e[k] = 0.0
            k += 2
            continue
        if turns == 30 * n:
            return False
        turns += 1
        g = (d[k + 1] - p) / (2.0 * e[k])
        r = length(g, 1.0)
        g = d[m] - p + e[k] / (g + copysign(r, g))
        s = 1.0
        c = 1.0
        p = 0.0
        for i in range(m - 1, k - 1, -1):
            f = s * e[i]
            b = c * e[i]
            c, s, r = _rotation(g, f)
            if i != m - 1:
                e[i + 1] = r
            g = d[i + 1] - p
            r = (d[i] - g) * s + 2.0 * c * b
            p = s * r
            d[i + 1] = g + p
            g = c * r - b
            if width > 0:
                rotate(z[i * n :], z[(i + 1) * n :], c, -s, width)
        d[k] = d[k] - p
        e[k] = g
    return True


def _downwards(
    d: Reals, e: Reals, z: Reals, k: int, last: int, n: int, width: int, eps: float, least: float
) -> bool:
    """QR steps on rows k down to `last`, which no zero of e parts. Whether they converge."""
    turns = 0
    while k >= last:
        m = k
        while m > last:
            if e[m - 1] * e[m - 1] <= eps * eps * abs(d[m]) * abs(d[m - 1]) + least:
                break
            m -= 1
        if m > last:
            e[m - 1] = 0.0
        p = d[k]
        if m == k:
            k -= 1
            continue
        if m == k - 1:
            d[m], d[k], c, s = _symmetric_pair(d[m], e[m], d[k])
            if width > 0:
                rotate(z[m * n :], z[k * n :], c, s, width)
            e[m] = 0.0
            k -= 2
            continue
        if turns == 30 * n:
            return False
        turns += 1
        g = (d[k - 1] - p) / (2.0 * e[k - 1])
        r = length(g, 1.0)
        g = d[m] - p + e[k - 1] / (g + copysign(r, g))
        s = 1.0
        c = 1.0
        p = 0.0
        for i in range(m, k):
            f = s * e[i]
            b = c * e[i]
            c, s, r = _rotation(g, f)
            if i != m:
                e[i - 1] = r
            g = d[i] - p
            r = (d[i + 1] - g) * s + 2.0 * c * b
            p = s * r
            d[i] = g + p
            g = c * r - b
            if width > 0:
                rotate(z[i * n :], z[(i + 1) * n :], c, s, width)
        d[k] = d[k] - p
        e[k - 1] = g
    return True


def _eigenvectors(
    d: Reals, e: Reals, z: Reals, n: int, width: int, eps: float, least: float
) -> bool:
    """Diagonalizes a tridiagonal matrix, and rotates rows of z, which have `width` columns.

    Whether it converges.
    """
    start = 0
    while start < n:
        if start > 0:
            e[start - 1] = 0.0
        m = start
        while m < n - 1:
            size = abs(e[m])
            if size <= sqrt(abs(d[m])) * sqrt(abs(d[m + 1])) * eps:
                e[m] = 0.0
                break
            m += 1
        first = start
        last = m
        start = m + 1
        if first == last:
            continue
        if abs(d[last]) < abs(d[first]):
            is_done = _downwards(d, e, z, last, first, n, width, eps, least)
        else:
            is_done = _upwards(d, e, z, first, last, n, width, eps, least)
        if not is_done:
            return False
    for i in range(n - 1):
        best = i
        for j in range(i + 1, n):
            if d[j] < d[best]:
                best = j
        if best != i:
            p = d[best]
            d[best] = d[i]
            d[i] = p
            if width > 0:
                exchange(z[best * n :], z[i * n :], width)
    return True


def _is_usual(a: Reals, n: int) -> bool:
    """Whether entries are numbers whose squares are numbers; LAPACK scales others."""
    most = 0.0
    for i in range(n):
        if not abs(a[i]) < 1e100:
            return False
        most = max(most, abs(a[i]))
    return most == 0.0 or most > 1e-100


def _identity(z: Reals, n: int) -> None:
    """z becomes the identity."""
    for i in range(n * n):
        z[i] = 0.0
    for i in range(n):
        z[i * n + i] = 1.0


def self_adjoint(
    matrices: Reals,
    values: Reals,
    vectors: Reals,
    count: int,
    n: int,
    has_vectors: bool,
    eps: float,
    least: float,
    work: Reals,
) -> int:
    """Eigenvalues in ascending order and vectors as columns of matrices whose lower triangles are
    read; how many matrices are done. The next one is for LAPACK.

    Args:
        matrices: [count, n, n].
        values: [count, n], for the results.
        vectors: [count, n, n] for the results, or anything if `has_vectors` is false.
        count: How many matrices there are.
        n: Their rows.
        has_vectors: Whether vectors are asked for.
        eps: Half the distance from 1 to the next greater number.
        least: The least normal number.
        work: Room for 2 * n * n + 3 * n numbers.
    """
    a = work[0:]
    z = work[n * n :]
    e = work[2 * n * n :]
    tau = work[2 * n * n + n :]
    w = work[2 * n * n + 2 * n :]
    for matrix in range(count):
        d = values[matrix * n :]
        for i in range(n):
            for j in range(i, n):
                a[i * n + j] = matrices[(matrix * n + j) * n + i]
            for j in range(i):
                a[i * n + j] = 0.0
        if not _is_usual(a, n * n):
            return matrix
        _tridiagonal(a, n, d, e, tau, w)
        width = 0
        if has_vectors:
            width = n
            _identity(z, n)
        if not _eigenvectors(d, e, z, n, width, eps, least):
            return matrix
        if has_vectors:
            for i in range(n - 2, -1, -1):
                _reflect(z[i + 1 :], n, n, a[i * n + i + 1 :], n - i - 1, tau[i])
            to = vectors[matrix * n * n :]
            for i in range(n):
                for j in range(n):
                    to[j * n + i] = z[i * n + j]
    return count


# -- singular values ------------------------------------------------------------------------


def _bidiagonal(
    a: Reals, n: int, d: Reals, e: Reals, left: Reals, right: Reals, column: Reals
) -> None:
    """Reduces a square matrix to its diagonal d and what is above, e.

    Column i of `a` holds v of reflection i from the left below its diagonal, and row i that from
    the right behind it. `left` and `right` get their factors.
    """
    for i in range(n):
        count = n - i
        for j in range(count):
            column[j] = a[(i + j) * n + i]
        left[i] = _reflector(column, count)
        d[i] = column[0]
        for j in range(1, count):
            a[(i + j) * n + i] = column[j]
        column[0] = 1.0
        rest = a[i * n + i + 1 :]
        if left[i] != 0.0 and count > 1:
            sums = column[n:]
            for k in range(count - 1):
                sums[k] = 0.0
            for j in range(count):
                add(sums, rest[j * n :], column[j], count - 1)
            for j in range(count):
                add(rest[j * n :], sums, -left[i] * column[j], count - 1)
        right[i] = 0.0
        if i < n - 1:
            right[i] = _reflector(rest, count - 1)
            e[i] = rest[0]
            _reflect(rest[n:], count - 1, n, rest, count - 1, right[i])


def _least_of_pair(f: float, g: float, h: float) -> float:
    """The lesser singular value of [[f, g], [0, h]]."""
    low, high, across = min(abs(f), abs(h)), max(abs(f), abs(h)), abs(g)
    if low == 0.0:
        return 0.0
    ratio = 1.0 + low / high
    part = (high - low) / high
    if across < high:
        share = (across / high) * (across / high)
        return low * (2.0 / (sqrt(ratio * ratio + share) + sqrt(part * part + share)))
    share = high / across
    if share == 0.0:
        return (low * high) / across
    one, two = ratio * share, part * share
    scale = 1.0 / (sqrt(1.0 + one * one) + sqrt(1.0 + two * two))
    return 2.0 * ((low * scale) * share)


def _upper_pair(
    f: float, g: float, h: float, eps: float
) -> tuple[float, float, float, float, float, float]:
    """The lesser and the greater singular value of [[f, g], [0, h]], with signs, and the sine and
    cosine of the right and the left vectors."""
    ft, ht = f, h
    fa, ha = abs(f), abs(h)
    most = 1
    is_swapped = ha > fa
    if is_swapped:
        most = 3
        ft, ht = h, f
        fa, ha = ha, fa
    gt, ga = g, abs(g)
    low = ha
    high = fa
    left_cos = 1.0
    right_cos = 1.0
    left_sin = 0.0
    right_sin = 0.0
    if ga != 0.0:
        is_usual = True
        if ga > fa:
            most = 2
            if fa / ga < eps:
                is_usual = False
                high = ga
                low = (fa / ga) * ha
                if ha > 1.0:
                    low = fa / (ga / ha)
                left_cos = 1.0
                left_sin = ht / gt
                right_sin = 1.0
                right_cos = ft / gt
        if is_usual:
            part = fa - ha
            share = 1.0
            if part != fa:
                share = part / fa
            m = gt / ft
            t = 2.0 - share
            mm, tt = m * m, t * t
            s = sqrt(tt + mm)
            r = abs(m)
            if share != 0.0:
                r = sqrt(share * share + mm)
            mean = 0.5 * (s + r)
            low = ha / mean
            high = fa * mean
            if mm == 0.0:
                if share == 0.0:
                    t = copysign(2.0, ft) * copysign(1.0, gt)
                else:
                    t = gt / copysign(part, ft) + m / t
            else:
                t = (m / (s + t) + m / (r + share)) * (1.0 + mean)
            share = sqrt(t * t + 4.0)
            right_cos = 2.0 / share
            right_sin = t / share
            left_cos = (right_cos + right_sin * m) / mean
            left_sin = (ht / ft) * right_sin / mean
    sl, cl, sr, cr = left_sin, left_cos, right_sin, right_cos
    if is_swapped:
        sl, cl, sr, cr = right_cos, right_sin, left_cos, left_sin
    sign = copysign(1.0, sl) * copysign(1.0, sr) * copysign(1.0, h)
    if most == 1:
        sign = copysign(1.0, cr) * copysign(1.0, cl) * copysign(1.0, f)
    if most == 2:
        sign = copysign(1.0, sr) * copysign(1.0, cl) * copysign(1.0, g)
    low = copysign(low, sign * copysign(1.0, f) * copysign(1.0, h))
    return low, copysign(high, sign), sr, cr, sl, cl


def _step_down(
    d: Reals, e: Reals, u: Reals, v: Reals, first: int, last: int, n: int, width: int, shift: float
) -> None:
    """One step from the top of a block, without a shift if that is 0."""
    if shift == 0.0:
        c, old_c, old_s = 1.0, 1.0, 0.0
        for i in range(first, last):
            c, s, r = _rotation(d[i] * c, e[i])
            if i > first:
                e[i - 1] = old_s * r
            old_c, old_s, d[i] = _rotation(old_c * r, d[i + 1] * s)
            if width > 0:
                rotate(v[i * n :], v[(i + 1) * n :], c, s, width)
                rotate(u[i * n :], u[(i + 1) * n :], old_c, old_s, width)
        h = d[last] * c
        d[last] = h * old_c
        e[last - 1] = h * old_s
        return
    f = (abs(d[first]) - shift) * (copysign(1.0, d[first]) + shift / d[first])
    g = e[first]
    for i in range(first, last):
        c, s, r = _rotation(f, g)
        if i > first:
            e[i - 1] = r
        f = c * d[i] + s * e[i]
        e[i] = c * e[i] - s * d[i]
        g = s * d[i + 1]
        d[i + 1] = c * d[i + 1]
        left_c, left_s, r = _rotation(f, g)
        d[i] = r
        f = left_c * e[i] + left_s * d[i + 1]
        d[i + 1] = left_c * d[i + 1] - left_s * e[i]
        if i < last - 1:
            g = left_s * e[i + 1]
            e[i + 1] = left_c * e[i + 1]
        if width > 0:
            rotate(v[i * n :], v[(i + 1) * n :], c, s, width)
            rotate(u[i * n :], u[(i + 1) * n :], left_c, left_s, width)
    e[last - 1] = f


def _step_up(
    d: Reals, e: Reals, u: Reals, v: Reals, first: int, last: int, n: int, width: int, shift: float
) -> None:
    """One step from the bottom of a block, without a shift if that is 0."""
    if shift == 0.0:
        c, old_c, old_s = 1.0, 1.0, 0.0
        for i in range(last, first, -1):
            c, s, r = _rotation(d[i] * c, e[i - 1])
            if i < last:
                e[i] = old_s * r
            old_c, old_s, d[i] = _rotation(old_c * r, d[i - 1] * s)
            if width > 0:
                rotate(v[(i - 1) * n :], v[i * n :], old_c, -old_s, width)
                rotate(u[(i - 1) * n :], u[i * n :], c, -s, width)
        h = d[first] * c
        d[first] = h * old_c
        e[first] = h * old_s
        return
    f = (abs(d[last]) - shift) * (copysign(1.0, d[last]) + shift / d[last])
    g = e[last - 1]
    for i in range(last, first, -1):
        c, s, r = _rotation(f, g)
        if i < last:
            e[i] = r
        f = c * d[i] + s * e[i - 1]
        e[i - 1] = c * e[i - 1] - s * d[i]
        g = s * d[i - 1]
        d[i - 1] = c * d[i - 1]
        left_c, left_s, r = _rotation(f, g)
        d[i] = r
        f = left_c * e[i - 1] + left_s * d[i - 1]
        d[i - 1] = left_c * d[i - 1] - left_s * e[i - 1]
        if i > first + 1:
            g = left_s * e[i - 2]
            e[i - 2] = left_c * e[i - 2]
        if width > 0:
            rotate(v[(i - 1) * n :], v[i * n :], left_c, -left_s, width)
            rotate(u[(i - 1) * n :], u[i * n :], c, -s, width)
    e[first] = f


def _deflate(
    d: Reals, e: Reals, first: int, last: int, is_down: bool, tol: float
) -> tuple[bool, float]:
    """Whether an element of e is as good as 0, which it is from now on; else about how small
    singular values are."""
    if is_down:
        if abs(e[last - 1]) <= tol * abs(d[last]):
            e[last - 1] = 0.0
            return True, 0.0
        size = abs(d[first])
        least = size
        for i in range(first, last):
            if abs(e[i]) <= tol * size:
                e[i] = 0.0
                return True, 0.0
            size = abs(d[i + 1]) * (size / (size + abs(e[i])))
            least = min(least, size)
        return False, least
    if abs(e[first]) <= tol * abs(d[first]):
        e[first] = 0.0
        return True, 0.0
    size = abs(d[last])
    least = size
    for i in range(last - 1, first - 1, -1):
        if abs(e[i]) <= tol * size:
            e[i] = 0.0
            return True, 0.0
        size = abs(d[i]) * (size / (size + abs(e[i])))
        least = min(least, size)
    return False, least


def _bound(d: Reals, e: Reals, n: int, tol: float, least: float) -> float:
    """What an element of e may be that counts as 0."""
    smallest = abs(d[0])
    if smallest != 0.0:
        size = smallest
        for i in range(1, n):
            size = abs(d[i]) * (size / (size + abs(e[i - 1])))
            smallest = min(smallest, size)
            if smallest == 0.0:
                break
    smallest = smallest / sqrt(float(n))
    return max(tol * smallest, 6.0 * n * n * least)


def _singular_values(
    d: Reals, e: Reals, u: Reals, v: Reals, n: int, width: int, eps: float, tol: float, least: float
) -> bool:
    """Diagonalizes an upper bidiagonal matrix, and rotates rows of u and v, which have `width`
    columns. Whether it converges."""
    bound = _bound(d, e, n, tol, least)
    last, old_first, old_last, turns = n - 1, -2, -2, 0
    is_down = True
    while last > 0:
        if turns > 6 * n * n:
            return False
        most = abs(d[last])
        first = last
        while first > 0:
            if abs(e[first - 1]) <= bound:
                e[first - 1] = 0.0
                break
            first -= 1
            most = max(most, max(abs(d[first]), abs(e[first])))
        if first == last:
            last -= 1
            continue
        if first == last - 1:
            d[last], d[first], sr, cr, sl, cl = _upper_pair(d[first], e[first], d[last], eps)
            e[first] = 0.0
            if width > 0:
                rotate(v[first * n :], v[last * n :], cr, sr, width)
                rotate(u[first * n :], u[last * n :], cl, sl, width)
            last -= 2
            continue
        if first > old_last or last < old_first:
            is_down = abs(d[first]) >= abs(d[last])
        is_done, smallest = _deflate(d, e, first, last, is_down, tol)
        if is_done:
            continue
        old_first, old_last = first, last
        shift = 0.0
        if n * tol * (smallest / most) > max(eps, 0.01 * tol):
            if is_down:
                shift = _least_of_pair(d[last - 1], e[last - 1], d[last])
                size = abs(d[first])
            else:
                shift = _least_of_pair(d[first], e[first], d[first + 1])
                size = abs(d[last])
            if size > 0.0 and (shift / size) * (shift / size) < eps:
                shift = 0.0
        turns += last - first
        if is_down:
            _step_down(d, e, u, v, first, last, n, width, shift)
            if abs(e[last - 1]) <= bound:
                e[last - 1] = 0.0
        else:
            _step_up(d, e, u, v, first, last, n, width, shift)
            if abs(e[first]) <= bound:
                e[first] = 0.0
    _order(d, u, v, n, width)
    return True


def _order(d: Reals, u: Reals, v: Reals, n: int, width: int) -> None:
    """Makes singular values positive, and puts the greatest first."""
    for i in range(n):
        if d[i] <= 0.0:
            if d[i] < 0.0:
                for j in range(width):
                    v[i * n + j] = -v[i * n + j]
            d[i] = abs(d[i])
    for i in range(n - 1, 0, -1):
        least = 0
        for j in range(1, i + 1):
            if d[j] <= d[least]:
                least = j
        if least != i:
            size = d[least]
            d[least] = d[i]
            d[i] = size
            if width > 0:
                exchange(u[least * n :], u[i * n :], width)
                exchange(v[least * n :], v[i * n :], width)


def singular(
    matrices: Reals,
    values: Reals,
    left: Reals,
    right: Reals,
    count: int,
    n: int,
    has_vectors: bool,
    eps: float,
    tol: float,
    least: float,
    work: Reals,
) -> int:
    """Singular values in descending order and vectors as columns of square matrices; how many
    matrices are done. The next one is for LAPACK.

    Args:
        matrices: [count, n, n], n at least 2.
        values: [count, n], for the results.
        left: [count, n, n] for the results, or anything if `has_vectors` is false.
        right: The same.
        count: How many matrices there are.
        n: Their rows.
        has_vectors: Whether vectors are asked for.
        eps: Half the distance from 1 to the next greater number.
        tol: The relative error at which iterations end.
        least: The least normal number.
        work: Room for 3 * n * n + 5 * n numbers.
    """
    a = work[0:]
    u = work[n * n :]
    v = work[2 * n * n :]
    e = work[3 * n * n :]
    from_left = work[3 * n * n + n :]
    from_right = work[3 * n * n + 2 * n :]
    column = work[3 * n * n + 3 * n :]
    for matrix in range(count):
        d = values[matrix * n :]
        for i in range(n * n):
            a[i] = matrices[matrix * n * n + i]
        if not _is_usual(a, n * n):
            return matrix
        _bidiagonal(a, n, d, e, from_left, from_right, column)
        width = 0
        if has_vectors:
            width = n
            _identity(u, n)
            _identity(v, n)
        if not _singular_values(d, e, u, v, n, width, eps, tol, least):
            return matrix
        if has_vectors:
            for i in range(n - 1, -1, -1):
                for j in range(n - i):
                    column[j] = a[(i + j) * n + i]
                _reflect(u[i:], n, n, column, n - i, from_left[i])
                if i < n - 1:
                    _reflect(v[i + 1 :], n, n, a[i * n + i + 1 :], n - i - 1, from_right[i])
            to_left = left[matrix * n * n :]
            to_right = right[matrix * n * n :]
            for i in range(n):
                for j in range(n):
                    to_left[j * n + i] = u[i * n + j]
                    to_right[j * n + i] = v[i * n + j]
    return count


#: All functions; each calls those before it.
FUNCTIONS = (
    length, _rotation, rotate, dot, add, exchange, _reflector, _reflect, _tridiagonal,
    _symmetric_pair, _upwards, _downwards, _eigenvectors, _is_usual, _identity, self_adjoint,
    _bidiagonal, _least_of_pair, _upper_pair, _step_down, _step_up, _deflate, _bound, _order,
    _singular_values, singular,
)  # fmt: skip
