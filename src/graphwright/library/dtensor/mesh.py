"""Meshes: logical devices in rows and columns, whose dimensions have names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

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
        local_device_ids: A list of ints: those of this process, which are all.
        local_devices: A list of the names of devices, or of their `tf.DeviceSpec`.
        mesh_name: A string.
        global_devices: It has no effect: all devices are of this process.
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
        if self._places.size != len(local_devices):
            raise ValueError(
                f"A mesh of shape {list(self._places.shape)} has {self._places.size} places, and "
                f"there are {len(local_devices)} devices."
            )
        self._dim_names = list(dim_names)
        self._devices = [canonical(str(name_of(device))) for device in local_devices]
        self._name = mesh_name

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
        return [int(number) for number in self._places.reshape(-1)]

    global_device_ids = local_device_ids

    def local_devices(self) -> list[str]:
        """Returns the full names of the devices of this process."""
        return list(self._devices)

    global_devices = local_devices

    def num_local_devices(self) -> int:
        """Returns the number of devices of this process."""
        return len(self._devices)

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
        numbers = ",".join(map(str, self.local_device_ids()))
        return f"{self._name}|{dims}|{numbers}|{numbers}|{','.join(self._devices)}"

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
