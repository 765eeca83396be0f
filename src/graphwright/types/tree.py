"""Nested structures of Python containers: `tf.nest`.

Structures are lists, tuples, named tuples, mappings (in the order of their sorted keys), attrs
classes, other sequences, and classes with `__tf_flatten__` and `__tf_unflatten__`. All else is a
leaf, also None, strings, sets and arrays. `containers` says what a container is and how it is
rebuilt.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, NoReturn, TypeAlias

from graphwright.types.containers import EXPANDED, PLAIN, Container, Style
from graphwright.types.containers import is_attrs as is_attrs
from graphwright.types.containers import is_namedtuple as is_namedtuple

Table: TypeAlias = Mapping[type, "Container | None"]

_DEPTH_LIMIT = 10_000  # of the search for a cycle: containers may make new children for ever


def is_nested(seq: object) -> bool:
    """Returns whether a value is a nested structure and not a leaf.

    Args:
        seq: Any value.

    Returns:
        A bool.

    >>> import graphwright as tf
    >>> tf.nest.is_nested([1, 2]), tf.nest.is_nested("ab"), tf.nest.is_nested({})
    (True, False, True)
    """
    return PLAIN[type(seq)] is not None


def flatten(structure: object, expand_composites: bool = False) -> list[Any]:
    """Returns the leaves of a nested structure, depth first.

    The values of a mapping come in the order of its sorted keys.

    Args:
        structure: A nested structure, or a leaf.
        expand_composites: Whether composites, such as ragged tensors, are structures too.

    Returns:
        A list of the leaves.

    Raises:
        TypeError: The keys of a mapping cannot be sorted.
        ValueError: A structure contains itself.

    >>> import graphwright as tf
    >>> tf.nest.flatten({"b": [1, (2, None)], "a": 3})
    [3, 1, 2, None]
    """
    table = EXPANDED if expand_composites else PLAIN
    container = table[type(structure)]
    if container is None:
        return [structure]
    leaves: list[Any] = []
    try:
        _collect(container.children(structure), table, leaves)
    except RecursionError:
        _refuse_cycle(table, structure)
        raise
    return leaves


def _collect(children: Sequence[object], table: Table, leaves: list[object]) -> None:
    for child in children:
        container = table[type(child)]
        if container is None:
            leaves.append(child)
        else:
            _collect(container.children(child), table, leaves)


def _walk(value: object, path: str, table: Table) -> Iterator[tuple[str, object]]:
    container = table[type(value)]
    if container is None:
        yield path, value
        return
    for position, child in enumerate(container.children(value)):
        yield from _walk(child, path + container.step(value, position), table)


def pack_sequence_as(
    structure: object, flat_sequence: Collection[object], expand_composites: bool = False
) -> Any:
    """Packs leaves into a nested structure like another one.

    Containers keep their types, and mappings the order of their keys.

    Args:
        structure: A nested structure, or a leaf: what the result is like.
        flat_sequence: A list or another sequence of the leaves, in the order of `tf.nest.flatten`.
        expand_composites: Whether composites, such as ragged tensors, are structures too.

    Returns:
        A nested structure.

    Raises:
        ValueError: The number of leaves differs, or a structure contains itself.
        TypeError: `flat_sequence` is no sequence.

    >>> import graphwright as tf
    >>> tf.nest.pack_sequence_as({"b": 0, "a": (0, 0)}, [1, 2, 3])
    {'b': 3, 'a': (1, 2)}
    """
    flat_container = PLAIN[type(flat_sequence)]
    if flat_container is None or flat_container.style is Style.KEY:
        raise TypeError(
            "flat_sequence must be a list or another sequence of leaves, not "
            f"{_describe(flat_sequence)}"
        )
    table = EXPANDED if expand_composites else PLAIN
    container = table[type(structure)]
    if container is None:
        if len(flat_sequence) != 1:
            _refuse_count(1, structure, flat_sequence)
        return next(iter(flat_sequence))
    leaves = iter(flat_sequence)
    try:
        packed = _pack(structure, container, table, leaves)
    except StopIteration:
        _refuse_count(len(flatten(structure, expand_composites)), structure, flat_sequence)
    except RecursionError:
        _refuse_cycle(table, structure)
        raise
    if next(leaves, leaves) is not leaves:
        _refuse_count(len(flatten(structure, expand_composites)), structure, flat_sequence)
    return packed


def _pack(like: object, container: Container, table: Table, leaves: Iterator[object]) -> Any:
    children = []
    for child in container.children(like):
        inner = table[type(child)]
        children.append(next(leaves) if inner is None else _pack(child, inner, table, leaves))
    return container.rebuild(like, children)


def _refuse_count(expected: int, structure: object, flat_sequence: Collection[object]) -> NoReturn:
    raise ValueError(
        f"the structure has {expected} leaves but flat_sequence has {len(flat_sequence)}. "
        f"Structure: {structure!r}, flat_sequence: {flat_sequence!r}"
    )


def map_structure(func: Callable[..., object], *structure: Any, **kwargs: Any) -> Any:
    """Calls a function on the leaves of nested structures that are alike.

    Args:
        func: A function of as many leaves as there are structures.
        *structure: The structures, one or more.
        **kwargs: `check_types` (default True): whether containers must be of the same types.
            `expand_composites` (default False): whether composites are structures too.

    Returns:
        A structure like the first one, of the results.

    Raises:
        TypeError: `func` cannot be called, or containers are of different types.
        ValueError: There is no structure, the structures differ otherwise, or another keyword is
            given.

    >>> import graphwright as tf
    >>> tf.nest.map_structure(lambda x, y: x + y, {"a": 1, "b": [2]}, {"a": 10, "b": [20]})
    {'a': 11, 'b': [22]}
    """
    if not callable(func):
        raise TypeError(f"func must be callable, not {_describe(func)}")
    check_types = kwargs.pop("check_types", True)
    expand_composites = kwargs.pop("expand_composites", False)
    if kwargs:
        raise ValueError(
            "map_structure takes the keyword arguments check_types and expand_composites, "
            f"not {', '.join(kwargs)}"
        )
    if not structure:
        raise ValueError("map_structure needs at least one structure after func")
    first, *others = structure
    for other in others:
        assert_same_structure(first, other, check_types, expand_composites)
    flat = [flatten(each, expand_composites) for each in structure]
    results = [func(*leaves) for leaves in zip(*flat)]
    return pack_sequence_as(first, results, expand_composites)


def assert_same_structure(
    nest1: object, nest2: object, check_types: bool = True, expand_composites: bool = False
) -> None:
    """Asserts that two nested structures differ in their leaves only.

    Mappings of all types are alike, and so are named tuples of one name and the same fields.

    Args:
        nest1: A nested structure, or a leaf.
        nest2: A nested structure, or a leaf.
        check_types: Whether containers at the same place must be of the same type.
        expand_composites: Whether composites, such as ragged tensors, are structures too.

    Raises:
        TypeError: Containers are of different types, with `check_types`.
        ValueError: The structures differ otherwise.

    >>> import graphwright as tf
    >>> tf.nest.assert_same_structure({"a": [1, 2]}, {"a": [3, None]})
    """
    table = EXPANDED if expand_composites else PLAIN
    try:
        difference = _difference(nest1, nest2, table, check_types)
        if difference is None:
            return
        first, second = _sketch(nest1, table), _sketch(nest2, table)
    except RecursionError:
        _refuse_cycle(table, nest1, nest2)
        raise
    where = "".join(reversed(difference.steps)) or "the top"
    raise difference.error(
        f"the two structures differ at {where}: {difference.reason}.\n"
        f"First:  {first}\nSecond: {second}"
    )


def _difference(a: object, b: object, table: Table, check_types: bool) -> _Difference | None:
    try:
        _compare(a, b, table, check_types)
    except _Difference as difference:
        return difference
    return None


class _Difference(Exception):
    """Where two structures part: the steps to it, innermost first."""

    def __init__(self, error: type[Exception], reason: str) -> None:
        self.error = error
        self.reason = reason
        self.steps: list[str] = []


def _compare(a: object, b: object, table: Table, check_types: bool) -> None:
    rules_a, rules_b = table[type(a)], table[type(b)]
    if rules_a is None or rules_b is None:
        if rules_a is not rules_b:
            raise _Difference(ValueError, f"{_role(a, rules_a)}, {_role(b, rules_b)}")
        return
    if rules_a.style is Style.COMPONENTS or rules_b.style is Style.COMPONENTS:
        _compare_composites(a, b, rules_a.style is rules_b.style)
        return
    if check_types:
        _compare_types(a, b, rules_a, rules_b)
    children_a, children_b = rules_a.children(a), rules_b.children(b)
    if len(children_a) != len(children_b):
        raise _Difference(ValueError, f"{len(children_a)} elements, {len(children_b)} elements")
    for position, (x, y) in enumerate(zip(children_a, children_b)):
        try:
            _compare(x, y, table, check_types)
        except _Difference as difference:
            difference.steps.append(rules_a.step(a, position))
            raise


def _compare_types(a: Any, b: Any, rules_a: Container, rules_b: Container) -> None:
    if rules_a.family != rules_b.family:
        names = f"{type(a).__name__} {a!r} and {type(b).__name__} {b!r}"
        raise _Difference(TypeError, f"{names} are of different types")
    if rules_a.style is Style.KEY and a.keys() != b.keys():
        raise _Difference(ValueError, f"the keys {list(a)!r} and {list(b)!r} are not the same")


def _compare_composites(a: Any, b: Any, both: bool) -> None:
    if not both:
        raise _Difference(ValueError, f"{_describe(a)} and {_describe(b)} are not alike")
    spec_a, spec_b = a.__graphwright_spec__, b.__graphwright_spec__
    if spec_a.most_specific_common_supertype([spec_b]) is None:
        raise _Difference(ValueError, f"the types {spec_a!r} and {spec_b!r} are incompatible")


def _role(value: object, container: Container | None) -> str:
    return f"{_describe(value)} is a {'leaf' if container is None else 'structure'}"


def _describe(value: object) -> str:
    return f"{value!r} ({type(value).__name__})"


def _sketch(value: object, table: Table) -> str:
    """The structure with a dot for every leaf: `{'a': [., .]}`."""
    container = table[type(value)]
    if container is None:
        return "."
    inner = [_sketch(child, table) for child in container.children(value)]
    labels = container.labels(value)
    if container.style is Style.KEY:
        return "{" + ", ".join(f"{k!r}: {s}" for k, s in zip(labels, inner)) + "}"
    if container.style is Style.FIELD:
        return f"{type(value).__name__}({', '.join(f'{k}={s}' for k, s in zip(labels, inner))})"
    text = ", ".join(inner)
    if container.family is list:
        return f"[{text}]"
    if container.family is tuple:
        return f"({text},)" if len(inner) == 1 else f"({text})"
    return f"{type(value).__name__}({text})"


class Cycle(ValueError):
    """What should be a structure contains itself."""


def _refuse_cycle(table: Table, *structures: Any) -> None:
    """`Cycle` if one of the structures contains itself."""
    for structure in structures:
        path = _find_cycle(structure, table)
        if path is not None:
            raise Cycle(
                f"a structure may not contain itself, but its element {path} is one of the "
                f"{type(structure).__name__}s around it"
            ) from None


def _find_cycle(structure: object, table: Table) -> str | None:
    """The path to a container that is one of its own ancestors."""
    ancestors: dict[int, Any] = {}
    finished: dict[int, Any] = {}
    pending = [(structure, "", 0)]
    while pending:
        value, path, depth = pending.pop()
        while len(ancestors) > depth:
            key, ancestor = ancestors.popitem()
            finished[key] = ancestor
        if id(value) in ancestors:
            return path
        container = table[type(value)]
        if container is None or id(value) in finished or depth > _DEPTH_LIMIT:
            continue
        ancestors[id(value)] = value
        pending.extend(
            (child, path + container.step(value, position), depth + 1)
            for position, child in enumerate(container.children(value))
        )
    return None
