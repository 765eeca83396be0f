"""`Trackable`: an object that checkpoints follow."""

from __future__ import annotations

from typing import Any


class Trackable:
    """An object that checkpoints follow, with the objects that it names as its children.

    The base of `tf.Variable`, of modules and of tables. A library's class names its children by
    `_track_trackable`, or by a `_trackable_children` of its own; those of an `AutoTrackable` are
    its attributes.

    >>> import graphwright as tf
    >>> class Pair(tf.__internal__.tracking.Trackable):
    ...     def __init__(self):
    ...         self._track_trackable(tf.Variable(1.0), "left")
    >>> sorted(tf.train.TrackableView.children(Pair()))
    ['left']
    """

    #: The objects that it was given by `_track_trackable`, once there are some. Libraries look
    #: through the attributes of objects, and leave out those that a class has.
    _tracked_children: dict[str, Any] | None = None

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        """What it holds, by name."""
        return dict(self._tracked_children or ())

    def _track_trackable(self, trackable: object, name: str, overwrite: bool = False) -> Any:
        """Adds an object under a name and returns it; ValueError if the name is taken."""
        held = {} if self._tracked_children is None else self._tracked_children
        self.__dict__["_tracked_children"] = held
        if not overwrite and held.get(name, trackable) is not trackable:
            raise ValueError(
                f"Called Trackable._track_trackable() with name='{name}', but a Trackable with "
                "this name is already declared as a dependency. Names must be unique (or "
                "overwrite=True)."
            )
        held[name] = trackable
        return trackable
