"""Functions whose nodes are named as TensorFlow names them, as was recorded."""

SCALAR = """
a + 2; 2 - a; a**2; a * 2.0 / 3.0; a // 2; a % 2; a > 1; a == 1; a != 1; -a; abs(a); 1.0
a + 1 + 2; tf.add(a, 1.0); tf.subtract(a, 1.0); tf.multiply(a, a); tf.divide(a, 2.0)
tf.pow(a, 2.0); tf.maximum(a, 0.0); tf.where(a > 0, a, 0.0); tf.constant(1.0) + a
tf.equal(a, 1.0); tf.exp(a); tf.identity(a)
"""

VECTOR = """
tf.reshape(a, [3, 1]); tf.concat([a, a], 0); tf.stack([a, a]); tf.cast(a, tf.int32)
tf.gather(a, [0]); tf.expand_dims(a, 0); tf.nn.softmax(a); tf.nn.relu(a)
tf.one_hot(tf.cast(a, tf.int32), 3); tf.zeros_like(a); tf.range(3); tf.reduce_mean(a, 0)
tf.reduce_sum(a, 0); tf.tile(a, [2]); tf.split(a, 3); tf.argmax(a); tf.square(a); tf.shape(a)
tf.pad(a, [[1, 1]]); tf.math.top_k(a, 2)[0]; tf.squeeze(a); tf.cumsum(a)
tf.logical_not(a > 0); tf.broadcast_to(a, [2, 3]); tf.reverse(a, [0]); tf.sin(a)
tf.add(tf.add(a, 1.0), 2.0)
"""


def expressions() -> dict[str, list[int]]:
    """Expressions of `tf` and `a`, and the shape of the float32 tensor `a`."""
    found = {}
    for text, shape in ((SCALAR, []), (VECTOR, [3])):
        found |= {each.strip(): shape for each in text.strip().replace("\n", ";").split(";")}
    return found


def names(tf, expression: str, shape: list[int]) -> list[str]:
    """The names of the nodes of a traced expression, constants aside from their order."""
    function = tf.function(lambda a: eval(expression, {"tf": tf, "a": a}), autograph=False)
    graph = function.get_concrete_function(tf.TensorSpec(shape)).graph.as_graph_def()
    return sorted(node.name for node in graph.node)
