"""Public names of `tf.distribute` for what is not here, and why it is not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NoReturn

_SERVERS = "there are no servers that run ops for other processes"
_PREEMPTION = "nothing tells the process that its machine will be taken away"

#: The reason for each name, by namespace.
ABSENT: Mapping[str, Mapping[str, str]] = {
    "tf.distribute": {
        "Server": _SERVERS,
        "coordinator": _SERVERS,
    },
    "tf.distribute.experimental": {
        "CentralStorageStrategy": "all devices are in one memory: use MirroredStrategy",
        "CollectiveHints": "CommunicationOptions has taken its place",
        "MultiWorkerMirroredStrategy": "it is tf.distribute.MultiWorkerMirroredStrategy",
        "ParameterServerStrategy": "it is tf.distribute.ParameterServerStrategy",
        "PreemptionCheckpointHandler": _PREEMPTION,
        "PreemptionWatcher": _PREEMPTION,
        "TPUStrategy": "it is tf.distribute.TPUStrategy",
        "TerminationConfig": _PREEMPTION,
        "coordinator": _SERVERS,
        "partitioners": "variables are not divided among servers",
        "rpc": _SERVERS,
    },
    "tf.distribute.cluster_resolver": {
        "GCEClusterResolver": "nobody asks Google Compute Engine: use TFConfigClusterResolver",
        "KubernetesClusterResolver": "nobody asks Kubernetes: use TFConfigClusterResolver",
        "KubernetesExecutableLocation": "nobody asks Kubernetes: use TFConfigClusterResolver",
        "SlurmClusterResolver": "MPI knows the processes that Slurm starts",
        "TPUClusterResolver": "there are no TPUs",
        "UnionResolver": "one resolver says all: use SimpleClusterResolver",
    },
}


def absent(namespace: str) -> Callable[[str], NoReturn]:
    """The `__getattr__` of a namespace, whose errors say why a name of TensorFlow is not there."""
    reasons = ABSENT[namespace]

    def find(name: str) -> NoReturn:
        if name in reasons:
            raise AttributeError(f"{namespace}.{name} is not here: {reasons[name]}.")
        raise AttributeError(f"module {namespace!r} has no attribute {name!r}")

    return find
