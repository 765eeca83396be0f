"""`tf.experimental.dtensor`: tensors that are divided among a mesh of devices or processes."""

from __future__ import annotations

from graphwright.library.dtensor.clients import (
    barrier,
    client_id,
    initialize_accelerator_system,
    local_devices,
    num_clients,
    num_global_devices,
    num_local_devices,
)
from graphwright.library.dtensor.dtensors import (
    call_with_layout,
    check_layout,
    copy_to_mesh,
    default_mesh,
    device_name,
    fetch_layout,
    get_default_mesh,
    is_dtensor,
    pack,
    relayout,
    relayout_like,
    unpack,
)
from graphwright.library.dtensor.dvariable import DVariable
from graphwright.library.dtensor.mesh import Mesh, create_distributed_mesh, create_mesh
from graphwright.library.dtensor.tensor_layout import MATCH, UNSHARDED, Layout

__all__ = [
    "MATCH",
    "UNSHARDED",
    "DVariable",
    "Layout",
    "Mesh",
    "barrier",
    "call_with_layout",
    "check_layout",
    "client_id",
    "copy_to_mesh",
    "create_distributed_mesh",
    "create_mesh",
    "default_mesh",
    "device_name",
    "fetch_layout",
    "get_default_mesh",
    "initialize_accelerator_system",
    "is_dtensor",
    "local_devices",
    "num_clients",
    "num_global_devices",
    "num_local_devices",
    "pack",
    "relayout",
    "relayout_like",
    "unpack",
]
