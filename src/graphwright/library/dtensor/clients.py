"""The processes of a program whose tensors are divided, as `tf.experimental.dtensor` names them."""

from __future__ import annotations

from graphwright.library.distribute.workers import StartedGroup, world
from graphwright.library.dtensor.mesh import Mesh
from graphwright.types.device_spec import DeviceSpec
from graphwright.values.logical_devices import LogicalDevices, full_names


def initialize_accelerator_system(
    device_type: str | None = None,
    enable_coordination_service: bool | None = True,
    num_logical_cpu_devices: int | None = None,
    experimental_reset_context: bool | None = False,
    experimental_enable_megcore: bool | None = False,
) -> str:
    """Takes part in the processes that MPI has started: `num_clients` and `client_id` count them.

    `create_distributed_mesh` does so too.

    Args:
        device_type: "CPU", or None.
        enable_coordination_service: It has no effect: MPI starts and ends the processes.
        num_logical_cpu_devices: It has no effect. `tf.config.set_logical_device_configuration`
            divides the CPU.
        experimental_reset_context: It has no effect.
        experimental_enable_megcore: It has no effect.

    Returns:
        The type of the devices: "CPU".

    Raises:
        ImportError: mpi4py is not there.
        ValueError: The devices are of another type.

    >>> import graphwright as tf
    >>> callable(tf.experimental.dtensor.initialize_accelerator_system)
    True
    """
    if (device_type or "CPU").upper() != "CPU":
        raise ValueError(f"Unknown device_type {device_type}. Allowed values are CPU.")
    world()
    return "CPU"


def barrier(mesh: Mesh, barrier_name: str | None = None, timeout_in_ms: int | None = None) -> None:
    """Waits until all processes of a mesh are here.

    Args:
        mesh: A `tf.experimental.dtensor.Mesh`.
        barrier_name: A string that errors have, where processes come to different barriers.
        timeout_in_ms: It has no effect.

    Raises:
        RuntimeError: Another process has come to something else.

    >>> import graphwright as tf
    >>> dt = tf.experimental.dtensor
    >>> dt.barrier(dt.create_mesh([("x", 1)], devices=["CPU:0"]))
    """
    if mesh.ranks is not None:
        mesh.ranks.workers.agree(f"barrier {barrier_name or mesh.name!r}")


def num_clients() -> int:
    """Returns the number of processes, once a mesh over them or the system was made.

    Returns:
        An int.

    >>> import graphwright as tf
    >>> tf.experimental.dtensor.num_clients()
    1
    """
    return 1 if StartedGroup.workers is None else StartedGroup.workers.size


def client_id() -> int:
    """Returns the number of this process.

    Returns:
        An int.

    >>> import graphwright as tf
    >>> tf.experimental.dtensor.client_id()
    0
    """
    return 0 if StartedGroup.workers is None else StartedGroup.workers.rank


def local_devices(device_type: str, for_client_id: int | None = None) -> list[DeviceSpec]:
    """Returns the devices of this process.

    Args:
        device_type: A string: "CPU"; there are no others.
        for_client_id: It has no effect: all processes have devices of these names.

    Returns:
        A list of `tf.DeviceSpec`.

    >>> import graphwright as tf
    >>> tf.experimental.dtensor.local_devices("CPU")[0].device_type
    'CPU'
    """
    LogicalDevices.in_use = True
    names = full_names() if device_type.upper() == "CPU" else []
    return [DeviceSpec.from_string(name) for name in names]


def num_local_devices(device_type: str) -> int:
    """Returns the number of devices of this process.

    Args:
        device_type: A string: "CPU"; there are no others.

    Returns:
        An int.

    >>> import graphwright as tf
    >>> tf.experimental.dtensor.num_local_devices("GPU")
    0
    """
    return len(local_devices(device_type))


def num_global_devices(device_type: str) -> int:
    """Returns the number of devices of all processes.

    Args:
        device_type: A string: "CPU"; there are no others.

    Returns:
        An int.

    >>> import graphwright as tf
    >>> tf.experimental.dtensor.num_global_devices("GPU")
    0
    """
    return num_local_devices(device_type) * num_clients()
