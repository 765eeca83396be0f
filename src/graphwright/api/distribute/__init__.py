"""`tf.distribute`: programs spread over several devices, by replicas that work in step."""

from graphwright.api.distribute import cluster_resolver, experimental
from graphwright.data.clusters.cluster_map import map
from graphwright.library.distribute.absent_strategies import (
    ParameterServerStrategy,
    TPUStrategy,
)
from graphwright.library.distribute.cross_device_ops import (
    CrossDeviceOps,
    HierarchicalCopyAllReduce,
    NcclAllReduce,
    ReductionToOneDevice,
)
from graphwright.library.distribute.distributed_input import (
    DistributedDataset,
    DistributedIterator,
)
from graphwright.library.distribute.distributed_values import DistributedValues
from graphwright.library.distribute.distribution_options import (
    InputOptions,
    InputReplicationMode,
    RunOptions,
)
from graphwright.library.distribute.input_context import InputContext
from graphwright.library.distribute.mirrored_strategy import MirroredStrategy, OneDeviceStrategy
from graphwright.library.distribute.multi_worker_strategy import MultiWorkerMirroredStrategy
from graphwright.library.distribute.reduce_op import ReduceOp
from graphwright.library.distribute.replica_context import ReplicaContext
from graphwright.library.distribute.strategy import (
    Strategy,
    StrategyExtended,
    experimental_set_strategy,
    get_replica_context,
    get_strategy,
    has_strategy,
    in_cross_replica_context,
)

__all__ = [
    "CrossDeviceOps",
    "DistributedDataset",
    "DistributedIterator",
    "DistributedValues",
    "HierarchicalCopyAllReduce",
    "InputContext",
    "InputOptions",
    "InputReplicationMode",
    "MirroredStrategy",
    "MultiWorkerMirroredStrategy",
    "NcclAllReduce",
    "OneDeviceStrategy",
    "ParameterServerStrategy",
    "ReduceOp",
    "ReductionToOneDevice",
    "ReplicaContext",
    "RunOptions",
    "Strategy",
    "StrategyExtended",
    "TPUStrategy",
    "cluster_resolver",
    "experimental",
    "experimental_set_strategy",
    "get_replica_context",
    "get_strategy",
    "has_strategy",
    "in_cross_replica_context",
    "map",
]
