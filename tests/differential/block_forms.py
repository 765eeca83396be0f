"""Several lines that belong together, as people write them, and what they read of the module."""

from __future__ import annotations

#: NEW, NEW2 and NEW3 are names that nothing has yet; places are those of `dense_forms`.
BLOCKS = (
    "NEW = tf.TensorArray({n}.dtype, size=3)\nfor i in tf.range(3):\n"
    "    NEW = NEW.write(i, {$} * tf.cast(i, {$}.dtype))\nNEW = NEW.stack()",
    "NEW = tf.TensorArray({n}.dtype, 0, dynamic_size=True)\nfor i in tf.range({k}):\n"
    "    NEW = NEW.write(NEW.size(), {$})\nNEW = NEW.stack()",
    "NEW = tf.TensorArray({n+}.dtype, 1)\nNEW2 = {$}[0]\nfor row in {$}:\n    NEW2 += row\n"
    "    if tf.reduce_sum(tf.abs(row)) > {p}:\n        NEW = NEW.write(0, NEW2)\n"
    "NEW = NEW.stack()",
    "NEW = []\nfor row in tf.unstack({n+}):\n    NEW.append({E:row})\nNEW2 = tf.stack(NEW)",
    "NEW = []\nfor i in range({p}):\n    NEW.append({n} * i)\nNEW = tf.add_n(NEW)",
    "with tf.name_scope('block'):\n    NEW = {n} + {q}",
    "with tf.control_dependencies([tf.debugging.assert_equal({n}, {$})]):\n"
    "    NEW = tf.identity({$})",
    "NEW = tf.zeros([], {n1}.dtype)\nfor i, row in enumerate({$}):\n"
    "    NEW += row * tf.cast(i, row.dtype)",
    "NEW = tf.zeros([], tf.float32)\nfor row in "
    "tf.data.Dataset.from_tensor_slices({o1}).batch(2):\n    NEW += tf.reduce_sum(row)",
    "NEW = tf.constant(0)\nfor i, row in "
    "tf.data.Dataset.from_tensor_slices({i1}).enumerate():\n    if i > 2:\n        break\n"
    "    NEW += tf.cast(row, tf.int32)",
    "@tf.custom_gradient\ndef helper(t):\n    def grad(d):\n        return d * 2.0 * t\n"
    "    return tf.square(t), grad\nwith tf.GradientTape() as tape:\n    tape.watch({w})\n"
    "    NEW = helper({$})\nNEW2 = tape.gradient(NEW, {$})",
    "NEW = tf.identity({w})\nwith tf.GradientTape(persistent=True) as tape:\n"
    "    tape.watch(NEW)\n    NEW2 = {E:NEW}\n    NEW3 = tf.reduce_sum(NEW2 * NEW2)\n"
    "NEW2 = tape.gradient(NEW2, NEW)\nNEW3 = tape.gradient(NEW3, NEW)",
    "NEW = tf.identity({w})\nwith tf.GradientTape() as tape:\n    tape.watch(NEW)\n"
    "    NEW2 = tf.map_fn(lambda t: {E:t}, tf.reshape(NEW, [-1]))\n"
    "NEW3 = tape.gradient(NEW2, NEW)",
    "NEW = tf.identity({w+})\nwith tf.GradientTape() as tape:\n    tape.watch(NEW)\n"
    "    NEW2 = tf.scan(lambda a, t: a * t + a, NEW)\nNEW3 = tape.gradient(NEW2, NEW)",
    "NEW = tf.identity({w})\nwith tf.GradientTape() as tape:\n    tape.watch(NEW)\n"
    "    NEW2 = NEW\n    for i in tf.range({p}):\n        NEW2 = NEW2 * {E:NEW}\n"
    "NEW3 = tape.gradient(NEW2, NEW)",
    "NEW = tf.identity({w})\nwith tf.GradientTape() as tape:\n    tape.watch(NEW)\n"
    "    if tf.reduce_sum(NEW) > {q}:\n        NEW2 = {E:NEW}\n    else:\n"
    "        NEW2 = tf.identity(NEW)\nNEW3 = tape.gradient(NEW2, NEW)",
    "NEW = tf.identity({w})\nwith tf.GradientTape() as tape:\n    tape.watch(NEW)\n"
    "    NEW2 = tf.where(NEW > 0, tf.sqrt(NEW), tf.zeros_like(NEW))\n"
    "NEW3 = tape.gradient(NEW2, NEW)",
    "NEW = tf.identity({w})\nwith tf.GradientTape(watch_accessed_variables=False) as tape:\n"
    "    tape.watch([NEW])\n    with tape.stop_recording():\n        NEW2 = {E:NEW}\n"
    "    NEW3 = NEW * NEW\nNEW3 = tape.gradient([NEW2, NEW3], NEW, output_gradients=None)",
    "NEW = tf.identity({w+})\nwith tf.GradientTape() as tape:\n    tape.watch(NEW)\n"
    "    NEW2 = tf.concat([NEW[:1], {E:NEW}[1:]], 0)[::-1]\nNEW3 = tape.gradient(NEW2, NEW)",
    "NEW = dict(a={n}, b={x})\nNEW['c'] = NEW['a'] + 1\nNEW2 = NEW.pop('b')",
    "NEW = tf.constant(0)\nwhile True:\n    NEW += 1\n    if NEW > {k}:\n        break",
    "NEW = tf.constant(0)\nfor i in tf.range({p}):\n    for row in tf.range(i):\n"
    "        if row == 1:\n            continue\n        NEW += row",
    "NEW = {n}\nfor i in tf.range(4):\n    if i == {k}:\n        continue\n"
    "    NEW = NEW + {q}\nelse:\n    NEW = -NEW",
    "NEW = {n}\nNEW += {q}\nNEW *= 2\nNEW -= {q}", "NEW = {w}\nNEW /= 2.0\nNEW **= 2\nNEW //= {q}",
    "NEW, NEW2 = {n}, {n}\nNEW, NEW2 = NEW2, NEW", "NEW, *NEW2 = tf.unstack({x+})",
    "if (NEW := tf.size({x})) > 2:\n    NEW += 1", "NEW = {n} if {b0} else {n} * 2",
    "NEW = {n}\ndef helper(t):\n    if tf.reduce_sum(t) > 2:\n        return t * 2\n"
    "    return t + t * 3\nNEW2 = helper(NEW)",
    "NEW = {n}\ndef helper(t, k=1):\n    for i in tf.range(3):\n"
    "        if tf.reduce_any(t > k):\n            return t - 1\n        t += k\n    return t\n"
    "NEW2 = helper(NEW) + helper(NEW, k={p})",
    "NEW = {n}\ndef helper(t, k):\n    return t if k == 0 else helper(t + t, k - 1)\n"
    "NEW2 = helper(NEW, {k})",
    "NEW = {n}\ndef helper():\n    nonlocal_value = NEW + 1\n"
    "    return lambda t: t * nonlocal_value\nNEW2 = helper()(NEW)",
    "assert {x}.shape.rank is not None, 'no'\nNEW = {$}[..., tf.newaxis]",
    "assert tf.reduce_all({n} >= {q}), 'no'\nNEW = tf.size({$})",
    "NEW = {n}\nif NEW.shape.rank and NEW.shape.rank > 1:\n    NEW = tf.transpose(NEW)\n"
    "elif NEW.dtype.is_floating:\n    NEW = tf.round(NEW)",
    "NEW = None\nfor row in {n+}:\n    NEW = row if NEW is None else NEW + row",
    "NEW = {k}\nfor row in {n1}:\n    if row > {q}:\n        NEW += 1",
    "NEW = tf.shape({x})\nNEW2 = NEW[0]",
    "NEW = 0\nwhile NEW < {k}:\n    NEW += 1\nNEW2 = {n} * NEW", "NEW = [{x}, {n}]\ndel NEW[0]",
    "NEW = table.lookup({s})", "NEW = table.lookup({s1})\nNEW2 = tf.where(NEW < 0, 0, NEW)",
    "NEW = layer({o2})",
    "with tf.GradientTape() as tape:\n    NEW = tf.reduce_sum(layer({o2}))\n"
    "NEW2 = tape.gradient(NEW, layer.trainable_variables)",
    "NEW = layer({o2})\nfor row in layer.trainable_variables:\n    row.assign(row * 0.5)\n"
    "NEW2 = layer({$})",
    "NEW = layer({o2}, is_training={b0})",
    "NEW = point(a={x}, b={n})\nNEW2 = NEW._replace(a=NEW.b + 1)",
)  # fmt: skip

#: What stands before the function, by the names that blocks read.
HEADS = {
    "table": "table = tf.lookup.StaticHashTable(\n"
    "    tf.lookup.KeyValueTensorInitializer(['ab', '7', ''], [1, 2, 3]), default_value=-1)",
    "layer": "class Dense(tf.Module):\n"
    "    def __init__(self, units, name=None):\n"
    "        super().__init__(name=name)\n"
    "        self.units, self.w = units, None\n"
    "        self.b = tf.Variable(tf.zeros([units]), name='b')\n"
    "        self.calls = tf.Variable(0, trainable=False)\n"
    "    @tf.Module.with_name_scope\n"
    "    def __call__(self, x, is_training=True):\n"
    "        if self.w is None:\n"
    "            self.w = tf.Variable(tf.fill([x.shape[-1], self.units], 0.5), name='w')\n"
    "        if is_training:\n"
    "            self.calls.assign_add(1)\n"
    "        return tf.nn.relu(x @ self.w + self.b)\n"
    "layer = Dense(2)",
    "point": "import collections\npoint = collections.namedtuple('point', ['a', 'b'])",
}
