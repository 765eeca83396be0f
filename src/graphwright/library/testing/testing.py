"""`tf.test`: unit tests over tensors.

`TestCase` compares tensors, arrays, nested structures and ragged rows; the assertions on Python's
own containers are those of `absl.testing.absltest`, as in TensorFlow.
"""

from __future__ import annotations

import contextlib
import re
import shutil
import tempfile
import threading
import unittest
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, SupportsFloat, TypeGuard, TypeVar

import numpy as np
from absl.testing import absltest

from graphwright.base.errors import InvalidArgumentError, OpError
from graphwright.op.interpreter import holds_tensor
from graphwright.ops.random.seeds import set_seed
from graphwright.types import tree
from graphwright.types.arguments import DTypeLike, PythonFunction, TensorValue, Typed
from graphwright.types.arrays import Array
from graphwright.types.composite import Composite
from graphwright.types.dtypes import as_dtype
from graphwright.values.convert import convert
from graphwright.values.tensor import EagerTensor, Tensor
from graphwright.values.variable import Variable

if TYPE_CHECKING:
    import numpy.typing as npt
    from google.protobuf.message import Message

    from graphwright.proto.graph_pb2 import GraphDef

E = TypeVar("E", bound=BaseException)

#: The dtypes of few digits, which NumPy does not compare with tolerances.
_COARSE = ("float16", "bfloat16")


class TestCase(absltest.TestCase):
    """A `unittest.TestCase` that compares tensors; each test begins with the seed 42.

    >>> import graphwright as tf
    >>> tf.test.TestCase().assertAllClose(tf.constant([1.0, 2.0]), [1.0, 2.0 + 1e-7])
    """

    def setUp(self) -> None:
        super().setUp()
        set_seed(42)
        np.random.seed(42)

    # -- values -------------------------------------------------------------------------

    def evaluate(self, tensors: object) -> Any:
        """Returns tensors as NumPy values.

        Args:
            tensors: A tensor or a variable, or a structure of them.

        Returns:
            NumPy values in that structure.
        """
        return tree.map_structure(values_of, tensors)

    @contextlib.contextmanager
    def session(self, *args: object, **kwargs: object) -> Iterator[TestCase]:
        """Opens a block in which `evaluate` may be called, as everywhere.

        Args:
            *args: They have no effect.
            **kwargs: They have no effect.

        Yields:
            The test.
        """
        yield self

    cached_session = session

    def get_temp_dir(self) -> str:
        """Returns the temporary folder of the test, which is removed after it."""
        folder: str | None = self.__dict__.get("_folder")
        if folder is None:
            folder = self._folder = tempfile.mkdtemp()
            self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        return folder

    def checkedThread(
        self,
        target: PythonFunction,
        args: Iterable[object] | None = None,
        kwargs: Mapping[str, object] | None = None,
    ) -> CheckedThread:
        """Makes a thread whose `join` fails the test with the error that the thread raised.

        Args:
            target: A function.
            args: A sequence of its arguments, or None.
            kwargs: A dict of its keyword arguments, or None.

        Returns:
            A thread, with `start`, `is_alive` and `join`.

        >>> import graphwright as tf
        >>> thread = tf.test.TestCase().checkedThread(lambda x: 1 / x, [0])
        >>> thread.start()
        >>> thread.join()
        Traceback (most recent call last):
        AssertionError: Error in a thread: division by zero
        """
        return CheckedThread(self, target, args or (), kwargs or {})

    # -- all elements -------------------------------------------------------------------

    def assertAllClose(
        self, a: object, b: object, rtol: float = 1e-6, atol: float = 1e-6, msg: str | None = None
    ) -> None:
        """Checks that elements are close: |a - b| <= atol + rtol * |b|.

        Args:
            a: A tensor, an array, numbers, or a structure of them.
            b: Another one, of the same structure.
            rtol: A float: the relative tolerance.
            atol: A float: the absolute tolerance.
            msg: A str that a failure adds.

        Raises:
            AssertionError: It is not so.

        >>> import graphwright as tf
        >>> tf.test.TestCase().assertAllClose({"x": tf.constant([1.0])}, {"x": [1.0 + 1e-7]})
        """
        for path, x, y in self._pairs(a, b, msg):
            x, y = self._of_one_shape(x, y, msg)
            if not np.allclose(wide(x), wide(y), rtol=rtol, atol=atol, equal_nan=True):
                bad = ~np.isclose(wide(x), wide(y), rtol=rtol, atol=atol, equal_nan=True)
                where = f"rtol={rtol}, atol={atol}{path}\n{differences(x, y, bad)}"
                self.fail(f"Not equal to tolerance {where}\n{msg or ''}")

    def assertAllCloseAccordingToType(
        self,
        a: object,
        b: object,
        rtol: float = 1e-6,
        atol: float = 1e-6,
        float_rtol: float = 1e-6,
        float_atol: float = 1e-6,
        half_rtol: float = 1e-3,
        half_atol: float = 1e-3,
        bfloat16_rtol: float = 1e-2,
        bfloat16_atol: float = 1e-2,
        msg: str | None = None,
    ) -> None:
        """Checks that elements are close, with the tolerances of the dtype that has the fewest
        digits.

        Args:
            a: A tensor, an array, numbers, or a structure of them.
            b: Another one, of the same structure.
            rtol: A float: the relative tolerance of float64.
            atol: A float: the absolute tolerance of float64.
            float_rtol: A float: the relative tolerance of float32 and complex64.
            float_atol: A float: their absolute tolerance.
            half_rtol: A float: the relative tolerance of float16.
            half_atol: A float: its absolute tolerance.
            bfloat16_rtol: A float: the relative tolerance of bfloat16.
            bfloat16_atol: A float: its absolute tolerance.
            msg: A str that a failure adds.

        Raises:
            AssertionError: It is not so.
        """
        names = {x.dtype.name for _, *pair in self._pairs(a, b, msg) for x in map(array_of, pair)}
        for name, relative, absolute in (
            ("float32", float_rtol, float_atol),
            ("complex64", float_rtol, float_atol),
            ("float16", half_rtol, half_atol),
            ("bfloat16", bfloat16_rtol, bfloat16_atol),
        ):
            if name in names:
                rtol, atol = max(rtol, relative), max(atol, absolute)
        self.assertAllClose(a, b, rtol, atol, msg)

    def assertNotAllClose(
        self, a: object, b: object, rtol: float = 1e-6, atol: float = 1e-6, msg: str | None = None
    ) -> None:
        """Checks that some elements are not close.

        Args:
            a: A tensor, an array, numbers, or a structure of them.
            b: Another one, of the same structure.
            rtol: A float: the relative tolerance.
            atol: A float: the absolute tolerance.
            msg: A str that a failure adds.

        Raises:
            AssertionError: It is not so.
        """
        try:
            self.assertAllClose(a, b, rtol, atol)
        except AssertionError:
            return
        self.fail(f"The two values are close at all elements. {msg or ''}")

    def assertAllEqual(self, a: object, b: object, msg: str | None = None) -> None:
        """Checks that all elements are equal; NaN is equal to NaN.

        Args:
            a: A tensor, a ragged tensor, an array or numbers.
            b: Another one of the same shape.
            msg: A str that a failure adds.

        Raises:
            AssertionError: It is not so.

        >>> import graphwright as tf
        >>> tf.test.TestCase().assertAllEqual(tf.range(3), [0, 1, 2])
        """
        if isinstance(a, Composite) or isinstance(b, Composite):
            self.assertEqual(rows_of(a), rows_of(b), msg)
            return
        x, y = self._of_one_shape(a, b, msg)
        same = x == y
        if x.dtype.kind in "fc" and y.dtype.kind in "fc":
            same = same | (np.isnan(x) & np.isnan(y))
        if not np.all(same):
            self.fail(f"Arrays are not equal\n{differences(x, y, ~same)}\n{msg or ''}")

    def assertNotAllEqual(self, a: object, b: object, msg: str | None = None) -> None:
        """Checks that some elements differ.

        Args:
            a: A tensor, a ragged tensor, an array or numbers.
            b: Another one.
            msg: A str that a failure adds.

        Raises:
            AssertionError: It is not so.
        """
        try:
            self.assertAllEqual(a, b)
        except AssertionError:
            return
        self.fail(f"The two values are equal at all elements. {msg or ''}")

    def assertAllGreater(self, a: object, comparison_target: npt.ArrayLike) -> None:
        """Checks that all elements are greater than a number.

        Args:
            a: A tensor, an array or numbers.
            comparison_target: A number.

        Raises:
            AssertionError: It is not so.
        """
        self.assertGreater(np.min(array_of(a)), comparison_target)

    def assertAllGreaterEqual(self, a: object, comparison_target: npt.ArrayLike) -> None:
        """Checks that all elements are greater than a number, or equal to it.

        Args:
            a: A tensor, an array or numbers.
            comparison_target: A number.

        Raises:
            AssertionError: It is not so.
        """
        self.assertGreaterEqual(np.min(array_of(a)), comparison_target)

    def assertAllLess(self, a: object, comparison_target: npt.ArrayLike) -> None:
        """Checks that all elements are less than a number.

        Args:
            a: A tensor, an array or numbers.
            comparison_target: A number.

        Raises:
            AssertionError: It is not so.
        """
        self.assertLess(np.max(array_of(a)), comparison_target)

    def assertAllLessEqual(self, a: object, comparison_target: npt.ArrayLike) -> None:
        """Checks that all elements are less than a number, or equal to it.

        Args:
            a: A tensor, an array or numbers.
            comparison_target: A number.

        Raises:
            AssertionError: It is not so.
        """
        self.assertLessEqual(np.max(array_of(a)), comparison_target)

    def assertAllInRange(
        self,
        target: object,
        lower_bound: float | np.generic | Array,
        upper_bound: float | np.generic | Array,
        open_lower_bound: bool = False,
        open_upper_bound: bool = False,
    ) -> None:
        """Checks that all elements are in a range.

        Args:
            target: A tensor, an array or numbers.
            lower_bound: A number.
            upper_bound: A number.
            open_lower_bound: A bool: whether the lower bound is outside the range.
            open_upper_bound: A bool: whether the upper bound is.

        Raises:
            AssertionError: It is not so.
        """
        array = array_of(target)
        below = array <= lower_bound if open_lower_bound else array < lower_bound
        above = array >= upper_bound if open_upper_bound else array > upper_bound
        outside = below | above | (np.isnan(array) if array.dtype.kind in "fc" else False)
        if np.any(outside):
            left, right = "(" if open_lower_bound else "[", ")" if open_upper_bound else "]"
            self.fail(
                f"{np.sum(outside)} of the {array.size} element(s) are outside the range "
                f"{left}{lower_bound}, {upper_bound}{right}: {array[outside]} at "
                f"{np.argwhere(outside).tolist()}"
            )

    def assertAllInSet(self, target: object, expected_set: Container[object]) -> None:
        """Checks that all elements are in a set.

        Args:
            target: A tensor, an array or values.
            expected_set: A container of values.

        Raises:
            AssertionError: It is not so.
        """
        elements = np.unique(array_of(target))
        others = [x for x in elements.tolist() if x not in expected_set]
        if others:
            self.fail(f"{len(others)} unique element(s) are not in {expected_set}: {others}")

    # -- numbers, shapes, dtypes --------------------------------------------------------

    def assertNear(
        self,
        f1: complex | TensorValue,
        f2: complex | TensorValue,
        err: float,
        msg: str | None = None,
    ) -> None:
        """Checks that two numbers differ by at most `err`; infinities are equal to themselves.

        Args:
            f1: A number.
            f2: A number.
            err: A number.
            msg: A str that a failure adds.

        Raises:
            AssertionError: It is not so.
        """
        if not (f1 == f2 or abs(f1 - f2) <= err):
            self.fail(f"{f1} != {f2} +/- {err}. {msg or ''}")

    def assertArrayNear(
        self,
        farray1: Array | Sequence[SupportsFloat],
        farray2: Array | Sequence[SupportsFloat],
        err: float,
        msg: str | None = None,
    ) -> None:
        """Checks that two sequences of numbers differ by at most `err` each.

        Args:
            farray1: A sequence of numbers.
            farray2: Another one of the same length.
            err: A number.
            msg: A str that a failure adds.

        Raises:
            AssertionError: It is not so.
        """
        self.assertEqual(len(farray1), len(farray2), msg)
        for f1, f2 in zip(farray1, farray2):
            self.assertNear(float(f1), float(f2), err, msg)

    def assertNDArrayNear(
        self, ndarray1: object, ndarray2: object, err: float, msg: str | None = None
    ) -> None:
        """Checks that the difference of two arrays has a norm of less than `err`.

        Args:
            ndarray1: An array or a tensor.
            ndarray2: Another one of the same shape.
            err: A number.
            msg: A str that a failure adds.

        Raises:
            AssertionError: It is not so.
        """
        norm = float(np.linalg.norm(array_of(ndarray1) - array_of(ndarray2)))
        self.assertLess(norm, err, msg)

    def assertShapeEqual(self, input_a: Typed, input_b: Typed, msg: str | None = None) -> None:
        """Checks that two values are of one shape.

        Args:
            input_a: An array or a tensor.
            input_b: Another one.
            msg: A str that a failure adds.

        Raises:
            AssertionError: It is not so.
        """
        self.assertEqual(tuple(input_a.shape), tuple(input_b.shape), msg)

    def assertDTypeEqual(self, target: object, expected_dtype: DTypeLike) -> None:
        """Checks that all tensors are of a dtype.

        Args:
            target: A tensor or an array, or a structure of them.
            expected_dtype: The dtype.

        Raises:
            AssertionError: It is not so.
        """
        for leaf in tree.flatten(target):
            self.assertEqual(as_dtype(array_of(leaf).dtype), as_dtype(expected_dtype))

    # -- errors -------------------------------------------------------------------------

    @contextlib.contextmanager
    def assertRaisesWithPredicateMatch(  # type: ignore[override]
        self,
        exception_type: type[E],
        expected_err_re_or_predicate: str | re.Pattern[str] | Callable[[E], object],
    ) -> Iterator[None]:
        """Opens a block that must raise an error whose message matches.

        Args:
            exception_type: The class of the error.
            expected_err_re_or_predicate: A regular expression that the message has a match of, or a
                function of the error that returns a bool.

        Yields:
            None.

        Raises:
            AssertionError: The block raises no such error.

        >>> import graphwright as tf
        >>> case = tf.test.TestCase()
        >>> with case.assertRaisesWithPredicateMatch(ValueError, "too"):
        ...     raise ValueError("too long")
        """
        expected = expected_err_re_or_predicate
        try:
            yield
        except exception_type as error:
            message = error.message if isinstance(error, OpError) else str(error)
            if not (expected(error) if callable(expected) else re.search(expected, message)):
                raise AssertionError(f"Exception of type {type(error)}: {error}") from error
            return
        self.fail(f"{exception_type.__name__} not raised")

    def assertRaisesOpError(
        self, expected_err_re_or_predicate: str | re.Pattern[str] | Callable[[OpError], object]
    ) -> Any:
        """Opens a block that must raise an `OpError` whose message matches.

        Args:
            expected_err_re_or_predicate: A regular expression, or a function of the error that
                returns a bool.

        Returns:
            A context manager.
        """
        return self.assertRaisesWithPredicateMatch(OpError, expected_err_re_or_predicate)

    def assertRaisesIncompatibleShapesError(
        self, exception_type: type[BaseException] = InvalidArgumentError
    ) -> Any:
        """Opens a block that must raise an error about shapes that do not fit each other.

        Args:
            exception_type: The class of the error.

        Returns:
            A context manager.
        """
        return self.assertRaisesWithPredicateMatch(
            exception_type, r"Incompatible shapes|Dimensions must be equal|required broadcastable"
        )

    # -- structures ---------------------------------------------------------------------

    def assertProtoEquals(
        self,
        expected_message_maybe_ascii: Message | str,
        validate_message: Message,
        msg: str | None = None,
    ) -> None:
        """Checks that two protobuf messages are equal.

        Args:
            expected_message_maybe_ascii: A message, or one as text.
            validate_message: The other message.
            msg: A str that a failure adds.

        Raises:
            AssertionError: It is not so.
        """
        expected = expected_message_maybe_ascii
        if isinstance(expected, str):
            from google.protobuf import text_format

            expected = text_format.Parse(expected, type(validate_message)())
        self.assertEqual(str(expected), str(validate_message), msg)

    def _pairs(self, a: object, b: object, msg: str | None) -> Iterator[tuple[str, object, object]]:
        """The leaves of two structures in pairs, each with the words for its place."""
        yield from self._walk(a, b, "", msg)

    def _walk(
        self, a: object, b: object, path: str, msg: str | None
    ) -> Iterator[tuple[str, object, object]]:
        if isinstance(a, Mapping) and isinstance(b, Mapping):
            self.assertCountEqual(a, b, f"mismatched keys{path}. {msg or ''}")
            for key in a:
                yield from self._walk(a[key], b[key], f"{path or ' at '}[{key!r}]", msg)
        elif is_row(a) and is_row(b) and len(a) == len(b) and not (is_array(a) and is_array(b)):
            for i, (x, y) in enumerate(zip(a, b)):
                yield from self._walk(x, y, f"{path or ' at '}[{i}]", msg)
        else:
            yield path, a, b

    def _of_one_shape(self, a: object, b: object, msg: str | None) -> tuple[Array, Array]:
        x, y = array_of(a), array_of(b)
        if x.shape != y.shape:
            self.fail(f"Shape mismatch: expected {x.shape}, got {y.shape}. {msg or ''}")
        return x, y


class CheckedThread:
    """A thread that a test starts and joins."""

    def __init__(
        self,
        case: TestCase,
        target: PythonFunction,
        args: Iterable[object],
        kwargs: Mapping[str, object],
    ) -> None:
        self._case = case
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, args=(target, args, kwargs))

    def _run(
        self, target: PythonFunction, args: Iterable[object], kwargs: Mapping[str, object]
    ) -> None:
        try:
            target(*args, **kwargs)
        except BaseException as error:  # noqa: BLE001 - raised where it is joined
            self._error = error

    def start(self) -> None:
        """Starts the thread."""
        self._thread.start()

    def is_alive(self) -> bool:
        """Whether it runs."""
        return self._thread.is_alive()

    def join(self) -> None:
        """Waits for the thread; the test fails if it raised."""
        self._thread.join()
        if self._error is not None:
            raise self._case.failureException(f"Error in a thread: {self._error}") from self._error


def values_of(leaf: object) -> Any:
    """A tensor or variable as a NumPy value; anything else as it is."""
    return leaf.numpy() if isinstance(leaf, (EagerTensor, Variable)) else leaf


def array_of(value: object) -> Array:
    """A value as an array: strings as bytes."""
    leaf: Any = value
    if not isinstance(leaf, (Tensor, Variable, np.ndarray, np.generic)):
        leaf = convert(leaf) if holds_tensor(leaf) else np.asarray(leaf)
    array = np.asarray(values_of(leaf))
    return np.char.encode(array, "utf-8").astype(object) if array.dtype.kind == "U" else array


def wide(array: Array) -> Array:
    """An array of a dtype that NumPy compares with tolerances."""
    return array.astype(np.float32) if array.dtype.name in _COARSE else array


def is_row(value: object) -> TypeGuard[list[object] | tuple[object, ...]]:
    """Whether a value is a list or a tuple."""
    return isinstance(value, (list, tuple))


def is_array(value: object) -> bool:
    """Whether nested lists are one array."""
    try:
        array = array_of(value)
    except (TypeError, ValueError, OpError):
        return False
    return array.dtype.kind != "O" or all(isinstance(x, (bytes, str)) for x in array.flat)


def rows_of(value: object) -> Any:
    """Ragged rows, or an array, as nested lists."""
    if hasattr(value, "to_list"):
        return value.to_list()
    return value if isinstance(value, list) else array_of(value).tolist()


def differences(x: Array, y: Array, bad: Array) -> str:
    """A text of the elements in which two arrays differ, of many the first."""
    places = np.argwhere(bad)
    shown = [
        f"  {place.tolist()}: {x[tuple(place)]!r} and {y[tuple(place)]!r}" for place in places[:10]
    ]
    more = [f"  ... and {len(places) - 10} more"] if len(places) > 10 else []
    return "\n".join([f"{len(places)} of {x.size} elements differ:", *shown, *more])


def main(argv: Sequence[str] | None = None) -> None:
    """Runs the tests of the program, as `absl.testing.absltest.main` does, and ends the process.

    Args:
        argv: The arguments of the command line, the program's name first. None means `sys.argv`.

    >>> import graphwright as tf
    >>> if __name__ == "__main__":
    ...     tf.test.main()
    """
    absltest.main(argv=argv)


def gpu_device_name() -> str:
    """Returns the name of a GPU: there is none.

    Returns:
        An empty str.

    >>> import graphwright as tf
    >>> tf.test.gpu_device_name()
    ''
    """
    return ""


def is_gpu_available(cuda_only: bool = False, min_cuda_compute_capability: object = None) -> bool:
    """Says whether there is a GPU: there is none.

    Args:
        cuda_only: Has no effect.
        min_cuda_compute_capability: Has no effect.

    Returns:
        False.

    >>> import graphwright as tf
    >>> tf.test.is_gpu_available()
    False
    """
    return False


def is_built_with_cuda() -> bool:
    """Says whether the package uses CUDA: it does not.

    Returns:
        False.

    >>> import graphwright as tf
    >>> tf.test.is_built_with_cuda()
    False
    """
    return False


def is_built_with_rocm() -> bool:
    """Says whether the package uses ROCm: it does not.

    Returns:
        False.

    >>> import graphwright as tf
    >>> tf.test.is_built_with_rocm()
    False
    """
    return False


def is_built_with_gpu_support() -> bool:
    """Says whether the package uses GPUs: it does not.

    Returns:
        False.

    >>> import graphwright as tf
    >>> tf.test.is_built_with_gpu_support()
    False
    """
    return False


def is_built_with_xla() -> bool:
    """Says whether the package uses XLA: it has an engine of its own instead.

    Returns:
        False.

    >>> import graphwright as tf
    >>> tf.test.is_built_with_xla()
    False
    """
    return False


def disable_with_predicate(
    pred: Callable[[], bool], skip_message: str
) -> Callable[[PythonFunction], Callable[..., Any]]:
    """Makes a decorator that skips a test method while a predicate holds.

    Args:
        pred: A function of no arguments that returns a bool. Each run of the test calls it.
        skip_message: The reason that the report shows for the test.

    Returns:
        A decorator of methods of a `unittest.TestCase`.

    >>> import graphwright as tf
    >>> import unittest
    >>> class Tests(unittest.TestCase):
    ...     @tf.test.disable_with_predicate(lambda: True, "not today")
    ...     def test_sum(self):
    ...         self.fail()
    >>> Tests("test_sum").run().skipped[0][1]
    'not today'
    """

    def decorate(function: PythonFunction) -> Callable[..., Any]:
        def test(self: unittest.TestCase, *args: object, **kwargs: object) -> Any:
            if pred():
                self.skipTest(skip_message)
            return function(self, *args, **kwargs)

        return test

    return decorate


def assert_equal_graph_def(expected: GraphDef, actual: GraphDef) -> None:
    """Asserts that two GraphDefs have equal nodes, in any order.

    Args:
        expected: A GraphDef message.
        actual: A GraphDef message.

    Raises:
        TypeError: One of the two is no GraphDef.
        AssertionError: Their nodes differ; the message names those.

    >>> import graphwright as tf
    >>> double = tf.function(lambda x: x + x).get_concrete_function(tf.TensorSpec([]))
    >>> definition = double.graph.as_graph_def()
    >>> tf.test.assert_equal_graph_def(definition, definition)
    """
    for graph in (expected, actual):
        if type(graph).__name__ != "GraphDef":
            raise TypeError(f"A GraphDef is needed, not a {type(graph).__name__}.")
    left, right = ({node.name: node for node in graph.node} for graph in (expected, actual))
    if left != right:
        names = sorted(n for n in {*left, *right} if left.get(n) != right.get(n))
        raise AssertionError(f"Graphs differ in the nodes {', '.join(names)}")
