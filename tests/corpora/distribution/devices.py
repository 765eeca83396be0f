"""Programs that place ops and variables on devices."""

from __future__ import annotations

from typing import Any

from corpora.distribution.outcomes import Programs, attempt, short

programs = Programs()


def place(tf: Any, name: Any) -> Any:
    """Where an op runs in a block of a device, or the error of entering it."""

    def run() -> str:
        with tf.device(name):
            return short((tf.constant([1.0, 2.0]) + 1.0).device)

    return attempt(run)


def nodes(function: Any) -> list[list[str]]:
    """The names and devices of a trace's operations."""
    return [[o.name, o.device] for o in function.graph.get_operations()]


@programs
def listed(tf: Any) -> Any:
    return [
        [[d.name, d.device_type] for d in tf.config.list_logical_devices()],
        [[d.name, d.device_type] for d in tf.config.list_logical_devices("CPU")],
        [[d.name, d.device_type] for d in tf.config.list_logical_devices("GPU")],
        [[d.name, d.device_type] for d in tf.config.list_physical_devices()],
        [[d.name, d.device_type] for d in tf.config.get_visible_devices()],
    ]


@programs
def divided(tf: Any) -> Any:
    cpu = tf.config.list_physical_devices("CPU")[0]
    return len(tf.config.get_logical_device_configuration(cpu))


@programs
def divided_too_late(tf: Any) -> Any:
    tf.constant(1.0)
    cpu = tf.config.list_physical_devices("CPU")[0]
    again = [tf.config.LogicalDeviceConfiguration() for _ in range(4)]
    other = again[:2]
    words = []
    for parts in (again, other):
        try:
            tf.config.set_logical_device_configuration(cpu, parts)
            words.append("")
        except RuntimeError as error:
            words.append(str(error).splitlines()[0])
    return words


@programs
def forms_of_names(tf: Any) -> Any:
    names = [
        "/device:CPU:1", "/cpu:1", "/CPU:1", "cpu:1", "CPU:1", "/device:cpu:1", "device:CPU:1",
        "/job:localhost/replica:0/task:0/device:CPU:1", "/job:localhost/device:CPU:2",
        "/replica:0/task:0/device:CPU:3", "/task:0/cpu:1", "CPU", "/cpu", "/device:CPU:*", "",
        "/job:localhost", "/device:CPU", "/job:localhost/task:0/cpu:3", "/job:localhost/cpu:*",
    ]  # fmt: skip
    return {name: place(tf, name) for name in names}


@programs
def wrong_names(tf: Any) -> Any:
    names = [
        "/cpu:4", "/gpu:0", "/device:GPU:0", "/device:TPU:0", "/device:FOO:0", "foo", "/foo:0", "/job:worker/cpu:0",
        "/job:localhost/task:1/cpu:0", "/replica:1/cpu:0", "/cpu:x", "cpu:1:2", "/cpu:0/cpu:1", "/cpu:-1", "//cpu:0",
        "/device:CPU:9", "/job:localhost/replica:0/task:0/device:GPU:0", " /cpu:0", "/CPU:01",
    ]  # fmt: skip
    return {name: place(tf, name) for name in names}


@programs
def wrong_names_without_soft_placement(tf: Any) -> Any:
    tf.config.set_soft_device_placement(False)
    names = ["/cpu:4", "/gpu:0", "/device:TPU:0", "/cpu:1", "foo", "/job:worker/cpu:0", "/device:FOO:0"]
    return [tf.config.get_soft_device_placement(), {name: place(tf, name) for name in names}]


@programs
def no_names(tf: Any) -> Any:
    return [place(tf, name) for name in (3, 1.5, ["/cpu:1"], ("/cpu:1",), {}, b"/cpu:1", object, lambda o: "/cpu:1")]


@programs
def none(tf: Any) -> Any:
    with tf.device("/cpu:1"), tf.device(None):
        x = tf.constant(1.0)
    return [place(tf, None), short(x.device)]


@programs
def nested(tf: Any) -> Any:
    found = []
    with tf.device("/cpu:1"):
        found.append(tf.constant(1.0).device)
        with tf.device("/cpu:2"):
            found.append(tf.constant(1.0).device)
            with tf.device("/job:localhost"):
                found.append(tf.constant(1.0).device)
            with tf.device(None):
                found.append(tf.constant(1.0).device)
            with tf.device(""):
                found.append(tf.constant(1.0).device)
        found.append(tf.constant(1.0).device)
    found.append(tf.constant(1.0).device)
    return [short(d) for d in found]


@programs
def merged(tf: Any) -> Any:
    found = []
    with tf.device("/device:CPU:2"):
        for name in ("/device:CPU:*", "/cpu", "/device:CPU", "/task:0", "/gpu", "/device:GPU:*", "/gpu:0", "", None):
            found.append(place(tf, name))
    return found


@programs
def left_by_an_error(tf: Any) -> Any:
    try:
        with tf.device("/cpu:1"):
            raise KeyError
    except KeyError:
        pass
    return short(tf.constant(1.0).device)


@programs
def used_twice(tf: Any) -> Any:
    scope = tf.device("/cpu:1")

    def again() -> str:
        with scope:
            return short(tf.constant(1.0).device)

    return [again(), attempt(again)]


@programs
def of_logical_devices(tf: Any) -> Any:
    return [place(tf, d.name) for d in tf.config.list_logical_devices()] + [
        attempt(place, tf, tf.config.list_logical_devices()[1])
    ]


@programs
def results_stay(tf: Any) -> Any:
    with tf.device("/cpu:1"):
        x = tf.constant([1.0, 2.0])
    y = x + 1.0
    with tf.device("/cpu:2"):
        z = x * 2.0
    return [short(x.device), short(y.device), short(z.device), short((x + z).device), z]


@programs
def identities(tf: Any) -> Any:
    with tf.device("/cpu:1"):
        x = tf.constant([1.0, 2.0])
    with tf.device("/cpu:3"):
        y = tf.identity(x)
        z = tf.convert_to_tensor(x)
    return [short(x.device), short(y.device), short(z.device), x is z, short(tf.identity(y).device), y]


@programs
def copies_to(tf: Any) -> Any:
    x = tf.constant([1.0, 2.0])
    return [short(x.cpu().device), attempt(lambda: x.gpu().device), short(x.backing_device)]


@programs
def small_integers(tf: Any) -> Any:
    with tf.device("/cpu:1"):
        x = tf.constant(3)
        y = x + 1
        z = tf.range(3)
        w = tf.shape(tf.constant([1.0, 2.0]))
    return [short(t.device) for t in (x, y, z, w)]


@programs
def many_results(tf: Any) -> Any:
    with tf.device("/cpu:1"):
        parts = tf.split(tf.constant([1.0, 2.0]), 2)
        top = tf.math.top_k(tf.constant([1.0, 2.0]), 1)
        unstacked = tf.unstack(tf.constant([1.0, 2.0]))
    return [short(t.device) for t in (*parts, *top, *unstacked)]


@programs
def strings(tf: Any) -> Any:
    with tf.device("/cpu:2"):
        s = tf.strings.join(["a", "b"])
    return [short(s.device), s]


@programs
def random_numbers(tf: Any) -> Any:
    with tf.device("/cpu:2"):
        x = tf.random.stateless_uniform([2], [1, 2])
        y = tf.random.normal([2])
    return [short(x.device), short(y.device), x]


@programs
def variables(tf: Any) -> Any:
    with tf.device("/cpu:1"):
        v = tf.Variable([1.0, 2.0])
    places = [v.device, v.handle.device, v.read_value().device, v.value().device, (v + 1.0).device]
    places += [tf.identity(v).device, tf.convert_to_tensor(v).device]
    with tf.device("/cpu:2"):
        places += [v.read_value().device, v.value().device, (v + 1.0).device, tf.identity(v).device]
        places += [tf.convert_to_tensor(v).device]
    return [short(d) for d in places]


@programs
def assignments_stay(tf: Any) -> Any:
    with tf.device("/cpu:1"):
        v = tf.Variable(1.0)
    with tf.device("/cpu:3"):
        v.assign(2.0)
        v.assign_add(tf.constant(3.0))
    return [short(v.device), short(v.read_value().device), v]


@programs
def gathers_of_variables(tf: Any) -> Any:
    with tf.device("/cpu:1"):
        v = tf.Variable([1.0, 2.0])
    return [short(d) for d in (v.sparse_read([0]).device, tf.gather(v, [0]).device, v[0].device, v.device)]


@programs
def variables_by_default(tf: Any) -> Any:
    v = tf.Variable(1.0)
    return [short(v.device), short((v + 1.0).device)]


@programs
def variables_of_tensors(tf: Any) -> Any:
    with tf.device("/cpu:1"):
        x = tf.constant(1.0)
    v = tf.Variable(x)
    with tf.device("/cpu:2"):
        w = tf.Variable(lambda: x * 2.0)
    return [short(v.device), short(w.device), v, w]


@programs
def variables_on_wrong_devices(tf: Any) -> Any:
    def make(name: str) -> Any:
        with tf.device(name):
            return short(tf.Variable(1.0).device)

    return {name: attempt(make, name) for name in ("/gpu:0", "/cpu:7", "/cpu", "foo", "/job:worker")}


@programs
def gradients(tf: Any) -> Any:
    with tf.device("/cpu:1"):
        v = tf.Variable(3.0)
    with tf.GradientTape() as tape, tf.device("/cpu:2"):
        y = v * v
    g = tape.gradient(y, v)
    return [short(y.device), g]


@programs
def tapes_inside(tf: Any) -> Any:
    x = tf.constant(3.0)
    with tf.device("/cpu:2"):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        g = tape.gradient(y, x)
    return [short(y.device), short(g.device), g]


@programs
def tapes_around(tf: Any) -> Any:
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        with tf.device("/cpu:3"):
            y = x * x
        z = y + 1.0
    return [tape.gradient(z, x), short(y.device), short(z.device)]


@programs
def functions_of_eager_devices(tf: Any) -> Any:
    f = tf.function(lambda x: x * 2.0)
    with tf.device("/cpu:1"):
        y = f(tf.constant([1.0, 2.0]))
        z = f(tf.constant([1.0, 2.0]))
    return [short(y.device), short(z.device), short(f(tf.constant([1.0, 2.0])).device), y]


@programs
def traces_for_devices(tf: Any) -> Any:
    f = tf.function(lambda x: x * 2.0)
    x = tf.constant([1.0, 2.0])
    for _ in range(2):
        f(x)
        with tf.device("/cpu:1"):
            f(x)
        with tf.device("/cpu:2"):
            f(x)
    return f.experimental_get_tracing_count()


@programs
def devices_inside_functions(tf: Any) -> Any:
    @tf.function
    def f(x: Any) -> Any:
        with tf.device("/cpu:1"):
            y = x * 2.0
        with tf.device("/cpu:2"):
            z = y + 1.0
        return y, z, z - y

    return [short(t.device) for t in f(tf.constant([1.0, 2.0]))] + [list(f(tf.constant([1.0, 2.0])))]


@programs
def results_of_functions(tf: Any) -> Any:
    @tf.function
    def f(x: Any) -> Any:
        with tf.device("/cpu:2"):
            return x * 2.0

    y = f(tf.constant([1.0, 2.0]))
    return [short(y.device), y]


@programs
def nodes_carry_devices(tf: Any) -> Any:
    @tf.function
    def f(x: Any) -> Any:
        with tf.device("/cpu:1"):
            y = x * 2.0
        with tf.device("/device:CPU:2"):
            z = y + 1.0
        return z - y

    concrete = f.get_concrete_function(tf.TensorSpec([2]))
    return [nodes(concrete), [y.device for y in concrete.outputs]]


@programs
def graph_defs_carry_devices(tf: Any) -> Any:
    @tf.function
    def f(x: Any) -> Any:
        with tf.device("/job:localhost/device:CPU:1"):
            y = x * 2.0
        return y + 1.0

    graph = f.get_concrete_function(tf.TensorSpec([2])).graph.as_graph_def()
    return [[n.name, n.device] for n in graph.node]


@programs
def nodes_of_nested_devices(tf: Any) -> Any:
    @tf.function
    def f(x: Any) -> Any:
        with tf.device("/cpu:1"), tf.device("/job:localhost"):
            x = tf.abs(x)
        with tf.device("/job:localhost/cpu:1"), tf.device("/cpu:2"):
            x = tf.exp(x)
        with tf.device("/cpu:1"), tf.device(None):
            x = tf.sin(x)
        with tf.device("/cpu:1"), tf.device(""):
            x = tf.cos(x)
        with tf.device("/gpu:0"):
            x = tf.tan(x)
        return x

    return nodes(f.get_concrete_function(tf.TensorSpec([2])))


@programs
def functions_of_operations(tf: Any) -> Any:
    def where(operation: Any) -> str:
        return "/cpu:1" if operation.type == "Mul" else "/device:CPU:2"

    @tf.function
    def f(x: Any) -> Any:
        with tf.device(where):
            return tf.exp(x * 2.0)

    return [attempt(f, tf.constant(1.0)), attempt(place, tf, where)]


@programs
def traced_under_a_device(tf: Any) -> Any:
    f = tf.function(lambda x: x * 2.0)
    with tf.device("/cpu:1"):
        concrete = f.get_concrete_function(tf.TensorSpec([2]))
    return nodes(concrete)


@programs
def wrong_names_in_functions(tf: Any) -> Any:
    def of(name: Any) -> Any:
        @tf.function
        def f(x: Any) -> Any:
            with tf.device(name):
                return x * 2.0

        return f(tf.constant([1.0, 2.0]))

    names = ["/cpu:4", "/gpu:0", "/device:TPU:0", "foo", "/job:worker/cpu:0", "/job:localhost/task:1/cpu:0"]
    soft = {name: attempt(of, name) for name in names}
    tf.config.set_soft_device_placement(False)
    hard = {name: attempt(of, name) for name in names}
    return [soft, hard]


@programs
def devices_of_symbolic_tensors(tf: Any) -> Any:
    seen = []

    @tf.function
    def f(x: Any) -> Any:
        seen.append(x.device)
        with tf.device("/cpu:1"):
            y = x + 1.0
        seen.append(y.device)
        seen.append((y + 1.0).device)
        return y

    f(tf.constant(1.0))
    return seen


@programs
def variables_in_functions(tf: Any) -> Any:
    with tf.device("/cpu:1"):
        v = tf.Variable(1.0)

    @tf.function
    def f() -> Any:
        with tf.device("/cpu:2"):
            v.assign_add(1.0)
            return v + 1.0

    y = f()
    return [y, short(y.device), short(v.device), v]


@programs
def reads_in_functions(tf: Any) -> Any:
    with tf.device("/cpu:1"):
        v = tf.Variable([1.0, 2.0])

    @tf.function
    def f() -> Any:
        return v.read_value(), v * 2.0, tf.constant(1.0)

    return [short(y.device) for y in f()]


@programs
def variables_made_in_functions(tf: Any) -> Any:
    made = []

    @tf.function
    def f(x: Any) -> Any:
        if not made:
            with tf.device("/cpu:2"):
                made.append(tf.Variable(2.0))
        return made[0] * x

    y = f(tf.constant(3.0))
    return [y, short(made[0].device)]


@programs
def branches_on_devices(tf: Any) -> Any:
    @tf.function
    def f(x: Any) -> Any:
        if x > 0.0:
            with tf.device("/cpu:1"):
                y = x * 2.0
        else:
            with tf.device("/cpu:2"):
                y = x - 1.0
        return y

    return [f(tf.constant(1.0)), f(tf.constant(-1.0))]


@programs
def loops_on_devices(tf: Any) -> Any:
    @tf.function
    def f(n: Any) -> Any:
        total = 0
        for i in tf.range(n):
            with tf.device("/cpu:1"):
                total += i
        return total

    return f(tf.constant(5))


@programs
def calls_on_devices(tf: Any) -> Any:
    @tf.function
    def inner(x: Any) -> Any:
        return x * 2.0

    @tf.function
    def outer(x: Any) -> Any:
        with tf.device("/cpu:1"):
            return inner(x)

    y = outer(tf.constant([1.0, 2.0]))
    return [short(y.device), y]


@programs
def eager_scopes_lifted(tf: Any) -> Any:
    seen = []

    @tf.function
    def f(x: Any) -> Any:
        with tf.device("/cpu:1"), tf.init_scope():
            seen.append(short(tf.constant(1.0).device))
        return x

    f(tf.constant(1.0))
    return seen


@programs
def control_dependencies_on_devices(tf: Any) -> Any:
    v = tf.Variable(1.0)

    @tf.function
    def f() -> Any:
        with tf.device("/cpu:3"), tf.control_dependencies([v.assign(5.0)]):
            return v.read_value()

    return f()


@programs
def run_eagerly(tf: Any) -> Any:
    tf.config.run_functions_eagerly(True)
    try:

        @tf.function
        def f(x: Any) -> Any:
            with tf.device("/cpu:1"):
                return x * 2.0

        return short(f(tf.constant(2.0)).device)
    finally:
        tf.config.run_functions_eagerly(False)


@programs
def threads(tf: Any) -> Any:
    import threading

    found = []

    def other() -> None:
        found.append(short(tf.constant(1.0).device))

    with tf.device("/cpu:2"):
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
        found.append(short(tf.constant(1.0).device))
    return found


@programs
def datasets_on_devices(tf: Any) -> Any:
    with tf.device("/cpu:1"):
        elements = list(tf.data.Dataset.range(3))
    return [[short(x.device) for x in elements], [int(x) for x in elements]]


@programs
def composites_on_devices(tf: Any) -> Any:
    with tf.device("/cpu:1"):
        r = tf.ragged.constant([[1], [2, 3]])
        s = tf.sparse.from_dense([0, 1])
    return [short(r.values.device), short(s.values.device)]


@programs
def specs_of_devices(tf: Any) -> Any:
    spec = tf.DeviceSpec(job="localhost", replica=0, task=0, device_type="CPU", device_index=1)
    other = tf.DeviceSpec.from_string("/job:w/cpu:2")
    merged = tf.DeviceSpec(device_type="CPU", device_index=3).make_merged_spec(tf.DeviceSpec(job="x", device_index=1))
    return [
        spec.to_string(), other.to_string(), merged.to_string(), [other.job, other.device_type, other.device_index, other.task],
        spec.replace(device_index=2).to_string(), spec == tf.DeviceSpec.from_string(spec.to_string()), place(tf, spec),
        attempt(tf.DeviceSpec.from_string, "foo"), attempt(tf.DeviceSpec.from_string, "/cpu:0/gpu:1"),
        tf.DeviceSpec.from_string("/task:1/device:GPU:*").to_string(), tf.DeviceSpec().to_string(), hash(spec) == hash(spec), repr(spec),
        other.parse_from_string("/gpu:1").to_string(), tf.DeviceSpec(device_index=-1).to_string(), tf.DeviceSpec(device_type="CPU", device_index="1").to_string(),
    ]  # fmt: skip


@programs
def devices_of_names_in_text(tf: Any) -> Any:
    with tf.device("/cpu:1"):
        v = tf.Variable(1.0, name="w")
        x = tf.constant(1.0)
    return [repr(v), repr(x)]


@programs
def pickled(tf: Any) -> Any:
    import copy

    with tf.device("/cpu:1"):
        x = tf.constant([1.0])
        v = tf.Variable(1.0)
    return [short(copy.copy(x).device), short(copy.deepcopy(x).device), short(copy.deepcopy(v).device)]


@programs
def counts(tf: Any) -> Any:
    return [
        len(tf.config.experimental.list_logical_devices("CPU")),
        len(tf.config.experimental.list_physical_devices("CPU")),
        attempt(tf.config.get_logical_device_configuration, tf.config.PhysicalDevice("/physical_device:CPU:1", "CPU")),
        attempt(tf.config.set_logical_device_configuration, None, []),
    ]


@programs
def tests_names(tf: Any) -> Any:
    return [tf.test.gpu_device_name(), tf.test.is_built_with_cuda(), tf.config.get_soft_device_placement()]


@programs
def variables_of_graphs(tf: Any) -> Any:
    with tf.Graph().as_default() as graph:
        with tf.device("/cpu:1"):
            v = tf.Variable(1.0)
        w = tf.Variable(1.0)
        tensors = [v, w, v.op, v.initializer, w.initializer, v.read_value()]
    kinds = ("VarHandleOp", "VarIsInitializedOp", "AssignVariableOp")
    return [
        [tensor.device for tensor in tensors],
        [[n.name, n.device] for n in graph.as_graph_def().node if n.op in kinds],
    ]
