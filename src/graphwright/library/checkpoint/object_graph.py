"""The graph of objects that a checkpoint follows: who holds whom, by which name."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias, TypeGuard, TypeVar

from graphwright.base.named_tuples import NamedTuple
from graphwright.values.trackable import Trackable
from graphwright.values.variable import Variable

F = TypeVar("F", bound=Callable[..., Any])

#: What checkpoints follow.
Followed: TypeAlias = Trackable | list[Any] | tuple[Any, ...] | Mapping[Any, Any]


class Tracked(Trackable):
    """An object whose attributes checkpoints follow.

    A restored checkpoint may have values for attributes that are not set yet: they are restored
    when they are set.

    >>> import graphwright as tf
    >>> class Pair(tf.__internal__.tracking.AutoTrackable):
    ...     def __init__(self):
    ...         self.left, self.right = tf.Variable(1.0), tf.Variable(2.0)
    >>> sorted(tf.train.TrackableView.children(Pair()))
    ['left', 'right']
    """

    _GRAPHWRIGHT_IGNORED: frozenset[str] = frozenset(
        {"_expecting", "_tracked_children", "_untracked"}
    )
    #: False in methods marked with `no_automatic_dependency_tracking`.
    _self_setattr_tracking = True
    #: The names of attributes that such methods set, once there are some.
    _untracked: set[str] | None = None

    def __setattr__(self, name: str, value: object) -> None:
        super().__setattr__(name, value)
        if not self._self_setattr_tracking:
            names = self._untracked or set()
            self.__dict__["_untracked"] = names
            names.add(name)
            return
        if self._untracked is not None:
            self._untracked.discard(name)
        expecting: Callable[[str, object], None] | None = self.__dict__.get("_expecting")
        if expecting is not None and name != "_expecting":
            expecting(name, value)

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        ignored = self._GRAPHWRIGHT_IGNORED | (self._untracked or set())
        members = {k: v for k, v in vars(self).items() if k not in ignored and is_followed(v)}
        return {**members, **super()._trackable_children(save_type, **kwargs)}


def no_automatic_dependency_tracking(method: F) -> F:
    """Decorates a method so that attributes which it sets are not followed by checkpoints.

    Args:
        method: A method of a `tf.__internal__.tracking.AutoTrackable`.

    Returns:
        A method of the same parameters and result.

    >>> import graphwright as tf
    >>> class Cached(tf.__internal__.tracking.AutoTrackable):
    ...     @tf.__internal__.tracking.no_automatic_dependency_tracking
    ...     def fill(self):
    ...         self.cache = tf.Variable(1.0)
    >>> cached = Cached()
    >>> cached.fill()
    >>> tf.train.TrackableView.children(cached)
    {}
    """

    @functools.wraps(method)
    def untracked(self: object, *args: object, **kwargs: object) -> Any:
        before = getattr(self, "_self_setattr_tracking", True)
        object.__setattr__(self, "_self_setattr_tracking", False)
        try:
            return method(self, *args, **kwargs)
        finally:
            object.__setattr__(self, "_self_setattr_tracking", before)

    return untracked  # type: ignore[return-value]


class Edge(NamedTuple):
    """An object that another holds."""

    name: str
    child: Followed


def is_followed(value: object) -> TypeGuard[Followed]:
    """Whether checkpoints look into a value."""
    return isinstance(value, (Trackable, list, tuple, Mapping))


def children(holder: Followed, save_type: str = "checkpoint") -> dict[str, Followed]:
    """The objects that another holds and checkpoints follow, by name, in its own order.

    A library's object may hold others in a saved model, whose `save_type` is "savedmodel".
    """
    members: dict[str, Any]
    if isinstance(holder, Trackable):
        members = holder._trackable_children(save_type)
    elif isinstance(holder, Mapping):
        members = {str(key): value for key, value in holder.items()}
    else:
        members = {str(place): value for place, value in enumerate(holder)}
    return {name: child for name, child in members.items() if is_followed(child)}


def edges(holder: Followed) -> Iterator[Edge]:
    """The objects that another holds and checkpoints follow, in the order of the names."""
    members = children(holder)
    for name in members if isinstance(holder, (list, tuple)) else sorted(members):
        yield Edge(name, members[name])


class Serializable(Trackable):
    """An object that makes tensors of itself, by names, and takes them again."""

    def _serialize_to_tensors(self) -> dict[str, Any]:
        raise NotImplementedError

    def _restore_from_tensors(self, restored_tensors: Mapping[str, Any]) -> None:
        raise NotImplementedError


def is_serializable(value: object) -> TypeGuard[Serializable]:
    """Whether an object makes tensors of itself."""
    return isinstance(value, Trackable) and hasattr(value, "_serialize_to_tensors")


def leaves_of(root: Followed) -> dict[str, Variable | Serializable]:
    """The reachable variables, and objects that make tensors of themselves, by their paths: for
    each the first one, breadth first."""
    leaves: dict[str, Variable | Serializable] = {}
    seen = {id(root)}
    queue: list[tuple[str, Followed]] = [("", root)]
    for path, holder in queue:
        if isinstance(holder, Variable) or is_serializable(holder):
            leaves[path] = holder
        for name, child in edges(holder):
            if id(child) not in seen:
                seen.add(id(child))
                queue.append((f"{path}/{name}" if path else name, child))
    return leaves


def variables_of(root: Followed) -> dict[str, Variable]:
    """The reachable variables by their paths."""
    return {path: leaf for path, leaf in leaves_of(root).items() if isinstance(leaf, Variable)}


class TrackableView:
    """The objects that a checkpoint of one object would follow.

    Args:
        root: The object.

    Raises:
        TypeError: Checkpoints do not follow it.

    >>> import graphwright as tf
    >>> v = tf.Variable(1.0)
    >>> checkpoint = tf.train.Checkpoint(parts=[v])
    >>> view = tf.train.TrackableView(checkpoint)
    >>> [type(held).__name__ for held in view.descendants()]
    ['Checkpoint', 'list', 'Variable']
    >>> view.children(checkpoint)["parts"][0] is v
    True
    """

    def __init__(self, root: Followed) -> None:
        self._root = followed(root)

    @property
    def root(self) -> Any:
        """The object whose view it is."""
        return self._root

    @classmethod
    def children(
        cls, obj: Followed, save_type: str = "checkpoint", **kwargs: object
    ) -> dict[str, Any]:
        """Returns what an object holds.

        Args:
            obj: The object.
            save_type: "checkpoint", or "savedmodel" for what a saved model has of it.
            **kwargs: Other arguments of TensorFlow's method, such as `cache`; they have no effect.

        Returns:
            A dict from names to objects.

        Raises:
            TypeError: Checkpoints do not follow it.
        """
        return children(followed(obj), save_type)

    def descendants(self) -> list[Any]:
        """All reachable objects, breadth first from the root; each object once."""
        objects = [self._root]
        seen = {id(self._root)}
        for holder in objects:
            for child in self.children(holder).values():
                if id(child) not in seen:
                    seen.add(id(child))
                    objects.append(child)
        return objects


def followed(value: object) -> Followed:
    """A value that checkpoints follow; TypeError for another."""
    if not is_followed(value):
        raise TypeError(
            "Expected a trackable object (a variable, a tf.Module, a table, a list, tuple or dict "
            f"of them), got {value!r}."
        )
    return value
