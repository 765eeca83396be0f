"""Square roots of small matrices, as plain Python for machine code.

A matrix becomes triangular by unitary rotations: shifted QR steps. Those of a real matrix are real
as long as shifts are, and complex from then on. The root of a triangular matrix comes entry by
entry. Arrays of complex numbers are two of floats here. Rotations are collected by rows, as the
adjoint of their product.

Source: Golub and Van Loan, "Matrix Computations" (2013), chapter 7. Higham, "Functions of Matrices"
(2008), chapter 6.
"""

from __future__ import annotations

from math import copysign, sqrt

from graphwright.base.scalar_code import Reals
from graphwright.ops.linalg.row_steps import add, length, rotate


def _root(x: float, y: float) -> tuple[float, float]:
    """The principal square root of x + iy."""
    size = length(x, y)
    if size == 0.0:
        return 0.0, 0.0
    if x >= 0.0:
        part = sqrt(0.5 * (size + x))
        return part, 0.5 * y / part
    part = sqrt(0.5 * (size - x))
    return 0.5 * abs(y) / part, copysign(part, y)


def _rotate_complex(
    x: Reals, y: Reals, u: Reals, v: Reals, c: float, g: float, h: float, n: int
) -> None:
    """x + iy and u + iv become c * (x + iy) + s * (u + iv) and c * (u + iv) - conj(s) * (x + iy).

    s is g + ih.
    """
    for i in range(n):
        real, imaginary, lower, lower_imaginary = x[i], y[i], u[i], v[i]
        x[i] = c * real + g * lower - h * lower_imaginary
        y[i] = c * imaginary + g * lower_imaginary + h * lower
        u[i] = c * lower - g * real - h * imaginary
        v[i] = c * lower_imaginary - g * imaginary + h * real


def _add_complex(x: Reals, y: Reals, u: Reals, v: Reals, f: float, g: float, n: int) -> None:
    """x + iy becomes x + iy + (f + ig) * (u + iv)."""
    for i in range(n):
        real, imaginary = u[i], v[i]
        x[i] = x[i] + f * real - g * imaginary
        y[i] = y[i] + f * imaginary + g * real


def _rotation(fx: float, fy: float, gx: float, gy: float) -> tuple[float, float, float]:
    """c, g and h of the rotation by which the second of two complex numbers becomes zero."""
    f = length(fx, fy)
    r = length(f, length(gx, gy))
    if r == 0.0:
        return 1.0, 0.0, 0.0
    ux, uy = 1.0, 0.0
    if f != 0.0:
        ux = fx / f
        uy = fy / f
    return f / r, (ux * gx + uy * gy) / r, (uy * gx - ux * gy) / r


def _rotate_complex_columns(
    a: Reals, b: Reals, c: float, g: float, h: float, n: int, count: int
) -> None:
    """The adjoint rotation of the first two complex numbers of each row."""
    for j in range(count):
        i = j * n
        x, y, u, v = a[i], b[i], a[i + 1], b[i + 1]
        a[i] = c * x + g * u + h * v
        b[i] = c * y + g * v - h * u
        a[i + 1] = c * u - g * x + h * y
        b[i + 1] = c * v - g * y - h * x


def _rotate_columns(a: Reals, c: float, s: float, n: int, count: int) -> None:
    """Rotates the first two numbers of each row."""
    for i in range(count):
        x = a[i * n]
        y = a[i * n + 1]
        a[i * n] = c * x + s * y
        a[i * n + 1] = c * y - s * x


def _hessenberg(a: Reals, p: Reals, n: int) -> None:
    """Makes what is below the first subdiagonal zero; p collects the rotations."""
    for k in range(n - 2):
        for i in range(n - 1, k + 1, -1):
            second = a[i * n + k]
            if second == 0.0:
                continue
            first = a[(i - 1) * n + k]
            r = length(first, second)
            c = first / r
            s = second / r
            rotate(a[(i - 1) * n + k :], a[i * n + k :], c, s, n - k)
            a[i * n + k] = 0.0
            _rotate_columns(a[i - 1 :], c, s, n, n)
            rotate(p[(i - 1) * n :], p[i * n :], c, s, n)


def _complex_hessenberg(a: Reals, b: Reals, p: Reals, q: Reals, n: int) -> None:
    """The same of a + ib; p + iq collects the rotations."""
    for k in range(n - 2):
        for i in range(n - 1, k + 1, -1):
            upper = (i - 1) * n
            lower = i * n
            if a[lower + k] == 0.0 and b[lower + k] == 0.0:
                continue
            c, g, h = _rotation(a[upper + k], b[upper + k], a[lower + k], b[lower + k])
            m = upper + k
            o = lower + k
            _rotate_complex(a[m:], b[m:], a[o:], b[o:], c, g, h, n - k)
            a[o] = 0.0
            b[o] = 0.0
            _rotate_complex_columns(a[i - 1 :], b[i - 1 :], c, g, h, n, n)
            _rotate_complex(p[upper:], q[upper:], p[lower:], q[lower:], c, g, h, n)


def _shift(a: Reals, b: Reals, n: int, last: int) -> tuple[float, float]:
    """The eigenvalue of the last two rows of a block that is next to the last entry."""
    i, j = (last - 1) * n + last - 1, last * n + last - 1
    half_x, half_y = 0.5 * (a[i] - a[j + 1]), 0.5 * (b[i] - b[j + 1])
    product_x = a[i + 1] * a[j] - b[i + 1] * b[j]
    product_y = a[i + 1] * b[j] + b[i + 1] * a[j]
    x, y = _root(half_x * half_x - half_y * half_y + product_x, 2.0 * half_x * half_y + product_y)
    if half_x * x + half_y * y < 0.0:
        x = -x
        y = -y
    x += half_x
    y += half_y
    size = x * x + y * y
    if size == 0.0:
        return a[j + 1], b[j + 1]
    share_x = (product_x * x + product_y * y) / size
    share_y = (product_y * x - product_x * y) / size
    return a[j + 1] - share_x, b[j + 1] - share_y


def _real_step(a: Reals, p: Reals, w: Reals, n: int, first: int, last: int, shift: float) -> None:
    """A QR step on rows `first` to `last` of a; p collects the rotations."""
    for k in range(first, last + 1):
        a[k * n + k] = a[k * n + k] - shift
    for k in range(first, last):
        f, g = a[k * n + k], a[(k + 1) * n + k]
        r = length(f, g)
        c, s = 1.0, 0.0
        if r != 0.0:
            c = abs(f) / r
            s = g / r
            if f < 0.0:
                s = -s
        w[2 * k] = c
        w[2 * k + 1] = s
        rotate(a[k * n + k :], a[(k + 1) * n + k :], c, s, n - k)
        a[(k + 1) * n + k] = 0.0
    for k in range(first, last):
        c, s = w[2 * k], w[2 * k + 1]
        _rotate_columns(a[k:], c, s, n, min(k + 2, last + 1))
        rotate(p[k * n :], p[(k + 1) * n :], c, s, n)
    for k in range(first, last + 1):
        a[k * n + k] = a[k * n + k] + shift


def _step(
    a: Reals, b: Reals, p: Reals, q: Reals, w: Reals, n: int, first: int, last: int,
    shift_x: float, shift_y: float,
) -> None:  # fmt: skip
    """The same of a + ib, by a complex shift; p + iq collects the rotations."""
    for k in range(first, last + 1):
        a[k * n + k] = a[k * n + k] - shift_x
        b[k * n + k] = b[k * n + k] - shift_y
    for k in range(first, last):
        i = k * n + k
        m = i + n
        c, g, h = _rotation(a[i], b[i], a[m], b[m])
        w[3 * k] = c
        w[3 * k + 1] = g
        w[3 * k + 2] = h
        _rotate_complex(a[i:], b[i:], a[m:], b[m:], c, g, h, n - k)
        a[m] = 0.0
        b[m] = 0.0
    for k in range(first, last):
        c, g, h = w[3 * k], w[3 * k + 1], w[3 * k + 2]
        _rotate_complex_columns(a[k:], b[k:], c, g, h, n, min(k + 2, last + 1))
        i = k * n
        m = i + n
        _rotate_complex(p[i:], q[i:], p[m:], q[m:], c, g, h, n)
    for k in range(first, last + 1):
        a[k * n + k] = a[k * n + k] + shift_x
        b[k * n + k] = b[k * n + k] + shift_y


def _triangular(
    a: Reals, b: Reals, p: Reals, q: Reals, w: Reals, n: int, form: int, eps: float, most: int
) -> int:
    """Makes a + ib upper triangular; p + iq collects the rotations.

    `form` is 1 if b is zero. The result is 1 if all shifts were real too, 2 if not. It is 0 if the
    steps do not converge, or if a shift of more than `most` rows would be complex.
    """
    last = n - 1
    turns = 0
    while last > 0:
        first = last
        while first > 0:
            i = first * n + first
            size = length(a[i], b[i]) + length(a[i - n - 1], b[i - n - 1])
            if length(a[i - 1], b[i - 1]) <= eps * size:
                a[i - 1] = 0.0
                b[i - 1] = 0.0
                break
            first -= 1
        if first == last:
            last -= 1
            turns = 0
            continue
        turns += 1
        if turns > 60:
            return 0
        x, y = _shift(a, b, n, last)
        if y != 0.0:
            if n > most:
                return 0
            form = 2
        if turns % 11 == 10:
            i = last * n + last
            x = x + abs(a[i - 1]) + abs(b[i - 1])
        if form == 1:
            _real_step(a, p, w, n, first, last, x)
        else:
            _step(a, b, p, q, w, n, first, last, x, y)
    return form


def _real_triangular_root(a: Reals, n: int) -> bool:
    """An upper triangular matrix becomes its root; whether it has one that is real."""
    for j in range(n):
        if a[j * n + j] < 0.0:
            return False
        a[j * n + j] = sqrt(a[j * n + j])
        for i in range(j - 1, -1, -1):
            x = a[i * n + j]
            for k in range(i + 1, j):
                x -= a[i * n + k] * a[k * n + j]
            total = a[i * n + i] + a[j * n + j]
            if total == 0.0:
                if x != 0.0:
                    return False
                total = 1.0
            a[i * n + j] = x / total
    return True


def _triangular_root(a: Reals, b: Reals, n: int) -> bool:
    """An upper triangular matrix becomes its root; whether it has one."""
    for j in range(n):
        a[j * n + j], b[j * n + j] = _root(a[j * n + j], b[j * n + j])
        for i in range(j - 1, -1, -1):
            x, y = a[i * n + j], b[i * n + j]
            for k in range(i + 1, j):
                u, v = a[i * n + k], b[i * n + k]
                r, s = a[k * n + j], b[k * n + j]
                x -= u * r - v * s
                y -= u * s + v * r
            u, v = a[i * n + i] + a[j * n + j], b[i * n + i] + b[j * n + j]
            size = u * u + v * v
            if size == 0.0:
                if x != 0.0 or y != 0.0:
                    return False
                size = 1.0
            a[i * n + j] = (x * u + y * v) / size
            b[i * n + j] = (y * u - x * v) / size
    return True


def _real_product(a: Reals, p: Reals, result: Reals, w: Reals, n: int) -> None:
    """transpose(p) @ a @ p, where a is upper triangular."""
    for i in range(n):
        x = result[i * n :]
        for j in range(n):
            w[j] = 0.0
            x[j] = 0.0
        for k in range(n):
            add(w[k:], a[k * n + k :], p[k * n + i], n - k)
        for k in range(n):
            add(x, p[k * n :], w[k], n)


def _product(
    a: Reals, b: Reals, p: Reals, q: Reals, real: Reals, imaginary: Reals, w: Reals, n: int
) -> None:
    """adjoint(p + iq) @ (a + ib) @ (p + iq), where a + ib is upper triangular."""
    v = w[n:]
    for i in range(n):
        x = real[i * n :]
        y = imaginary[i * n :]
        for j in range(n):
            w[j] = 0.0
            v[j] = 0.0
            x[j] = 0.0
            y[j] = 0.0
        for k in range(n):
            m = k * n + k
            _add_complex(w[k:], v[k:], a[m:], b[m:], p[k * n + i], -q[k * n + i], n - k)
        for k in range(n):
            _add_complex(x, y, p[k * n :], q[k * n :], w[k], v[k], n)


def _keep_real(real: Reals, imaginary: Reals, n: int, share: float) -> None:
    """Makes a matrix NaN whose imaginary parts are more than a share of its greatest entry."""
    most, most_imaginary = 0.0, 0.0
    for i in range(n * n):
        most = max(most, length(real[i], imaginary[i]))
        most_imaginary = max(most_imaginary, abs(imaginary[i]))
    if most_imaginary > share * most:
        infinite = 1e308 * 10.0
        nan = infinite - infinite
        for i in range(n * n):
            real[i] = nan


def square_roots(
    matrices: Reals, roots: Reals, count: int, n: int, parts: int, eps: float, share: float,
    most_rows: int, work: Reals,
) -> int:  # fmt: skip
    """The principal roots of matrices; how many are done. The next one is for SciPy.

    Args:
        matrices: [count, n, n, parts].
        roots: [count, n, n, parts], for the results: NaN where a real matrix has no real root.
        count: How many matrices there are.
        n: Their rows.
        parts: 1 if matrices are real, 2 if they are complex.
        eps: Half the distance from 1 to the next greater number.
        share: The imaginary parts that come from rounding, relative to the greatest entry.
        most_rows: Those of a matrix with complex eigenvalues, at most.
        work: Room for 6 * n * n + 3 * n numbers.
    """
    a = work[0:]
    b = work[n * n :]
    p = work[2 * n * n :]
    q = work[3 * n * n :]
    real = work[4 * n * n :]
    imaginary = work[5 * n * n :]
    w = work[6 * n * n :]
    for matrix in range(count):
        matrix_entries = matrices[matrix * n * n * parts :]
        root_entries = roots[matrix * n * n * parts :]
        most = 0.0
        for i in range(n * n):
            a[i] = matrix_entries[parts * i]
            b[i] = 0.0
            if parts == 2:
                b[i] = matrix_entries[2 * i + 1]
            size = abs(a[i]) + abs(b[i])
            if not size < 1e100:
                return matrix
            most = max(most, size)
            p[i] = 0.0
            q[i] = 0.0
        if most < 1e-100:
            return matrix
        for i in range(n):
            p[i * n + i] = 1.0
        if parts == 1:
            _hessenberg(a, p, n)
        else:
            _complex_hessenberg(a, b, p, q, n)
        form = _triangular(a, b, p, q, w, n, parts, eps, most_rows)
        if form == 0:
            return matrix
        if form == 1:
            for i in range(n * n):
                q[i] = a[i]
            if _real_triangular_root(a, n):
                _real_product(a, p, root_entries, w, n)
                continue
            for i in range(n * n):
                a[i] = q[i]
                q[i] = 0.0
        if not _triangular_root(a, b, n):
            return matrix
        _product(a, b, p, q, real, imaginary, w, n)
        if parts == 1:
            _keep_real(real, imaginary, n, share)
        for i in range(n * n):
            root_entries[parts * i] = real[i]
            if parts == 2:
                root_entries[2 * i + 1] = imaginary[i]
    return count


#: All functions; each calls those before it.
FUNCTIONS = (
    length, _root, rotate, _rotate_complex, add, _add_complex, _rotation,
    _rotate_complex_columns, _rotate_columns, _hessenberg, _complex_hessenberg, _shift, _real_step,
    _step, _triangular, _real_triangular_root, _triangular_root, _real_product, _product,
    _keep_real, square_roots,
)  # fmt: skip
