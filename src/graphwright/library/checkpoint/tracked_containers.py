"""Lists and dicts that checkpoints follow as objects of their own."""

from __future__ import annotations

from typing import Any

from graphwright.values.trackable import Trackable


class ListWrapper(Trackable, list[Any]):
    """A list whose elements are its children, by their places."""

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        return {str(place): value for place, value in enumerate(self)}


class DictWrapper(Trackable, dict[Any, Any]):
    """A dict whose values are its children, by their keys."""

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        return {str(key): value for key, value in self.items()}
