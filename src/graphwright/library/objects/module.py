"""`tf.Module`: an object that holds variables and modules, and lists them."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from graphwright.autograph.status import control_status_ctx
from graphwright.library.checkpoint.object_graph import Tracked
from graphwright.op.late_imports import late_module
from graphwright.trace.scopes import name_scope
from graphwright.values.variable import Variable

if TYPE_CHECKING:
    from _typeshed import SupportsRichComparison

F = TypeVar("F", bound=Callable[..., Any])


class Module(Tracked):
    """The base of models and layers: it tracks attributes that are variables or modules.

    Args:
        name: A Python identifier; None means the class's name in snake_case.

    Raises:
        ValueError: `name` is no identifier.

    >>> import graphwright as tf
    >>> class Dense(tf.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.w = tf.Variable([[1.0]])
    >>> len(Dense().trainable_variables)
    1
    """

    _GRAPHWRIGHT_IGNORED = Tracked._GRAPHWRIGHT_IGNORED | {"_name", "_scope_name"}

    def __init__(self, name: str | None = None) -> None:
        if name is not None and not re.fullmatch(r"[A-Za-z_]\w*", name):
            raise ValueError(
                f"{name!r} is not a valid module name. Module names must be valid Python "
                "identifiers (e.g. a valid class name)."
            )
        self._name = name or snake_case(type(self).__name__)
        with name_scope(self._name) as scope:
            self._scope_name = scope

    @property
    def name(self) -> str:
        """The name from the constructor, or the class's in snake_case."""
        return getattr(self, "_name", None) or snake_case(type(self).__name__)

    @property
    def name_scope(self) -> name_scope:
        """The name scope of methods marked with `with_name_scope`, wherever they are called.

        It is the module's name inside the scope where the module was made.
        """
        return name_scope(getattr(self, "_scope_name", f"{self.name}/"))

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables of this module and of all that it holds, each once."""
        return tuple(self._flatten(lambda v: isinstance(v, Variable)))

    @property
    def trainable_variables(self) -> tuple[Variable, ...]:
        """Those of `variables` that are trainable."""
        return tuple(v for v in self.variables if v.trainable)

    @property
    def non_trainable_variables(self) -> tuple[Variable, ...]:
        """Those of `variables` that are not trainable."""
        return tuple(v for v in self.variables if not v.trainable)

    @property
    def submodules(self) -> tuple[Module, ...]:
        """The modules that this one holds, directly or in others."""
        return tuple(self._flatten(lambda v: isinstance(v, Module)))

    def _flatten(
        self,
        predicate: Callable[[object], bool] | None = None,
        recursive: bool = True,
        attribute_traversal_key: Callable[[str], SupportsRichComparison] | None = None,
        with_path: bool = False,
        expand_composites: bool = False,
    ) -> Iterator[Any]:
        """The objects in the module that `predicate` accepts, breadth first, each once."""
        accepts = predicate or (lambda _: True)
        seen: set[int] = {id(self)}
        queue: list[tuple[tuple[object, ...], Module]] = [((), self)]
        while queue:
            path, module = queue.pop(0)
            for key, leaf in attribute_leaves(module, attribute_traversal_key):
                if id(leaf) in seen:
                    continue
                seen.add(id(leaf))
                if accepts(leaf):
                    yield (path + key, leaf) if with_path else leaf
                if recursive and isinstance(leaf, Module):
                    queue.append((path + key, leaf))

    @classmethod
    def with_name_scope(cls, method: F) -> F:
        """Decorates a method, whose ops then get names in the module's scope.

        Args:
            method: A method of the module.

        Returns:
            The method.

        >>> import graphwright as tf
        >>> class Scaled(tf.Module):
        ...     @tf.Module.with_name_scope
        ...     def __call__(self):
        ...         return tf.Variable(1.0, name="w").name
        >>> Scaled()()
        'scaled/w:0'
        """

        @functools.wraps(method)
        def scoped(self: Module, *args: Any, **kwargs: Any) -> Any:
            # A converted program calls it, and so its method is converted as well.
            conversion: Any = late_module("graphwright.autograph.conversion")
            call = conversion.tf_convert(method, control_status_ctx(), convert_by_default=False)
            with self.name_scope:
                return call(self, *args, **kwargs)

        return scoped  # type: ignore[return-value]


def attribute_leaves(
    module: Module, sort_key: Callable[[str], SupportsRichComparison] | None = None
) -> Iterator[tuple[tuple[object, ...], Any]]:
    """The leaves of a module's attributes in the order of their names, with their paths."""
    ignored = set(module._GRAPHWRIGHT_IGNORED) | set(
        getattr(module, "_TF_MODULE_IGNORED_PROPERTIES", ())
    )
    attributes = {k: v for k, v in vars(module).items() if isinstance(k, str)}
    for name in sorted(attributes, key=sort_key):
        if name not in ignored:
            yield from leaves(attributes[name], (name,))


def leaves(value: object, path: tuple[object, ...]) -> Iterator[tuple[tuple[object, ...], Any]]:
    """The leaves of nested lists, tuples and mappings, with their paths."""
    if isinstance(value, (list, tuple)):
        for i, item in enumerate(value):
            yield from leaves(item, (*path, i))
    elif isinstance(value, Mapping):
        for key in sorted(value, key=lambda k: (str(type(k)), k)):
            yield from leaves(value[key], (*path, key))
    else:
        yield path, value


def snake_case(name: str) -> str:
    """`MyModule` -> `my_module`."""
    return re.sub(r"((?<=[a-z0-9])[A-Z]|(?!^)(?<!_)[A-Z](?=[a-z]))", r"_\1", name).lower()
