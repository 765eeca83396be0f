"""`tf.__internal__.tracking`: classes whose objects checkpoints follow."""

from graphwright.edge.tracking import Tracked as AutoTrackable
from graphwright.edge.tracking import no_automatic_dependency_tracking
from graphwright.values.trackable import Trackable

__all__ = ["AutoTrackable", "Trackable", "no_automatic_dependency_tracking"]
