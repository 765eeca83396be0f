"""Meshes: logical devices in rows and columns, whose dimensions have names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from graphwright.library.distribute.workers import world
from graphwright.library.dtensor.mesh_ranks import MeshRanks
from graphwright.types.device_spec import DeviceSpec
from graphwright.values.convert import convert
from graphwright.values.logical_devices import LogicalDevices, canonical, full_names

#: The sizes of a mesh by the names of its dimensions, in their order.
MeshDims = Mapping[str, int] | Sequence[tuple[str, int]]


class Mesh:
    """Devices in rows and columns: `tf.experimental.dtensor.create_mesh` makes one.

    Args:
        dim_names: A list of strings: the names of the dimensions.
        global_device_ids: An array of ints of the mesh's shape: the numbers of the devices.
        local_device_ids: A list of ints: those of this process.
        local_devices: A list of the names of its devices, or of their `tf.DeviceSpec`.
        mesh_name: A string.
        global_devices: A list of the names of all devices; None if all are of this process.
        use_xla_spmd: It has no effect.

    Raises:
        ValueError: There are not as many devices as places.

    >>> import numpy as np, graphwright as tf
    >>> mesh = tf.experimental.dtensor.Mesh(["x"], np.array([0]), [0], ["CPU:0"])
    >>> mesh.shape()
    [1]
    """

    def __init__(
        self,
        dim_names: Sequence[str],
        global_device_ids: Any,
        local_device_ids: Sequence[int],
        local_devices: Sequence[DeviceSpec | str],
        mesh_name: str = "",
        global_devices: Sequence[DeviceSpec | str] | None = None,
        use_xla_spmd: bool = False,
    ) -> None:
        self._places = np.asarray(global_device_ids)
        everywhere = global_devices or local_devices
        if self._places.size != len(everywhere):
            raise ValueError(
                f"A mesh of shape {list(self._places.shape)} has {self._places.size} places, and "
                f"there are {len(everywhere)} devices."
            )
        self._dim_names = list(dim_names)
        self._devices = [canonical(str(name_of(device))) for device in everywhere]
        self._local = [int(number) for number in local_device_ids]
        self._name = mesh_name
        #: The ranks that it spans; None: all devices are of this process.
        self.ranks: MeshRanks | None = None

    @property
    def dim_names(self) -> list[str]:
        """The names of the dimensions."""
        return list(self._dim_names)

    @property
    def name(self) -> str:
        """The name of the mesh."""
        return self._name

    @property
    def size(self) -> int:
        """The number of devices."""
        return self._places.size

    @property
    def strides(self) -> list[int]:
        """How far apart neighbours along each dimension are in the list of devices."""
        shape = self._places.shape
        return [int(np.prod(shape[place + 1 :], dtype=int)) for place in range(len(shape))]

    def shape(self) -> list[int]:
        """Returns the sizes of the dimensions."""
        return list(self._places.shape)

    def contains_dim(self, dim_name: str) -> bool:
        """Returns whether a dimension has this name.

        Args:
            dim_name: A string.

        Returns:
            A bool.
        """
        return dim_name in self._dim_names

    def dim_size(self, dim_name: str) -> int:
        """Returns the size of a dimension.

        Args:
            dim_name: A string.

        Returns:
            An int.

        Raises:
            ValueError: There is no such dimension.
        """
        if dim_name not in self._dim_names:
            raise ValueError(f"The mesh has no dimension {dim_name!r}, only {self._dim_names}.")
        return self.shape()[self._dim_names.index(dim_name)]

    def device_type(self) -> str:
        """Returns the type of the devices: "CPU"."""
        return "CPU"

    def min_global_device_id(self) -> int:
        """Returns the least number of a device."""
        return int(self._places.min())

    def local_device_ids(self) -> list[int]:
        """Returns the numbers of the devices of this process."""
        return list(self._local)

    def global_device_ids(self) -> list[int]:
        """Returns the numbers of all devices."""
        return [int(number) for number in self._places.reshape(-1)]

    def local_devices(self) -> list[str]:
        """Returns the full names of the devices of this process."""
        first = self.min_global_device_id()
        return [self._devices[number - first] for number in self._local]

    def global_devices(self) -> list[str]:
        """Returns the full names of all devices."""
        return list(self._devices)

    def num_local_devices(self) -> int:
        """Returns the number of devices of this process."""
        return len(self._local)

    def coords(self, device_idx: int) -> Any:
        """Returns the place of a device in the mesh.

        Args:
            device_idx: An int: its place in the list of devices.

        Returns:
            A tensor of int32.
        """
        return convert(np.array(np.unravel_index(device_idx, self._places.shape), np.int32))

    def unravel_index(self) -> dict[int, dict[str, int]]:
        """Returns the places of all devices, by the names of the dimensions."""
        return {
            number: {n: int(i) for n, i in zip(self._dim_names, index)}
            for number, index in enumerate(np.ndindex(self._places.shape))
        }

    def to_string(self) -> str:
        """Returns the mesh as text, which names its dimensions and its devices."""
        dims = ",".join(f"{n}={size}" for n, size in zip(self._dim_names, self._places.shape))
        numbers, local = (
            ",".join(map(str, each)) for each in (self.global_device_ids(), self._local)
        )
        text = f"{self._name}|{dims}|{numbers}|{local}|{','.join(self.local_devices())}"
        return text if self.ranks is None else f"{text}|{','.join(self._devices)}"

    def __repr__(self) -> str:
        return f"Mesh.from_string({self.to_string()})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mesh) and self.to_string() == other.to_string()

    def __hash__(self) -> int:
        return hash(self.to_string())


def name_of(device: DeviceSpec | str) -> str:
    """The name of a device."""
    return device if isinstance(device, str) else device.to_string()


def create_mesh(
    mesh_dims: MeshDims | None = None,
    mesh_name: str = "",
    devices: Sequence[DeviceSpec | str] | None = None,
    device_type: str | None = None,
    use_xla_spmd: bool = False,
) -> Mesh:
    """Makes a mesh of logical devices.

    Args:
        mesh_dims: The sizes of the dimensions by their names: a dict, or pairs. None makes one
            dimension "x" of all devices.
        mesh_name: A string.
        devices: A list of the names of devices, or of their `tf.DeviceSpec`; None takes all.
        device_type: "CPU", or None.
        use_xla_spmd: It has no effect.

    Returns:
        A `tf.experimental.dtensor.Mesh`.

    Raises:
        ValueError: There are not as many devices as the mesh has places.

    >>> import graphwright as tf
    >>> tf.experimental.dtensor.create_mesh([("x", 1)], devices=["CPU:0"]).dim_size("x")
    1
    """
    LogicalDevices.in_use = True
    chosen = full_names() if devices is None else devices
    if mesh_dims is None:
        mesh_dims = [("x", len(chosen))]
    pairs = list(mesh_dims.items()) if isinstance(mesh_dims, Mapping) else list(mesh_dims)
    shape = [size for _, size in pairs]
    if int(np.prod(shape, dtype=int)) != len(chosen):
        raise ValueError(
            f"length of devices ({len(chosen)}) must be equal to total size of the mesh of shape "
            f"{shape}"
        )
    numbers = np.arange(len(chosen)).reshape(shape)
    names = [name for name, _ in pairs]
    return Mesh(names, numbers, list(range(len(chosen))), chosen, mesh_name)


def create_distributed_mesh(
    mesh_dims: MeshDims,
    mesh_name: str = "",
    local_devices: Sequence[DeviceSpec | str] | None = None,
    device_type: str | None = None,
    use_xla_spmd: bool = False,
) -> Mesh:
    """Makes a mesh of one device in each process that MPI has started: `graphwright launch`.

    Tensors that are divided among it have a part in each process. All processes must call the same
    functions in the same order.

    Args:
        mesh_dims: The sizes of the dimensions by their names: a dict, or pairs. Their product is
            the number of processes.
        mesh_name: A string.
        local_devices: A list of one name of a device, or its `tf.DeviceSpec`; None takes the first.
            Where there is one process, it is as `devices` of `create_mesh`.
        device_type: "CPU", or None.
        use_xla_spmd: It has no effect.

    Returns:
        A `tf.experimental.dtensor.Mesh`.

    Raises:
        ImportError: mpi4py is not there.
        ValueError: There are not as many processes as the mesh has places, or a process gives
            several devices.

    >>> import graphwright as tf
    >>> callable(tf.experimental.dtensor.create_distributed_mesh)
    True
    """
    workers = world()
    if workers.size == 1:
        return create_mesh(mesh_dims, mesh_name, local_devices, device_type, use_xla_spmd)
    LogicalDevices.in_use = True
    devices = full_names()[:1] if local_devices is None else [*map(name_of, local_devices)]
    if len(devices) != 1:
        raise ValueError(
            f"A mesh over processes has one device in each, and this one gives {len(devices)}: "
            f"{devices}. Start more processes: graphwright launch -n NUMBER PROGRAM"
        )
    pairs = list(mesh_dims.items()) if isinstance(mesh_dims, Mapping) else list(mesh_dims)
    names, shape = [name for name, _ in pairs], [size for _, size in pairs]
    if int(np.prod(shape, dtype=int)) != workers.size:
        raise ValueError(
            f"length of devices ({workers.size}) must be equal to total size of the mesh of shape "
            f"{shape}"
        )
    everywhere = [task_device(device, devices[0]) for device in range(workers.size)]
    numbers = np.arange(workers.size).reshape(shape)
    local = [everywhere[workers.rank]]
    mesh = Mesh(names, numbers, [workers.rank], local, mesh_name, everywhere)
    mesh.ranks = MeshRanks(workers, names, shape)
    return mesh


def task_device(rank: int, device: str) -> str:
    """The name of a device of another process, by that of this one."""
    spec = DeviceSpec.from_string(canonical(device))
    return spec.replace(job="worker", task=rank).to_string()
