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

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        """What it holds, by name."""
        return dict(self.__dict__.get("_tracked_children", ()))

    def _track_trackable(self, trackable: object, name: str, overwrite: bool = False) -> Any:
        """Adds an object under a name and returns it; ValueError if the name is taken."""
        held: dict[str, Any] = self.__dict__.setdefault("_tracked_children", {})
        if not overwrite and held.get(name, trackable) is not trackable:
            raise ValueError(
                f"Called Trackable._track_trackable() with name='{name}', but a Trackable with "
                "this name is already declared as a dependency. Names must be unique (or "
                "overwrite=True)."
            )
        held[name] = trackable
        return trackable
