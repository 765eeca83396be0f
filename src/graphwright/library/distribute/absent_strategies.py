"""Strategies and tools for machines that are not here: each refuses, and says why."""

from __future__ import annotations

from typing import NoReturn

from graphwright.library.distribute.strategy import Strategy


class ParameterServerStrategy(Strategy):
    """A strategy with servers that hold the variables, which refuses: there are none.

    Args:
        cluster_resolver: It has no effect.
        variable_partitioner: It has no effect.

    Raises:
        ValueError: Always.

    >>> import graphwright as tf
    >>> tf.distribute.ParameterServerStrategy(None)
    Traceback (most recent call last):
        ...
    ValueError: tf.distribute.ParameterServerStrategy needs more than there is: ...
    """

    def __init__(self, cluster_resolver: object, variable_partitioner: object = None) -> None:
        refuse("ParameterServerStrategy", "servers that hold variables for other processes")


class TPUStrategy(Strategy):
    """A strategy for TPUs, which refuses: there is none.

    Args:
        tpu_cluster_resolver: It has no effect.
        experimental_device_assignment: It has no effect.
        experimental_spmd_xla_partitioning: It has no effect.

    Raises:
        ValueError: Always.

    >>> import graphwright as tf
    >>> tf.distribute.TPUStrategy()
    Traceback (most recent call last):
        ...
    ValueError: tf.distribute.TPUStrategy needs more than there is: ...
    """

    def __init__(
        self,
        tpu_cluster_resolver: object = None,
        experimental_device_assignment: object = None,
        experimental_spmd_xla_partitioning: bool = False,
    ) -> None:
        refuse("TPUStrategy", "TPUs")


def refuse(name: str, what: str) -> NoReturn:
    """ValueError for what needs more than one process with one CPU."""
    raise ValueError(
        f"tf.distribute.{name} needs more than there is: {what}. tf.distribute.MirroredStrategy "
        "spreads a program over the devices of this process."
    )
