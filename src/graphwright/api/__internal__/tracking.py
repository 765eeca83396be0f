"""`tf.__internal__.tracking`: classes whose objects checkpoints follow."""

from graphwright.library.checkpoint.object_graph import Tracked as AutoTrackable
from graphwright.library.checkpoint.object_graph import no_automatic_dependency_tracking
from graphwright.values.trackable import Trackable

__all__ = ["AutoTrackable", "Trackable", "no_automatic_dependency_tracking"]
