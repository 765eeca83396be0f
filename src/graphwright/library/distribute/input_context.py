"""What the functions get that make data and values for replicas."""

from __future__ import annotations


class InputContext:
    """The part of the input that a function of `distribute_datasets_from_function` makes.

    Args:
        num_input_pipelines: An int: the number of parts.
        input_pipeline_id: An int: which part it is.
        num_replicas_in_sync: An int: the number of replicas.

    >>> import graphwright as tf
    >>> tf.distribute.InputContext(num_replicas_in_sync=2).get_per_replica_batch_size(8)
    4
    """

    def __init__(
        self,
        num_input_pipelines: int = 1,
        input_pipeline_id: int = 0,
        num_replicas_in_sync: int = 1,
    ) -> None:
        self.num_input_pipelines = num_input_pipelines
        self.input_pipeline_id = input_pipeline_id
        self.num_replicas_in_sync = num_replicas_in_sync

    def __repr__(self) -> str:
        return (
            f"tf.distribute.InputContext(input pipeline id {self.input_pipeline_id}, total: "
            f"{self.num_input_pipelines})"
        )

    def get_per_replica_batch_size(self, global_batch_size: int) -> int:
        """Returns the part of a batch that each replica gets.

        Args:
            global_batch_size: An int: the size of the batch.

        Returns:
            An int.

        Raises:
            ValueError: The replicas cannot have equal parts.
        """
        if global_batch_size % self.num_replicas_in_sync:
            raise ValueError(
                f"The `global_batch_size` {global_batch_size} is not divisible by "
                f"`num_replicas_in_sync` {self.num_replicas_in_sync}"
            )
        return global_batch_size // self.num_replicas_in_sync


class ValueContext:
    """The replica for which `experimental_distribute_values_from_function` calls its function.

    Args:
        replica_id_in_sync_group: An int: the number of the replica.
        num_replicas_in_sync: An int: how many there are.

    >>> import graphwright as tf
    >>> tf.distribute.experimental.ValueContext().num_replicas_in_sync
    1
    """

    def __init__(self, replica_id_in_sync_group: int = 0, num_replicas_in_sync: int = 1) -> None:
        self.replica_id_in_sync_group = replica_id_in_sync_group
        self.num_replicas_in_sync = num_replicas_in_sync
