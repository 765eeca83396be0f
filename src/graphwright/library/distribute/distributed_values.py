"""Values of several replicas: one for each, in an object or in a structure of objects.

`regroup` makes one structure of those of the replicas, and `select_replica` takes it apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from graphwright.library.distribute.replica_scopes import SCOPE
from graphwright.types import tree
from graphwright.types.composite import Composite
from graphwright.types.dtypes import DType
from graphwright.types.specs import TypeSpec, type_spec_from_value
from graphwright.values.convert import convert, register_conversion
from graphwright.values.tensor import EagerTensor
from graphwright.values.tensor_operators import Operators
from graphwright.values.variable import Variable


class DistributedValues:
    """Values of several replicas, one for each: what `Strategy.run` returns and takes.

    Args:
        values: The values, in the order of the replicas.

    >>> import graphwright as tf
    >>> w = tf.distribute.MirroredStrategy()
    >>> x = w.experimental_distribute_values_from_function(lambda context: tf.constant(1.0))
    >>> isinstance(x, tf.distribute.DistributedValues)  # there is one device
    False
    """

    def __init__(self, values: Iterable[object]) -> None:
        self._values: tuple[Any, ...] = tuple(values)

    @property
    def values(self) -> tuple[Any, ...]:
        """The values, in the order of the replicas."""
        return self._values

    def _get(self) -> Any:
        """The value of the replica in which the program is; across replicas, the first."""
        scope = SCOPE.get()
        copy = None if scope is None else scope.copy
        return self._values[copy or 0]

    def __str__(self) -> str:
        return self._shown(str)

    def __repr__(self) -> str:
        return self._shown(repr)

    def _shown(self, show: Callable[[object], str]) -> str:
        lines = [f"  {i}: {show(value)}" for i, value in enumerate(self.values)]
        return f"{type(self).__name__}:{{\n" + ",\n".join(lines) + "\n}"


class PerReplica(DistributedValues, Composite):
    """Values that differ from replica to replica, made of a list in the order of the replicas.

    >>> import graphwright as tf
    >>> tf.types.experimental.distributed.PerReplica([tf.constant(1.0), tf.constant(2.0)]).values[1]
    <tf.Tensor: shape=(), dtype=float32, numpy=2.0>
    """

    @property
    def __graphwright_spec__(self) -> PerReplicaSpec:
        return PerReplicaSpec(*[type_spec_from_value(value) for value in self._values])

    def _sign(self) -> tuple[Any, list[Any]] | None:
        if not all(type(value) is EagerTensor for value in self._values):
            return None
        key = tuple([(v._array.dtype, getattr(v._array, "shape", None)) for v in self._values])
        return key, list(self._values)


class PerReplicaSpec(TypeSpec):
    """The type of values of several replicas."""

    __slots__ = ("_value_specs",)

    def __init__(self, *value_specs: TypeSpec) -> None:
        self._value_specs = value_specs

    @property
    def value_type(self) -> type:
        """The class of the values."""
        return PerReplica

    def _serialize(self) -> tuple[Any, ...]:
        return self._value_specs

    @property
    def _component_specs(self) -> list[TypeSpec]:
        return list(self._value_specs)

    def _to_components(self, value: DistributedValues) -> list[Any]:
        return list(value._values)

    def _from_components(self, components: Iterable[object]) -> PerReplica:
        return PerReplica(components)

    def __repr__(self) -> str:
        return f"PerReplicaSpec({', '.join(map(repr, self._value_specs))})"


class Mirrored(DistributedValues, Operators):
    """One value, with a copy for each replica; it stands for the copy where the program is.

    >>> import graphwright as tf
    >>> tf.types.experimental.distributed.Mirrored([tf.constant(1.0), tf.constant(1.0)]).numpy()
    np.float32(1.0)
    """

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self._get(), name)

    def __getitem__(self, key: object) -> Any:
        return self._get()[key]

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        return self._get().__array__(*args, **kwargs)

    def __bool__(self) -> bool:
        return bool(self._get())

    def __int__(self) -> int:
        return int(self._get())

    def __float__(self) -> float:
        return float(self._get())

    def __hash__(self) -> int:
        return id(self)


def _copy(value: Mirrored, dtype: DType | None, name: str | None) -> Any:
    return convert(value._get(), dtype, None, name)


register_conversion(Mirrored, _copy)


def _own(value: PerReplica, dtype: DType | None, name: str | None) -> Any:
    scope = SCOPE.get()
    if scope is None or scope.copy is None:
        raise ValueError(
            "It looks like you are using a PerReplica object while not inside a replica context, "
            "which is not supported. Give it to a function in `strategy.run`, or take one tensor: "
            "`strategy.reduce(...)`, or `strategy.experimental_local_results(value)[0]`."
        )
    return convert(value._values[scope.copy], dtype, None, name)


register_conversion(PerReplica, _own)

#: Makes a value of those of the replicas.
Wrap: TypeAlias = Callable[[Sequence[Any]], object]


def regroup(values: Sequence[object], wrap: Wrap = PerReplica, always: bool = False) -> Any:
    """One structure of the structures that replicas have.

    Lists, tuples and dicts are taken apart. What is the same object in all replicas is that object,
    unless `always` is set, and copies of a variable are the variable.
    """
    each: Any = values
    first = each[0]
    if isinstance(first, list):
        return [regroup(parts, wrap, always) for parts in zip(*each)]
    if isinstance(first, tuple):
        grouped = [regroup(parts, wrap, always) for parts in zip(*each)]
        return type(first)(*grouped) if hasattr(first, "_fields") else type(first)(grouped)
    if isinstance(first, Mapping):
        keys = list(first)
        if any(set(value) != set(keys) for value in each):
            raise ValueError(f"The replicas return dicts of different keys: {values}")
        plain: dict[Any, Any] = {k: regroup([v[k] for v in each], wrap, always) for k in keys}
        return plain if type(first) is dict else type(first)(plain)  # type: ignore[call-arg]
    owner = container(first)
    if owner is not None and all(container(value) is owner for value in values):
        return owner
    if not always and all(value is first for value in values):
        return first
    return wrap(values)


def container(value: object) -> Any:
    """The distributed variable that a value is, or is a copy of; None for others."""
    if not isinstance(value, Variable):
        return None
    if isinstance(value, DistributedValues):
        return value
    owner = getattr(value.handle, "variable", None)
    return owner if isinstance(owner, DistributedValues) else None


def select_replica(replica: int, structure: object) -> Any:
    """The structure that one replica gets; variables stay whole."""

    def pick(value: object) -> Any:
        if isinstance(value, DistributedValues) and not isinstance(value, Variable):
            return value.values[replica]
        return value

    return tree.map_structure(pick, structure)


def local_values(structure: object) -> tuple[Any, ...]:
    """The structures of all replicas; one of a structure that has no values of replicas."""
    parts = [v for v in tree.flatten(structure) if isinstance(v, DistributedValues)]
    if not parts:
        return (structure,)

    def pick(replica: int, value: object) -> Any:
        return value.values[replica] if isinstance(value, DistributedValues) else value

    return tuple(
        [
            tree.map_structure(lambda value, i=i: pick(i, value), structure)
            for i in range(len(parts[0].values))
        ]
    )


def as_tensors(value: object) -> Any:
    """A value with a tensor in place of each variable."""
    return value.read_value() if isinstance(value, Variable) else value
