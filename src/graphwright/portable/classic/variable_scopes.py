"""`tf.compat.v1.get_variable` and `variable_scope`: variables that a program shares by name.

A graph has one table of variables by whole names. A scope says how names begin, and whether a name
makes a variable or means one that is there.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

from graphwright.control.dependencies import control_dependencies
from graphwright.control.graph_variable import GLOBAL, LOCAL, TRAINABLE, GraphVariable
from graphwright.ir.graph import Graph
from graphwright.op.refusal import complete
from graphwright.portable.classic.graph_collections import GraphKeys, open_graph
from graphwright.portable.classic.random_initializers import GlorotUniform
from graphwright.trace.scopes import name_scope
from graphwright.types import dtypes as dt
from graphwright.types.arguments import DTypeLike, ShapeLike, TensorLike, TensorValue
from graphwright.types.shape import TensorShape
from graphwright.values.convert import convert
from graphwright.values.variable import Variable

#: The collections of what scopes share.
_SCOPE, _TABLE, _COUNTS = ("__variable_scope",), ("__variable_store",), ("__varscope_counts",)


class Reuse(enum.Enum):
    """Whether names of variables mean those that are there, where there are some."""

    AUTO_REUSE = 1


AUTO_REUSE = Reuse.AUTO_REUSE


class VariableScope:
    """How names of variables begin, and what they are made with unless a call says otherwise.

    Args:
        reuse: False to make variables, True to take those that are there, `tf.compat.v1.AUTO_REUSE`
            to do what is possible.
        name: What names begin with.
        initializer: Makes initial values.
        regularizer: A function from a variable to a loss.
        dtype: The dtype of variables.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default(), tf.compat.v1.variable_scope("layer") as scope:
    ...     scope.name, scope.reuse
    ('layer', False)
    """

    def __init__(
        self,
        reuse: bool | Reuse | None = False,
        name: str = "",
        initializer: object = None,
        regularizer: Callable[[TensorValue], Any] | None = None,
        dtype: DTypeLike = dt.float32,
    ) -> None:
        self.reuse = reuse or False
        self.name = name
        self.initializer = initializer
        self.regularizer = regularizer
        self.dtype = dt.as_dtype(dtype)
        self._original_name_scope = f"{name}/" if name else ""

    @property
    def original_name_scope(self) -> str:
        """The name scope that its first block opened."""
        return self._original_name_scope

    def reuse_variables(self) -> None:
        """Takes variables that are there from now on."""
        self.reuse = True

    def set_initializer(self, initializer: Any) -> None:
        """Sets what makes initial values.

        Args:
            initializer: A function of a shape and a dtype.
        """
        self.initializer = initializer

    def global_variables(self) -> list[Any]:
        """The variables of the graph whose names begin with the scope's."""
        return open_graph().get_collection(GLOBAL, f"{self.name}/" if self.name else None)

    def trainable_variables(self) -> list[Any]:
        """Those of them that are trained."""
        return open_graph().get_collection(TRAINABLE, f"{self.name}/" if self.name else None)


def current_scope(graph: Graph) -> VariableScope:
    """The innermost scope that is open."""
    scopes = graph.collections.setdefault(_SCOPE, [VariableScope()])
    scope: VariableScope = scopes[-1]
    return scope


def get_variable_scope() -> VariableScope:
    """Returns the scope of variables that is open.

    Returns:
        A `tf.compat.v1.VariableScope`.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default(), tf.compat.v1.variable_scope("a"):
    ...     tf.compat.v1.get_variable_scope().name
    'a'
    """
    return current_scope(open_graph())


def table_of(graph: Graph) -> dict[str, Variable]:
    """The variables of a graph that `get_variable` has made, by whole names."""
    tables = graph.collections.setdefault(_TABLE, [{}])
    table: dict[str, Variable] = tables[0]
    return table


@contextmanager
def variable_scope(
    name_or_scope: str | VariableScope | None,
    default_name: str | None = None,
    values: object = None,
    initializer: object = None,
    regularizer: Callable[[TensorValue], Any] | None = None,
    caching_device: object = None,
    partitioner: object = None,
    custom_getter: object = None,
    reuse: bool | Reuse | None = None,
    dtype: DTypeLike | None = None,
    use_resource: bool | None = None,
    constraint: object = None,
    auxiliary_name_scope: bool = True,
) -> Iterator[VariableScope]:
    """Opens a block in which names of variables, and of ops, begin with a name.

    Args:
        name_or_scope: A string, or a scope that another block gave.
        default_name: A string for where `name_or_scope` is None: a number makes it a new one.
        values: It has no effect.
        initializer: Makes initial values in the block.
        regularizer: A function from a variable to a loss.
        caching_device: It has no effect.
        partitioner: It must be None.
        custom_getter: It must be None.
        reuse: True, False or `tf.compat.v1.AUTO_REUSE`; None takes that of the block around.
        dtype: The dtype of variables in the block.
        use_resource: It has no effect.
        constraint: It must be None.
        auxiliary_name_scope: A bool: whether names of ops begin with the name too.

    Yields:
        A `tf.compat.v1.VariableScope`.

    Raises:
        TypeError: Both `name_or_scope` and `default_name` are None.
        NotImplementedError: An argument that must be None is not.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default():
    ...     with tf.compat.v1.variable_scope("layer"):
    ...         v = tf.compat.v1.get_variable("kernel", [2])
    ...     with tf.compat.v1.variable_scope("layer", reuse=True):
    ...         print(tf.compat.v1.get_variable("kernel", [2]) is v, v.name)
    True layer/kernel:0
    """
    refuse_options(partitioner=partitioner, custom_getter=custom_getter, constraint=constraint)
    if name_or_scope is None and default_name is None:
        raise TypeError("If default_name is None then name_or_scope is required")
    graph = open_graph()
    around = current_scope(graph)
    inner, named = opened_scope(graph, around, name_or_scope, default_name)
    if reuse is not None and around.reuse is not True:
        inner.reuse = reuse
    inner.initializer = inner.initializer if initializer is None else initializer
    inner.regularizer = regularizer or inner.regularizer
    inner.dtype = inner.dtype if dtype is None else dt.as_dtype(dtype)
    scopes = graph.collections[_SCOPE]
    scopes.append(inner)
    try:
        with ExitStack() as block:
            if auxiliary_name_scope and named:
                opened = block.enter_context(name_scope(named))
                if not isinstance(name_or_scope, VariableScope):
                    inner._original_name_scope = opened
            yield inner
    finally:
        scopes.pop()
        forget_scopes(graph, inner.name)


def opened_scope(
    graph: Graph,
    around: VariableScope,
    what: str | VariableScope | None,
    default_name: str | None,
) -> tuple[VariableScope, str]:
    """The scope of a new block, and the name of its ops' scope."""
    if isinstance(what, VariableScope):
        inner = VariableScope(
            what.reuse or around.reuse, what.name, what.initializer, what.regularizer, what.dtype
        )
        inner._original_name_scope = what._original_name_scope
        return inner, what.name.rpartition("/")[2]
    prefix = f"{around.name}/" if around.name else ""
    counts = graph.collections.setdefault(_COUNTS, [{}])[0]
    if what is None:
        assert default_name is not None
        what = default_name
        number = 0
        while counts.get(prefix + what, 0):
            number += 1
            what = f"{default_name}_{number}"
    name = prefix + what
    counts[name] = counts.get(name, 0) + 1
    inner = VariableScope(around.reuse, name, around.initializer, around.regularizer, around.dtype)
    return inner, what


def forget_scopes(graph: Graph, name: str) -> None:
    """Lets default names inside a scope begin anew when its next block opens."""
    counts = graph.collections.setdefault(_COUNTS, [{}])[0]
    for inner in [key for key in counts if key.startswith(f"{name}/")]:
        del counts[inner]


def refuse_options(**options: object) -> None:
    """NotImplementedError for an option that is not None."""
    for name, value in options.items():
        if value is not None:
            raise complete(NotImplementedError(
                f"`{name}` is not there for variables of TensorFlow 1: leave it out, or make the "
                "variable with `tf.Variable`"
            ))  # fmt: skip


def get_variable(
    name: str,
    shape: ShapeLike = None,
    dtype: DTypeLike | None = None,
    initializer: object = None,
    regularizer: Callable[[TensorValue], Any] | None = None,
    trainable: bool | None = None,
    collections: Sequence[Hashable] | None = None,
    caching_device: object = None,
    partitioner: object = None,
    validate_shape: bool = True,
    use_resource: bool | None = None,
    custom_getter: object = None,
    constraint: Callable[[TensorValue], TensorLike] | None = None,
    **options: Any,
) -> Variable:
    """Returns the variable of a name: a new one, or that which is there, as the scope says.

    Args:
        name: A string; the names of the scopes that are open come before it.
        shape: The shape of a new variable, or None where `initializer` is a value.
        dtype: Its dtype; None takes the scope's.
        initializer: A function of a shape and a dtype, or a value. None takes the scope's, else
            `glorot_uniform_initializer` for floats, and zeros for others.
        regularizer: A function from the variable to a loss, which goes to the collection
            "regularization_losses".
        trainable: A bool: whether it is listed as trained. None means True.
        collections: The names of the collections that list it; None is "variables".
        caching_device: It has no effect.
        partitioner: It must be None.
        validate_shape: It has no effect: shapes must fit.
        use_resource: It has no effect.
        custom_getter: It must be None.
        constraint: A function that takes the value and returns its projection.
        **options: `synchronization` and `aggregation`, as `tf.Variable` takes them.

    Returns:
        A variable.

    Raises:
        ValueError: The scope says that there is such a variable, and there is none; or the other
            way round; or its shape or dtype is another one.
        NotImplementedError: An argument that must be None is not.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     v = tf.compat.v1.get_variable("v", [2], initializer=tf.ones_initializer())
    ...     session.run(tf.compat.v1.global_variables_initializer())
    ...     session.run(v)
    array([1., 1.], dtype=float32)
    """
    refuse_options(partitioner=partitioner, custom_getter=custom_getter)
    graph = open_graph()
    scope = current_scope(graph)
    whole = f"{scope.name}/{name}" if scope.name else name
    kind = scope.dtype if dtype is None else dt.as_dtype(dtype)
    variable = table_of(graph).get(whole)
    if variable is not None:
        return shared(variable, whole, scope, shape, None if dtype is None else kind)
    if scope.reuse is True:
        raise complete(ValueError(
            f"Variable {whole} does not exist, or was not created with tf.get_variable(). Did you "
            "mean to set reuse=tf.AUTO_REUSE in VarScope?"
        ))  # fmt: skip
    maker = scope.initializer if initializer is None else initializer
    with control_dependencies(None), name_scope(""):
        initial = initial_of(whole, shape, kind, maker, dtype is not None)
        made = Variable(initial, trainable=trainable, name=whole, constraint=constraint, **options)
    if graph.is_plain:
        table_of(graph)[whole] = made
        list_in(made, collections)
    penalty: Any = regularizer or scope.regularizer
    if penalty is not None:
        loss = penalty(made)
        if loss is not None:
            graph.collections.setdefault(GraphKeys.REGULARIZATION_LOSSES, []).append(loss)
    return made


def get_local_variable(
    name: str,
    shape: ShapeLike = None,
    dtype: DTypeLike | None = None,
    initializer: object = None,
    **options: Any,
) -> Variable:
    """Returns the local variable of a name, which is not trained and not saved.

    Args:
        name: A string.
        shape: The shape of a new variable.
        dtype: Its dtype; None takes the scope's.
        initializer: A function of a shape and a dtype, or a value, or None.
        **options: As those of `tf.compat.v1.get_variable`.

    Returns:
        A variable.

    >>> import graphwright as tf
    >>> with tf.Graph().as_default():
    ...     v = tf.compat.v1.get_local_variable("hits", [], tf.int32)
    ...     [v.name for v in tf.compat.v1.local_variables()]
    ['hits:0']
    """
    options |= {"trainable": False, "collections": [LOCAL]}
    return get_variable(name, shape, dtype, initializer, **options)


def shared(
    variable: Variable, name: str, scope: VariableScope, shape: ShapeLike, dtype: dt.DType | None
) -> Variable:
    """A variable that is there, if the scope and the call agree."""
    if scope.reuse is False:
        raise complete(ValueError(
            f"Variable {name} already exists, disallowed. Did you mean to set reuse=True or "
            "reuse=tf.AUTO_REUSE in VarScope?"
        ))  # fmt: skip
    if shape is not None and not TensorShape(shape).is_compatible_with(variable.shape):
        raise complete(ValueError(
            f"Trying to share variable {name}, but specified shape {TensorShape(shape)} and found "
            f"shape {variable.shape}."
        ))  # fmt: skip
    if dtype is not None and dtype is not variable.dtype:
        raise complete(ValueError(
            f"Trying to share variable {name}, but specified dtype {dtype.name} and found dtype "
            f"{variable.dtype.name}."
        ))  # fmt: skip
    return variable


def initial_of(
    name: str, shape: ShapeLike, dtype: dt.DType, initializer: object, is_stated: bool
) -> Any:
    """The initial value of a new variable, made in a scope of its name."""
    maker: Any = initializer() if isinstance(initializer, type) else initializer
    if maker is None:
        if not (dtype.is_floating or dtype.is_integer or dtype is dt.bool_):
            raise complete(ValueError(
                f"An initializer for variable {name} of {dtype.name} is required"
            ))  # fmt: skip
        maker = GlorotUniform() if dtype.is_floating else zeros
    if not callable(maker):
        if shape is not None:
            raise complete(ValueError("If initializer is a constant, do not specify shape."))
        return convert(maker, dtype if is_stated else None)
    dims = TensorShape(shape)
    if shape is None or not dims.is_fully_defined():
        raise complete(ValueError(
            f"Shape of a new variable ({name}) must be fully defined, but instead was {dims}."
        ))  # fmt: skip
    with name_scope(f"{name}/Initializer"):
        return maker(dims.as_list(), dtype=dtype)


def zeros(shape: ShapeLike, dtype: dt.DType) -> Any:
    """Zeros of a shape."""
    from graphwright.ops.core import creation

    return creation.zeros(shape, dtype)


def list_in(variable: Variable, collections: Sequence[Hashable] | None) -> None:
    """Lists a new variable of a graph under other names than those of `tf.Variable`."""
    if collections is None or not isinstance(variable, GraphVariable):
        return
    lists = variable.graph.collections
    for name in (GLOBAL, TRAINABLE):
        lists[name] = [item for item in lists.get(name, []) if item is not variable]
    for key in [*collections, *([TRAINABLE] if variable.trainable else [])]:
        here = lists.setdefault(key, [])
        if not any(item is variable for item in here):
            here.append(variable)
