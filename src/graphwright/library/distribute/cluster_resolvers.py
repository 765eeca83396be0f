"""What says which machines a program runs on: `tf.distribute.cluster_resolver`."""

from __future__ import annotations

import json
import os
from typing import Any

from graphwright.library.distribute.cluster_spec import ClusterSpec


class ClusterResolver:
    """What says which machines a program runs on: the base of such objects.

    >>> import graphwright as tf
    >>> resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
    >>> isinstance(resolver, tf.distribute.cluster_resolver.ClusterResolver)
    True
    """

    task_type: str | None = None
    task_id: int | None = None
    rpc_layer: str | None = None
    environment: str | None = ""

    def cluster_spec(self) -> ClusterSpec:
        """Returns the machines, as a `tf.train.ClusterSpec`."""
        raise NotImplementedError

    def master(
        self,
        task_type: str | None = None,
        task_id: int | None = None,
        rpc_layer: str | None = None,
    ) -> str:
        """Returns the address of a task.

        Args:
            task_type: The job; None takes the one of this process.
            task_id: The number of the task; None takes the one of this process.
            rpc_layer: What stands before the address, as in "grpc"; None leaves it out.

        Returns:
            A string; an empty one where no task is meant.
        """
        kind = self.task_type if task_type is None else task_type
        number = self.task_id if task_id is None else task_id
        spec = self.cluster_spec()
        if kind is None or number is None or not spec:
            return ""
        layer = rpc_layer or self.rpc_layer
        address = spec.task_address(kind, number)
        return f"{layer}://{address}" if layer else address

    def num_accelerators(
        self,
        task_type: str | None = None,
        task_id: int | None = None,
        config_proto: object = None,
    ) -> dict[str, int]:
        """Returns how many accelerators there are of each kind: none.

        Args:
            task_type: It has no effect.
            task_id: It has no effect.
            config_proto: It has no effect.

        Returns:
            An empty dict.
        """
        return {}


class SimpleClusterResolver(ClusterResolver):
    """Machines that a program states.

    Args:
        cluster_spec: A `tf.train.ClusterSpec`.
        master: The address that `master` returns.
        task_type: The job of this process, or None.
        task_id: The number of this process in its job, or None.
        environment: A string, which has no effect.
        num_accelerators: A dict from kinds of accelerators to their numbers, or None.
        rpc_layer: What stands before addresses, or None.

    Raises:
        TypeError: `cluster_spec` is something else.

    >>> import graphwright as tf
    >>> resolver = tf.distribute.cluster_resolver.SimpleClusterResolver(
    ...     tf.train.ClusterSpec({"worker": ["a:1", "b:2"]}), task_type="worker", task_id=1
    ... )
    >>> resolver.task_id
    1
    """

    def __init__(
        self,
        cluster_spec: ClusterSpec,
        master: str = "",
        task_type: str | None = None,
        task_id: int | None = None,
        environment: str = "",
        num_accelerators: dict[str, int] | None = None,
        rpc_layer: str | None = None,
    ) -> None:
        if not isinstance(cluster_spec, ClusterSpec):
            raise TypeError("cluster_spec must be a `tf.train.ClusterSpec`.")
        self._spec = cluster_spec
        self._master = master
        self.task_type = task_type
        self.task_id = task_id
        self.environment = environment
        self.rpc_layer = rpc_layer
        self._accelerators = num_accelerators or {}

    def cluster_spec(self) -> ClusterSpec:
        """Returns the machines, as a `tf.train.ClusterSpec`."""
        return self._spec

    def master(
        self,
        task_type: str | None = None,
        task_id: int | None = None,
        rpc_layer: str | None = None,
    ) -> str:
        """Returns the address of a task.

        Args:
            task_type: The job; None takes the address of the constructor.
            task_id: The number of the task; None takes the address of the constructor.
            rpc_layer: What stands before the address, or None.

        Returns:
            A string.
        """
        if task_type is None or task_id is None:
            layer = rpc_layer or self.rpc_layer
            return f"{layer}://{self._master}" if layer and self._master else self._master
        return super().master(task_type, task_id, rpc_layer)

    def num_accelerators(
        self,
        task_type: str | None = None,
        task_id: int | None = None,
        config_proto: object = None,
    ) -> dict[str, int]:
        """Returns how many accelerators there are of each kind, as the constructor says.

        Args:
            task_type: It has no effect.
            task_id: It has no effect.
            config_proto: It has no effect.

        Returns:
            A dict from kinds to numbers.
        """
        return dict(self._accelerators)


class TFConfigClusterResolver(ClusterResolver):
    """Machines that the environment variable `TF_CONFIG` states, as JSON.

    Args:
        task_type: The job of this process; None takes the one of `TF_CONFIG`.
        task_id: The number of this process; None takes the one of `TF_CONFIG`.
        rpc_layer: What stands before addresses; None takes that of `TF_CONFIG`.
        environment: A string; None takes that of `TF_CONFIG`.

    >>> import os
    >>> import graphwright as tf
    >>> os.environ["TF_CONFIG"] = (
    ...     '{"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 1}}'
    ... )
    >>> resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
    >>> del os.environ["TF_CONFIG"]
    >>> resolver.task_type, resolver.task_id, resolver.cluster_spec().as_dict()
    ('worker', 1, {'worker': ['a:1', 'b:2']})
    """

    def __init__(
        self,
        task_type: str | None = None,
        task_id: int | None = None,
        rpc_layer: str | None = None,
        environment: str | None = None,
    ) -> None:
        config: dict[str, Any] = json.loads(os.environ.get("TF_CONFIG") or "{}")
        task = config.get("task", {})
        self._spec = ClusterSpec(config.get("cluster", {}))
        self.task_type = task.get("type") if task_type is None else task_type
        number = task.get("index") if task_id is None else task_id
        self.task_id = None if number is None else int(number)
        self.rpc_layer = config.get("rpc_layer") if rpc_layer is None else rpc_layer
        self.environment = config.get("environment") if environment is None else environment

    def cluster_spec(self) -> ClusterSpec:
        """Returns the machines, as a `tf.train.ClusterSpec`."""
        return self._spec
