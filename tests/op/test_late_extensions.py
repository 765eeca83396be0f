"""Late imports; modules of machine code without their packages do what the packages do."""

import gc
import subprocess
import sys

import numpy as np
import pytest
import scipy
import scipy.linalg
import scipy.special

from graphwright.op import late_imports, special_functions
from graphwright.op.late_imports import late_extension, late_module
from graphwright.ops.core import segment_kernels
from graphwright.ops.linalg import lapack_routines

NAMES = [
    "dawsn", "erf", "erfc", "erfinv", "expi", "gamma", "gammaln", "i0", "i0e", "i1", "i1e", "j0",
    "j1", "k0", "k0e", "k1", "k1e", "ndtri", "psi", "spence", "y0", "y1",
]  # fmt: skip


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", NAMES)
def test_special_functions_are_scipys_to_the_bit(name, dtype):
    x = np.concatenate([np.linspace(-3, 30, 331), [0.0, np.inf, -np.inf, np.nan, 1e-30]])
    x = x.astype(dtype)
    with np.errstate(all="ignore"):
        got, wanted = special_functions._scipys(name)(x), getattr(scipy.special, name)(x)
    assert got.dtype == wanted.dtype
    np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.complex128])
@pytest.mark.parametrize("name", ["getrf", "laswp", "gees", "gtsv", "tbtrs"])
def test_routines_are_those_that_scipy_chooses(name, dtype):
    pairs = (
        (lapack_routines.lapack(name, dtype), scipy.linalg.get_lapack_funcs(name, dtype=dtype)),
        (lapack_routines.blas("trsm", dtype), scipy.linalg.get_blas_funcs("trsm", dtype=dtype)),
    )
    for ours, scipys in pairs:
        assert (ours.__name__, ours.__doc__) == (scipys.__name__, scipys.__doc__)


def absent(name):
    """What `late_extension` gives for a module that needs its package, or is not there."""


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.int32, np.int64])
@pytest.mark.parametrize("wide", [1, 3])
def test_sums_of_slots_are_those_of_the_sparse_matrix(dtype, wide, monkeypatch):
    random = np.random.RandomState(0)
    rows = (random.normal(size=(5000, wide)) * 9).astype(dtype)
    slots = random.randint(0, 40, 5000)
    for kind in (np.int32, np.int64):
        direct = segment_kernels._sums(rows, slots.astype(kind), 41)
        with monkeypatch.context() as patch:
            patch.setattr(segment_kernels, "late_extension", absent)
            np.testing.assert_array_equal(direct, segment_kernels._sums(rows, slots, 41))


def test_without_the_modules_the_packages_do(monkeypatch):
    monkeypatch.setattr(lapack_routines, "late_extension", absent)
    assert lapack_routines.lapack("getrf", np.float32).__name__.endswith("sgetrf")
    assert lapack_routines.blas("trsm", np.complex128).__name__.endswith("ztrsm")
    monkeypatch.setattr(special_functions, "late_extension", absent)
    assert special_functions._scipys.__wrapped__("erf") is scipy.special.erf


def test_a_module_that_is_not_there_is_none():
    assert late_extension("scipy.special.no_such_module") is None
    assert late_extension("no_such_package.no_such_module") is None
    assert late_imports.late_extension("scipy.special._basic") is None  # it is Python


PROGRAM = """
import sys
import numpy as np
import graphwright as tf
a = tf.constant([[4.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 2.0]])
big = tf.eye(40) * 3.0 + 0.01
values = tf.math.erf([0.5]), tf.sigmoid([0.5]), tf.math.lgamma([2.5]), tf.linalg.lu(big)[0]
values += (tf.linalg.triangular_solve(big, tf.ones([40, 2])),)
values += (tf.math.unsorted_segment_sum(tf.ones([9000, 2]), tf.zeros([9000], tf.int32), 3),)
print([name for name in ("scipy.special", "scipy.linalg", "scipy.sparse") if name in sys.modules])
import scipy.linalg, scipy.sparse, scipy.special
assert abs(float(values[0][0]) - scipy.special.erf(0.5)) < 1e-6
assert scipy.linalg.lapack.dgetrf(np.eye(3))[2] == 0
assert scipy.linalg.expm(np.zeros([2, 2]))[0, 0] == 1
assert (scipy.sparse.csc_matrix(np.eye(3)) @ np.ones([3, 2])).sum() == 6
assert scipy.special.loggamma(2.5 + 1j).imag and scipy.special.iv(0.5, 1.0) > 0
print(float(tf.math.erf(0.5)), float(tf.math.betainc(1.0, 2.0, 0.5)))
"""


@pytest.mark.skipif(
    np.lib.NumpyVersion(scipy.__version__) < "1.17.0", reason="its modules import packages"
)
def test_programs_import_no_package_of_scipys_and_may_do_so_later():
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={"PYTHONPATH": ":".join(sys.path), "GRAPHWRIGHT_CACHE_DIR": "off"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "[]"
    assert lines[1].startswith("0.52049")


def test_nothing_is_collected_while_a_module_is_imported(tmp_path, monkeypatch):
    (tmp_path / "imported_late.py").write_text(
        "import gc\n"
        "before = gc.get_stats()\n"
        "MANY = [[] for _ in range(5_000)]\n"
        "assert gc.get_stats() == before\n"
    )
    (tmp_path / "fails_late.py").write_text("raise RuntimeError('no')\n")
    monkeypatch.syspath_prepend(tmp_path)
    frozen = gc.get_freeze_count()
    module = late_module("imported_late")
    with pytest.raises(RuntimeError):
        late_module("fails_late")
    assert gc.isenabled()
    assert gc.get_freeze_count() == frozen
    assert late_module("imported_late") is module
    del sys.modules["imported_late"]
