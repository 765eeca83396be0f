"""Tensors of a graph where Python or NumPy needs values."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import ClassVar

from graphwright.lint.analysis import Place
from graphwright.lint.expression_analysis import TENSORS
from graphwright.lint.finding import Edit, Finding
from graphwright.lint.kinds import Kind, words
from graphwright.lint.rules.rule import Rule

#: NumPy functions that need the shape of an array alone, which tracing knows.
SHAPE_ONLY = words("np.shape np.ndim np.size np.result_type np.dtype np.isscalar")
#: NumPy functions, and TensorFlow's functions with the same arguments.
SAME = {
    **{
        name: name
        for name in words(
            "abs sin cos tan sinh cosh tanh exp sqrt square sign floor maximum minimum zeros_like"
            " ones_like expand_dims squeeze reshape transpose where matmul"
        )
    },
    "absolute": "abs",
    "arcsin": "asin",
    "arccos": "acos",
    "arctan": "atan",
    "log": "math.log",
    "log1p": "math.log1p",
    "expm1": "math.expm1",
    "sum": "reduce_sum",
    "mean": "reduce_mean",
    "prod": "reduce_prod",
    "max": "reduce_max",
    "min": "reduce_min",
    "amax": "reduce_max",
    "amin": "reduce_min",
    "any": "reduce_any",
    "all": "reduce_all",
    "isnan": "math.is_nan",
    "isinf": "math.is_inf",
    "isfinite": "math.is_finite",
    "ceil": "math.ceil",
    "stack": "stack",
    "power": "pow",
    "add": "add",
    "subtract": "subtract",
    "multiply": "multiply",
    "concatenate": "concat",
}
#: Functions of Python's `math`, and TensorFlow's functions with the same arguments.
SAME_AS_MATH = {
    **{
        name: name for name in words("sqrt exp sin cos tan asin acos atan sinh cosh tanh pow floor")
    },
    **{name: f"math.{name}" for name in words("log log1p expm1 ceil atan2 erf erfc lgamma")},
    "fabs": "abs",
    "isnan": "math.is_nan",
    "isinf": "math.is_inf",
    "isfinite": "math.is_finite",
}
#: Those that need their second argument, those whose second one is another, and common keywords.
WITH_AXIS = frozenset({"concatenate"})
WITH_BASE = frozenset({"log"})
KEYWORDS = frozenset({"axis", "keepdims"})
PYTHON_OPS = words("tf.py_function tf.numpy_function tf.py_func")


class PythonLibraryCall(Rule):
    """A library of Python gets a tensor of the graph, which has no values yet."""

    nodes: ClassVar = (ast.Call,)
    #: The library, as paths name it, and its functions with those that do the same here.
    library: ClassVar[str]
    same: ClassVar[Mapping[str, str]]

    def needs_values(self, path: str) -> bool:
        """Whether a function of the library reads the values of its arguments."""
        return True

    def visit(self, node: ast.AST, place: Place) -> Iterator[Finding]:
        if not isinstance(node, ast.Call) or place.is_lifted(node):
            return
        path = place.callee(node)
        library, _, name = path.partition(".")
        if library != self.library or not self.needs_values(path):
            return
        arguments = [*node.args, *(k.value for k in node.keywords)]
        for argument in arguments:
            value = place.value(argument)
            holds = value.is_only(Kind.CONTAINER) and value.each().is_only(TENSORS)
            if value.may(TENSORS) or holds:
                instead = self.same.get(name)
                tf = place.analysis.module_name
                advice = f"{tf}.{instead}" if instead else "an op, or tf.numpy_function"
                yield self.finding(
                    place,
                    node,
                    f"`{ast.unparse(node.func)}` gets the tensor"
                    f" `{ast.unparse(argument)}`, which has no values while tracing;"
                    f" use {advice}",
                    self._fix(node, name, tf),
                )
                return

    def _fix(self, node: ast.Call, name: str, tf: str) -> list[Edit] | None:
        """The change `np.sum(x, axis=1) -> tf.reduce_sum(x, axis=1)`."""
        instead = self.same.get(name)
        known = all(keyword.arg in KEYWORDS for keyword in node.keywords)
        count = len(node.args) + len(node.keywords)
        enough = count > 1 or name not in WITH_AXIS
        same = count == 1 or name not in WITH_BASE
        if instead is None or not known or not enough or not same:
            return None
        return [Edit.of(node.func, f"{tf}.{instead}")]


class NumpyCall(PythonLibraryCall):
    """NumPy gets a tensor of the graph, which has no values yet."""

    code = "GW501"
    library = "np"
    same = SAME

    def needs_values(self, path: str) -> bool:
        return path not in SHAPE_ONLY and not path.startswith("np.testing.")


class MathCall(PythonLibraryCall):
    """Python's `math` gets a tensor of the graph, which has no value yet."""

    code = "GW505"
    library = "math"
    same = SAME_AS_MATH


class ValueAsked(Rule):
    """Python reads the value of a tensor while tracing: `.numpy()`, `.item()`, `.tolist()`."""

    code = "GW502"
    nodes: ClassVar = (ast.Call,)

    def visit(self, node: ast.AST, place: Place) -> Iterator[Finding]:
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            return
        if node.func.attr not in ("numpy", "item", "tolist") or node.args or place.is_lifted(node):
            return
        value = place.value(node.func.value)
        if value.may(TENSORS) and not value.may(Kind.NUMPY) and not self._is_eager(node, place):
            yield self.finding(
                place,
                node,
                f"`{ast.unparse(node.func.value)}` has no value while tracing,"
                f" so `.{node.func.attr}()` fails; use the tensor itself",
            )

    def _is_eager(self, node: ast.Call, place: Place) -> bool:
        """Whether the code tests first if it runs eagerly."""
        for parent, _ in place.analysis.above(node):
            if isinstance(parent, (ast.If, ast.IfExp)) and "eager" in ast.unparse(parent.test):
                return True
            if isinstance(parent, ast.Try):
                return True
        return False


class PythonOp(Rule):
    """`tf.py_function` in a function that XLA compiles or that is saved."""

    code = "GW503"
    nodes: ClassVar = (ast.Call,)

    def visit(self, node: ast.AST, place: Place) -> Iterator[Finding]:
        if not isinstance(node, ast.Call):
            return
        path = place.callee(node)
        if path not in PYTHON_OPS:
            return
        if place.staging.flag("jit_compile", False):
            yield self.finding(
                place,
                node,
                f"`{path}` runs Python, which jit_compile=True cannot"
                " compile; use ops, or leave jit_compile out",
            )
        elif self._is_saved(place):
            yield self.finding(
                place,
                node,
                f"`{path}` runs Python of this process: a program that loads"
                " the saved object cannot call it; use ops",
            )

    def _is_saved(self, place: Place) -> bool:
        """Whether the file saves an object that the function is a method of."""
        klass = place.staging.function.klass
        for node, value in place.analysis.flow.values.items():
            if isinstance(node, ast.Call) and node.args and klass is not None:
                path = place.callee(node)
                if path == "tf.saved_model.save" and klass in place.value(node.args[0]).classes:
                    return value is not None
        return False


class MixedTypes(Rule):
    """An operator gets tensors of two dtypes, which are not converted."""

    code = "GW504"
    nodes: ClassVar = (ast.BinOp, ast.Compare)

    def visit(self, node: ast.AST, place: Place) -> Iterator[Finding]:
        if isinstance(node, ast.BinOp):
            pair = node.left, node.right
        elif isinstance(node, ast.Compare) and len(node.comparators) == 1:
            pair = node.left, node.comparators[0]
        else:
            return
        kinds = [place.value(part).dtype for part in pair]
        if not all(place.value(part).may(TENSORS) for part in pair) or not all(kinds):
            return
        one, other = (set(kind.split("|")) for kind in kinds)
        if (len(one) == 1 or len(other) == 1) and one ^ other:
            x, y = (ast.unparse(part) for part in pair)
            dtypes = " or ".join(sorted(one)), " or ".join(sorted(other))
            yield self.finding(
                place,
                node,
                f"`{x}` is {dtypes[0]} and `{y}` is {dtypes[1]}: an operator"
                " takes one dtype; use tf.cast",
            )


class ComparedByIdentity(Rule):
    """A tensor is compared with a Python value by `is`."""

    code = "GW506"
    nodes: ClassVar = (ast.Compare,)

    def visit(self, node: ast.AST, place: Place) -> Iterator[Finding]:
        match node:
            case ast.Compare(left=left, ops=[ast.Is() | ast.IsNot()], comparators=[right]):
                is_literal = isinstance(right, ast.Constant) and right.value not in (None, ...)
                if is_literal and place.value(left).may(TENSORS):
                    yield self.finding(
                        place,
                        node,
                        f"`{ast.unparse(left)}` is a tensor, and no tensor is the object"
                        f" `{ast.unparse(right)}`: compare with `==`, or use it as a condition",
                    )
