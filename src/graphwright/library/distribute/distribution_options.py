"""Options of strategies: how input is handed out, how a function runs, how sums travel."""

from __future__ import annotations

from enum import Enum

from graphwright.base.named_tuples import NamedTuple


class InputReplicationMode(Enum):
    """Whether a dataset function makes data for a worker, or for each replica.

    >>> import graphwright as tf
    >>> tf.distribute.InputReplicationMode.PER_WORKER.value
    'PER_WORKER'
    """

    PER_WORKER = "PER_WORKER"
    PER_REPLICA = "PER_REPLICA"


class InputOptions(NamedTuple):
    """How data goes to replicas; all devices are in one memory, so it has no effect.

    Args:
        experimental_fetch_to_device: A bool, or None.
        experimental_replication_mode: A `tf.distribute.InputReplicationMode`.
        experimental_place_dataset_on_device: A bool.
        experimental_per_replica_buffer_size: An int.

    >>> import graphwright as tf
    >>> tf.distribute.InputOptions().experimental_per_replica_buffer_size
    1
    """

    experimental_fetch_to_device: bool | None = None
    experimental_replication_mode: InputReplicationMode = InputReplicationMode.PER_WORKER
    experimental_place_dataset_on_device: bool = False
    experimental_per_replica_buffer_size: int = 1


class RunOptions(NamedTuple):
    """How `Strategy.run` runs a function; it has no effect.

    Args:
        experimental_enable_dynamic_batch_size: A bool.
        experimental_bucketizing_dynamic_shape: A bool.
        experimental_xla_options: An object, or None.

    >>> import graphwright as tf
    >>> strategy = tf.distribute.MirroredStrategy()
    >>> strategy.run(lambda: 1, options=tf.distribute.RunOptions())
    1
    """

    experimental_enable_dynamic_batch_size: bool = True
    experimental_bucketizing_dynamic_shape: bool = False
    experimental_xla_options: object = None


class CommunicationImplementation(Enum):
    """Who sums over workers, as programs for TensorFlow name it.

    >>> import graphwright as tf
    >>> tf.distribute.experimental.CommunicationImplementation.RING.value
    'RING'
    """

    AUTO = "AUTO"
    RING = "RING"
    NCCL = "NCCL"


class CommunicationOptions:
    """How sums over workers are packed.

    Args:
        bytes_per_pack: An int of at least 0: the size of a bucket; 0 leaves it to the strategy.
        timeout_seconds: A float: so long a rank waits for others before it ends with a
            `tf.errors.DeadlineExceededError`. None: it waits for ever.
        implementation: A `tf.distribute.experimental.CommunicationImplementation`.
        compression: "bfloat16" sends float32 in half as many bytes where replicas sum, as
            optimizers do; each number is rounded twice. None sends all bits. TensorFlow has no
            such option.
        divide_state: A bool: whether an optimizer of `tf.optimizers` that is made in the scope
            divides its state among the workers. Each changes its share of every variable, and
            the shares are joined. TensorFlow has no such option.

    Raises:
        ValueError: `bytes_per_pack` is negative, another argument is none of those named, or
            `divide_state` comes with `compression`.

    >>> import graphwright as tf
    >>> tf.distribute.experimental.CommunicationOptions(bytes_per_pack=1 << 20).bytes_per_pack
    1048576
    """

    def __init__(
        self,
        bytes_per_pack: int = 0,
        timeout_seconds: float | None = None,
        implementation: CommunicationImplementation | str = CommunicationImplementation.AUTO,
        compression: str | None = None,
        divide_state: bool = False,
    ) -> None:
        if bytes_per_pack < 0:
            raise ValueError(
                f"Argument `bytes_per_pack` must be >=0, Received: bytes_per_pack={bytes_per_pack}."
            )
        if compression not in (None, "bfloat16"):
            raise ValueError(
                f'Argument `compression` must be "bfloat16" or None. Received: {compression!r}.'
            )
        if compression is not None and divide_state:
            raise ValueError(
                "`compression` has no effect on the sums of which each worker gets a share. Give "
                "`CommunicationOptions` one of `compression` and `divide_state`."
            )
        name = implementation.upper() if isinstance(implementation, str) else implementation
        self.bytes_per_pack = bytes_per_pack
        self.timeout_seconds = timeout_seconds
        self.implementation = CommunicationImplementation(name)
        self.compression = compression
        self.divide_state = divide_state
