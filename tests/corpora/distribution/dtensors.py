"""Programs that divide tensors among a mesh of devices: `tf.experimental.dtensor`."""

from __future__ import annotations

from typing import Any

import numpy as np
from corpora.distribution.outcomes import Programs, attempt, short

programs = Programs()

FREE = "unsharded"


def mesh_of(tf: Any, dims: Any = (("x", 2), ("y", 2))) -> Any:
    """A mesh of the four devices, or of four ranks where there are several."""
    dims = dims if isinstance(dims, dict) else list(dims)
    if tf.experimental.dtensor.num_clients() > 1:
        return tf.experimental.dtensor.create_distributed_mesh(dims)
    return tf.experimental.dtensor.create_mesh(dims, devices=[f"CPU:{i}" for i in range(4)])


def spread(tf: Any, value: Any, *specs: str) -> Any:
    """A value as a tensor with these shards."""
    dt, mesh = tf.experimental.dtensor, mesh_of(tf)
    whole = dt.copy_to_mesh(tf.constant(value), dt.Layout.replicated(mesh, len(specs)))
    return dt.relayout(whole, dt.Layout(list(specs), mesh))


def numbers(*shape: int) -> Any:
    """Numbers of a shape."""
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape)


def state(tf: Any, tensor: Any) -> Any:
    """The shards of a tensor, its shape, and the values of the devices; of a rank, its own."""
    dt = tf.experimental.dtensor
    specs = list(dt.fetch_layout(tensor).sharding_specs)
    parts = [part.numpy().tolist() for part in dt.unpack(tensor)]
    return [specs, list(tensor.shape), parts if dt.num_clients() == 1 else {"parts": parts}]


@programs
def mesh_properties(tf: Any) -> Any:
    mesh = mesh_of(tf)
    return [
        mesh.dim_names, mesh.shape(), mesh.size, mesh.name, mesh.strides, mesh.dim_size("y"),
        mesh.contains_dim("x"), mesh.contains_dim("z"), list(mesh.local_device_ids()),
        [short(d) for d in mesh.local_devices()], mesh.num_local_devices(),
        np.asarray(mesh.coords(2)).tolist(), mesh.unravel_index(), mesh.device_type(),
        mesh.min_global_device_id(), mesh.to_string(), repr(mesh), mesh == mesh_of(tf),
        mesh == mesh_of(tf, {"x": 4}), mesh_of(tf, {"b": 4}).shape(),
    ]  # fmt: skip


@programs
def mesh_errors(tf: Any) -> Any:
    dt = tf.experimental.dtensor
    return [
        attempt(mesh_of, tf, (("x", 3),)),
        attempt(lambda: dt.create_mesh([("b", 4)]).to_string()),
        attempt(lambda: dt.create_mesh().to_string()),
        attempt(lambda: mesh_of(tf).dim_size("z")),
    ]


@programs
def layout_properties(tf: Any) -> Any:
    dt, mesh = tf.experimental.dtensor, mesh_of(tf)
    layout = dt.Layout(["x", dt.UNSHARDED], mesh)
    return [
        layout.rank, list(layout.sharding_specs), list(layout.shape), layout.num_shards(0),
        layout.num_shards(1), layout.is_fully_replicated(), layout.is_batch_parallel(),
        list(layout.global_shape_from_local_shape([2, 3])),
        list(layout.local_shape_from_global_shape([4, 3])), layout.to_string(), repr(layout),
        layout == dt.Layout(["x", FREE], mesh), layout == dt.Layout(["y", FREE], mesh),
        layout.mesh == mesh, [list(o) for o in layout.offset_to_shard()],
        list(dt.Layout.replicated(mesh, 2).sharding_specs),
        list(dt.Layout.batch_sharded(mesh, "x", 3).sharding_specs),
        list(dt.Layout.inner_sharded(mesh, "y", 3).sharding_specs),
        list(dt.Layout(["x", "y"], mesh).delete([0]).sharding_specs),
        dt.Layout.replicated(mesh, 2).is_fully_replicated(), dt.UNSHARDED, dt.MATCH,
    ]  # fmt: skip


@programs
def layout_errors(tf: Any) -> Any:
    dt, mesh = tf.experimental.dtensor, mesh_of(tf)
    return [attempt(dt.Layout, ["z"], mesh), attempt(dt.Layout, ["x", "x"], mesh)]


@programs
def copied_and_laid_out(tf: Any) -> Any:
    dt, mesh = tf.experimental.dtensor, mesh_of(tf)
    x = dt.copy_to_mesh(tf.constant(numbers(4, 2)), dt.Layout.replicated(mesh, 2))
    a = dt.relayout(x, dt.Layout(["x", FREE], mesh))
    return [
        state(tf, x), state(tf, a), state(tf, dt.relayout(a, dt.Layout([FREE, "y"], mesh))),
        state(tf, dt.relayout_like(x, a)), state(tf, dt.relayout(tf.ones([4, 2]), a_layout(tf))),
        [dt.is_dtensor(x), dt.is_dtensor(tf.ones(2)), dt.is_dtensor(3)], x.numpy().tolist(),
        short(x.device), [short(part.device) for part in dt.unpack(a)],
        attempt(dt.check_layout, a, a_layout(tf)),
        attempt(dt.check_layout, x, a_layout(tf)),
    ]  # fmt: skip


def a_layout(tf: Any) -> Any:
    """A layout of rank two, by rows."""
    return tf.experimental.dtensor.Layout(["x", FREE], mesh_of(tf))


@programs
def packed(tf: Any) -> Any:
    dt, mesh = tf.experimental.dtensor, mesh_of(tf)
    parts = [tf.fill([1, 2], float(i)) for i in range(4)]
    return [
        state(tf, dt.pack(parts, dt.Layout(["x", "y"], mesh))),
        state(tf, dt.pack([parts[0], parts[0], parts[1], parts[1]], dt.Layout(["x", FREE], mesh))),
        state(tf, dt.pack([tf.constant(3)] * 4, dt.Layout([], mesh))),
        attempt(dt.pack, parts[:3], dt.Layout(["x", FREE], mesh)),
        attempt(dt.pack, [tf.ones([i]) for i in range(4)], dt.Layout(["x"], mesh)),
        attempt(dt.unpack, tf.ones([2])),
        attempt(dt.fetch_layout, tf.ones([2])),
    ]


@programs
def sharded_elementwise(tf: Any) -> Any:
    a, b = spread(tf, numbers(4, 2), "x", FREE), spread(tf, numbers(4, 2), FREE, "y")
    return [
        state(tf, t) for t in (
            a + a, a + 1.0, tf.nn.relu(a - 2.0), tf.exp(a * 0.0), a + b, b * a,
            a + spread(tf, numbers(2), FREE), a + spread(tf, numbers(2), "y"),
            tf.cast(a, tf.int32), tf.where(a > 2.0, a, b), a == b, tf.identity(a),
            a + spread(tf, numbers(4, 1), "x", FREE), -a, tf.maximum(b, a),
        )
    ]  # fmt: skip


@programs
def sharded_products(tf: Any) -> Any:
    a = spread(tf, numbers(4, 2), "x", FREE)
    both = spread(tf, numbers(4, 2), "x", "y")
    columns = spread(tf, numbers(2, 6), FREE, "y")
    rows = spread(tf, numbers(2, 6), "y", FREE)
    return [
        state(tf, a @ columns), state(tf, both @ rows), state(tf, a @ rows),
        state(tf, spread(tf, numbers(4, 2), FREE, FREE) @ columns),
        state(tf, tf.matmul(a, spread(tf, numbers(6, 2), "y", FREE), transpose_b=True)),
        state(tf, tf.matmul(columns, columns, transpose_a=True)[:1]),
        state(tf, tf.einsum("ab,bc->ac", both, rows)),
        state(tf, tf.einsum("ab,cb->ca", a, spread(tf, numbers(6, 2), "y", FREE))),
        state(tf, tf.matmul(spread(tf, numbers(2, 4, 2), "x", FREE, FREE),
                            spread(tf, numbers(2, 2, 4), "x", FREE, "y"))),
    ]  # fmt: skip


@programs
def sharded_reductions(tf: Any) -> Any:
    a = spread(tf, numbers(4, 2), "x", "y")
    return [
        state(tf, t) for t in (
            tf.reduce_sum(a), tf.reduce_sum(a, 0), tf.reduce_sum(a, 1, keepdims=True),
            tf.reduce_mean(a, 0), tf.reduce_max(a, [0, 1]), tf.reduce_min(a, -1),
            tf.reduce_prod(a, 0), tf.reduce_any(a > 3.0, 0),
        )
    ]  # fmt: skip


@programs
def sharded_movement(tf: Any) -> Any:
    a = spread(tf, numbers(4, 2), "x", "y")
    return [
        state(tf, t) for t in (
            tf.transpose(a), tf.gather(a, [1, 0]), tf.expand_dims(a, 1), tf.expand_dims(a, -1),
            tf.squeeze(tf.expand_dims(a, 0), 0),
            tf.transpose(spread(tf, numbers(2, 4, 2), "x", FREE, "y"), [1, 2, 0]),
            tf.gather(spread(tf, numbers(4, 2), FREE, "y"), [[1, 0], [2, 3]]),
            tf.nn.softmax(spread(tf, numbers(4, 2), "x", FREE)),
        )
    ]  # fmt: skip


@programs
def sharded_gradients(tf: Any) -> Any:
    a, w = spread(tf, numbers(4, 2), "x", FREE), spread(tf, numbers(2, 6), FREE, "y")

    @tf.function
    def slopes(a: Any, w: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch([a, w])
            loss = tf.reduce_sum(tf.nn.relu(a @ w))
        return loss, tape.gradient(loss, [a, w])

    loss, (da, dw) = slopes(a, w)
    return [float(loss), state(tf, da), state(tf, dw)]


@programs
def sharded_functions(tf: Any) -> Any:
    dt = tf.experimental.dtensor
    a, w = spread(tf, numbers(4, 2), "x", FREE), spread(tf, numbers(2, 6), FREE, "y")

    @tf.function
    def product(a: Any, w: Any) -> Any:
        y = tf.nn.relu(a @ w)
        return y, tf.reduce_sum(y, 1)

    @tf.function
    def laid_out(a: Any) -> Any:
        return dt.relayout(a * 2.0, dt.Layout([FREE, "y"], mesh_of(tf)))

    y, total = product(a, w)
    return [state(tf, y), state(tf, total), state(tf, laid_out(a)), state(tf, laid_out(a + 1.0))]


@programs
def called_with_layout(tf: Any) -> Any:
    dt = tf.experimental.dtensor
    return [
        state(tf, dt.call_with_layout(tf.ones, a_layout(tf), [4, 2])),
        state(tf, dt.call_with_layout(tf.zeros, a_layout(tf), shape=[4, 2], dtype=tf.int32)),
        state(tf, dt.call_with_layout(lambda: tf.ones([4, 2]) + 1.0, a_layout(tf))),
        dt.is_dtensor(dt.call_with_layout(tf.ones, None, [4, 2])),
    ]


@programs
def divided_variables(tf: Any) -> Any:
    dt = tf.experimental.dtensor
    a = spread(tf, numbers(4, 2), "x", FREE)
    v = dt.DVariable(a)
    outcomes = [list(v.layout.sharding_specs), v.dtype.name, list(v.shape), v.trainable]
    outcomes.append(state(tf, v.read_value()))
    outcomes.append(state(tf, v + 1.0))
    v.assign_add(a)
    outcomes.append(state(tf, v.read_value()))
    v.assign(spread(tf, numbers(4, 2) + 5.0, FREE, FREE))
    outcomes.append(state(tf, v.read_value()))
    outcomes.append(attempt(dt.DVariable, tf.ones([2])))

    @tf.function
    def step(x: Any) -> Any:
        v.assign_sub(x)
        return v * 2.0

    outcomes.append(state(tf, step(a)))
    outcomes.append(isinstance(v, tf.Variable))
    return outcomes


@programs
def trained_on_a_mesh(tf: Any) -> Any:
    dt = tf.experimental.dtensor
    mesh = mesh_of(tf)
    x = spread(tf, numbers(4, 2) / 8.0, "x", FREE)
    y = spread(tf, numbers(4, 1) / 4.0, "x", FREE)
    w = dt.DVariable(spread(tf, numbers(2, 4) / 8.0, FREE, "y"))
    u = dt.DVariable(spread(tf, numbers(4, 1) / 4.0, "y", FREE))

    @tf.function
    def step(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum((tf.tanh(x @ w) @ u - y) ** 2)
        for v, slope in zip((w, u), tape.gradient(loss, [w, u])):
            v.assign_sub(0.1 * slope)
        return loss

    losses = [float(step(x, y)) for _ in range(3)]
    whole = dt.relayout(w.read_value(), dt.Layout.replicated(mesh, 2))
    return [losses, whole.numpy().tolist(), list(w.layout.sharding_specs)]


@programs
def sizes_of_clients(tf: Any) -> Any:
    dt = tf.experimental.dtensor
    return [
        dt.num_clients(), dt.client_id(), dt.num_local_devices("CPU"),
        dt.num_global_devices("CPU"), [d.to_string() for d in dt.local_devices("CPU")],
    ]  # fmt: skip


@programs
def default_meshes(tf: Any) -> Any:
    dt, mesh = tf.experimental.dtensor, mesh_of(tf)
    before = dt.get_default_mesh() is None
    with dt.default_mesh(mesh):
        inside = dt.get_default_mesh() == mesh
        ones = state(tf, tf.ones([2]))
    return [before, inside, ones, dt.get_default_mesh() is None]


@programs
def misfits(tf: Any) -> Any:
    dt, mesh = tf.experimental.dtensor, mesh_of(tf)
    return [
        attempt(dt.copy_to_mesh, tf.ones([4]), a_layout(tf)),
        attempt(dt.copy_to_mesh, tf.ones([3, 2]), a_layout(tf)),
        attempt(dt.relayout, dt.copy_to_mesh(tf.ones([3]), dt.Layout([FREE], mesh)),
                dt.Layout(["x"], mesh)),
    ]  # fmt: skip


@programs
def values_that_are_divided(tf: Any) -> Any:
    return [attempt(spread(tf, numbers(4, 2), "x", FREE).numpy)]


@programs
def plain_beside_divided(tf: Any) -> Any:
    a = spread(tf, numbers(4, 2), "x", FREE)
    return [attempt(lambda: state(tf, a + tf.ones([4, 2])))]
