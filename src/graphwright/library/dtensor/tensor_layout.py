"""Layouts: the dimension of a mesh that each axis of a tensor is divided along."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from graphwright.library.dtensor.mesh import Mesh

#: An axis that is not divided.
UNSHARDED = "unsharded"
#: An axis that is divided as TensorFlow finds best.
MATCH = "match"


class Layout:
    """How a tensor is divided among the devices of a mesh.

    Args:
        sharding_specs: For each axis a string: a dimension of the mesh, or `UNSHARDED`.
        mesh: A `tf.experimental.dtensor.Mesh`.

    Raises:
        ValueError: A string is no dimension of the mesh, or stands twice.

    >>> import graphwright as tf
    >>> mesh = tf.experimental.dtensor.create_mesh([("x", 1)], devices=["CPU:0"])
    >>> tf.experimental.dtensor.Layout(["x", tf.experimental.dtensor.UNSHARDED], mesh).shape
    [1]
    """

    def __init__(self, sharding_specs: Sequence[str], mesh: Mesh) -> None:
        for spec in sharding_specs:
            if spec not in (UNSHARDED, MATCH) and not mesh.contains_dim(spec):
                raise ValueError(
                    f"{spec}: A dimension sharding must either be a valid mesh dimension or "
                    "UNSHARDED."
                )
            if spec in mesh.dim_names and list(sharding_specs).count(spec) > 1:
                raise ValueError(
                    f"Mesh dimension {spec} was repeated in sharding specification "
                    f"{list(sharding_specs)}. Mesh dimensions must be unique in a layout."
                )
        self._specs = list(sharding_specs)
        self._mesh = mesh

    @classmethod
    def replicated(cls, mesh: Mesh, rank: int) -> Layout:
        """Returns the layout of tensors of which each device has all.

        Args:
            mesh: A `tf.experimental.dtensor.Mesh`.
            rank: An int: the number of axes.

        Returns:
            A `Layout`.
        """
        return cls([UNSHARDED] * rank, mesh)

    @classmethod
    def batch_sharded(cls, mesh: Mesh, batch_dim: str, rank: int, axis: int = 0) -> Layout:
        """Returns the layout of tensors that are divided along one axis, the first by default.

        Args:
            mesh: A `tf.experimental.dtensor.Mesh`.
            batch_dim: A string: the dimension of the mesh.
            rank: An int: the number of axes.
            axis: An int: the axis that is divided.

        Returns:
            A `Layout`.
        """
        specs = [UNSHARDED] * rank
        specs[axis] = batch_dim
        return cls(specs, mesh)

    @classmethod
    def inner_sharded(cls, mesh: Mesh, inner_dim: str, rank: int) -> Layout:
        """Returns the layout of tensors that are divided along their last axis.

        Args:
            mesh: A `tf.experimental.dtensor.Mesh`.
            inner_dim: A string: the dimension of the mesh.
            rank: An int: the number of axes.

        Returns:
            A `Layout`.
        """
        return cls.batch_sharded(mesh, inner_dim, rank, -1)

    @property
    def mesh(self) -> Mesh:
        """The mesh."""
        return self._mesh

    @property
    def sharding_specs(self) -> list[str]:
        """For each axis a dimension of the mesh, or `UNSHARDED`."""
        return list(self._specs)

    @property
    def rank(self) -> int:
        """The number of axes."""
        return len(self._specs)

    @property
    def shape(self) -> list[int]:
        """The sizes of the mesh's dimensions."""
        return self._mesh.shape()

    def num_shards(self, idx: int) -> int:
        """Returns how many parts an axis has.

        Args:
            idx: An int: the axis.

        Returns:
            An int.
        """
        spec = self._specs[idx]
        return self._mesh.dim_size(spec) if self._mesh.contains_dim(spec) else 1

    def is_fully_replicated(self) -> bool:
        """Returns whether each device has all."""
        return all(self.num_shards(axis) == 1 for axis in range(self.rank))

    def is_batch_parallel(self) -> bool:
        """Returns whether no axis but the first is divided."""
        return all(spec == UNSHARDED for spec in self._specs[1:])

    def global_shape_from_local_shape(self, local_shape: Sequence[int]) -> tuple[int, ...]:
        """Returns the shape of a tensor, from that of each part.

        Args:
            local_shape: A sequence of ints.

        Returns:
            A tuple of ints.
        """
        return tuple([size * self.num_shards(axis) for axis, size in enumerate(local_shape)])

    def local_shape_from_global_shape(self, global_shape: Sequence[int]) -> tuple[int, ...]:
        """Returns the shape of each part of a tensor.

        Args:
            global_shape: A sequence of ints.

        Returns:
            A tuple of ints.
        """
        return tuple([size // self.num_shards(axis) for axis, size in enumerate(global_shape)])

    def offset_to_shard(self) -> list[tuple[int, ...]]:
        """Returns for each device which part along each axis it has."""
        names = self._mesh.dim_names
        return [
            tuple([index[names.index(spec)] if spec in names else 0 for spec in self._specs])
            for index in np.ndindex(*self._mesh.shape())
        ]

    def delete(self, dims: Sequence[int]) -> Layout:
        """Returns the layout without some axes.

        Args:
            dims: A sequence of ints.

        Returns:
            A `Layout`.
        """
        left = [spec for axis, spec in enumerate(self._specs) if axis not in dims]
        return Layout(left, self._mesh)

    def to_string(self) -> str:
        """Returns the layout as text, which has the mesh too."""
        specs = "".join(f"{spec}," for spec in self._specs)
        return f"sharding_specs:{specs} mesh:{self._mesh.to_string()}"

    def __repr__(self) -> str:
        return f"Layout.from_string({self.to_string()})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Layout) and self.to_string() == other.to_string()

    def __hash__(self) -> int:
        return hash(self.to_string())
