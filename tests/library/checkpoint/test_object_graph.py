"""Who holds whom, for checkpoints, models and the libraries that ask."""

from __future__ import annotations

from typing import Any

import graphwright as tf


class Holder(tf.__internal__.tracking.AutoTrackable):
    """An object that holds more in a saved model than in a checkpoint, as layers of Keras do."""

    def __init__(self) -> None:
        self.weight = tf.Variable(1.0)

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        held = super()._trackable_children(save_type, **kwargs)
        return {**held, "more": [self.weight]} if save_type == "savedmodel" else held


def test_a_view_has_the_children_of_checkpoints_and_of_models() -> None:
    view, holder = tf.train.TrackableView, Holder()
    assert sorted(view.children(holder)) == ["weight"]
    assert sorted(view.children(holder, "savedmodel", cache={})) == ["more", "weight"]


def test_a_subclass_chooses_what_descendants_are() -> None:
    class ModelView(tf.train.TrackableView):  # as Keras looks for tables
        @classmethod
        def children(cls, obj: Any, save_type: str = "savedmodel", **kwargs: Any) -> Any:
            return super().children(obj, save_type, **kwargs)

    holder = Holder()
    assert [type(held).__name__ for held in ModelView(holder).descendants()] == [
        "Holder", "Variable", "list",
    ]  # fmt: skip


def test_what_tracking_notes_is_an_attribute_of_the_class_too() -> None:
    """Libraries leave the attributes of a fresh object out where they look for an object's own."""

    class Noted(Holder):
        @tf.__internal__.tracking.no_automatic_dependency_tracking
        def note(self) -> None:
            self.hidden = tf.Variable(2.0)

    before = set(dir(Noted()))
    noted = Noted()
    noted.note()
    noted._track_trackable(tf.Variable(3.0), "named")
    assert set(dir(noted)) - before == {"hidden"}
    assert sorted(tf.train.TrackableView.children(noted)) == ["named", "weight"]
    assert sorted(tf.train.TrackableView.children(Holder())) == ["weight"]
