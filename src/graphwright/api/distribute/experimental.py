"""`tf.distribute.experimental`: options of sums over workers, and the context of values."""

from graphwright.library.distribute.distribution_options import (
    CommunicationImplementation,
    CommunicationOptions,
)
from graphwright.library.distribute.distribution_options import (
    CommunicationImplementation as CollectiveCommunication,
)
from graphwright.library.distribute.input_context import ValueContext

__all__ = [
    "CollectiveCommunication",
    "CommunicationImplementation",
    "CommunicationOptions",
    "ValueContext",
]
