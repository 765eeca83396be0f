"""The tier that traces begin in: a graph as generated straight-line Python over NumPy kernels.

Every kernel is bound once; host operands that are constants become literals. A value is let go
of after its last use: another one gets its name, or it is deleted.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

import numpy as np

from graphwright.compile.graph.kernel_refusals import Lines, bound, explain, noting
from graphwright.compile.graph.simplify import simple_graphs, simplify
from graphwright.compile.run.generated_text import identifier, make_function
from graphwright.compile.run.options import OPTIONS
from graphwright.compile.run.steps import Steps, is_plain
from graphwright.compile.select.native_op import Native, NativeUpdate, compile_together
from graphwright.control.branch import StatelessIf, not_scalar
from graphwright.control.loop import StatelessWhile
from graphwright.ir.execution import Function, function_of, is_pure, with_own_streams
from graphwright.ir.graph import Graph, Node, Value
from graphwright.op.op import host_value
from graphwright.ops.core.creation import Const, Placeholder
from graphwright.types.dtypes import DType
from graphwright.values.eager import REFUSALS
from graphwright.values.quiet import QUIET

#: Calls until a graph is worth its text: what that takes is spared in as many again.
_FIRST = 32

_DEPTH = 12  # of blocks in blocks: CPython allows 20 loops


#: What graphs go through before they are written.
Passes = Callable[[Graph], Graph]


def unchanged(graph: Graph) -> Graph:
    """A graph that is written as it is."""
    return graph


#: Given a node and the machine code that runs it, what is called in its place.
Observe = Callable[[Node, Callable[..., Any]], Callable[..., Any]]


def as_it_is(node: Node, native: Callable[..., Any]) -> Callable[..., Any]:
    """Machine code that nobody looks at."""
    return native


class GeneratedSource:
    """The text being generated and what its names stand for.

    Loops and branches become Python's, in the same function: an iteration costs no call. What
    is nested too deeply for that is called.
    """

    def __init__(
        self, graph: Graph, passes: Passes = unchanged, observe: Observe = as_it_is
    ) -> None:
        self.graph = graph
        self.observe = observe
        self.passes = passes  # what simplified graphs in it go through before they are written
        self.function = identifier(graph.name)
        self.lines: list[str] = []
        self.depth = 1
        self.names: dict[Value, str] = {}
        self.variables = 0  # how many names of variables there are
        self.free: list[str] = []  # those that mean nothing now
        self.kernels: dict[Any, str] = {}  # by op and dtypes
        self.bindings: dict[str, Any] = {"_host": host_value, "_refusals": REFUSALS}
        #: Nodes that run as machine code, their names in the text and those of what else does it.
        self.machine: list[tuple[Node, str, str]] = []
        self.nodes: Lines = {}
        self.bindings["_note"] = noting(self.nodes)
        self.last_use = last_uses(graph)

    def write(self) -> None:
        """One line a node, and what notes at which one an error was raised."""
        arguments = []
        for i, value in enumerate(self.graph.arguments):
            self.names[value] = f"a{i}"
            arguments.append(f"a{i}")
        self.lines.append(f"def {self.function}({', '.join(arguments)}):")
        self.line("try:")
        self.depth += 1
        for node in self.graph.nodes:
            self.node(node)
        results = "".join(f"{self.names[v]}, " for v in self.graph.results)
        self.line(f"return ({results})")
        self.depth -= 1
        self.line("except _refusals as error:")
        self.line("    _note(error, globals(), locals())")
        self.line("    raise")

    def line(self, text: str, node: Node | None = None) -> None:
        """A line of the current block, and the node that it is for."""
        self.lines.append("    " * self.depth + text)
        if node is not None:
            self.nodes[len(self.lines)] = node, tuple([self.names[v] for v in node.inputs])

    @property
    def text(self) -> str:
        """What was written."""
        return "\n".join(self.lines) + "\n"

    @property
    def segments(self) -> list[Any]:
        """What of it runs as machine code."""
        return [node.op for node, _, _ in self.machine]

    def link(self) -> Function:
        """The function that was written, its segments compiled."""
        compile_together(self.segments)
        for op, (node, native, fallback) in zip(self.segments, self.machine):
            run = op.function() if fallback else op.update()
            self.bindings[native] = self.observe(node, run)
            if fallback:
                self.bindings[fallback] = op.fallback()
        return make_function(self.text, self.bindings)

    def node(self, node: Node) -> None:
        """The statements that compute a node's outputs, and the deletion of what died."""
        op = node.op
        if isinstance(op, Placeholder):
            return
        if isinstance(op, Const):
            self.names[node.outputs[0]] = self.bind("k", op.value.array)
            self.last_use[node.outputs[0]] = None
        elif isinstance(op, StatelessWhile) and self.depth < _DEPTH:
            self.loop(node, op)
        elif isinstance(op, StatelessIf) and self.depth < _DEPTH:
            self.branch(node, op)
        else:
            self.assign(node, self.native(node, op) if isinstance(op, Native) else self.call(node))

    def native(self, node: Node, op: Native) -> str:
        """A call of machine code, and of what does the same where that cannot."""
        arguments = ", ".join(self.names[v] for v in node.inputs)
        native = self.bind("n", None)
        fallback = "" if isinstance(op, NativeUpdate) else self.bind("s", None)
        self.machine.append((node, native, fallback))
        return f"{native}({arguments})" + (fallback and f" or {fallback}({arguments})")

    def assign(self, node: Node, call: str) -> None:
        """A kernel's call, and its results' names: first those of operands that it is the last to
        need."""
        dead = self.dead(node.inputs, node)
        left = [name for name in dead if is_variable(name)]
        targets = [left.pop() if left else self.name() for _ in node.outputs]
        self.names.update(zip(node.outputs, targets))
        if not targets:
            self.line(call, node)
        elif len(targets) == 1 and not node.op.returns_tuple:
            self.line(f"{targets[0]} = {call}", node)
        else:
            self.line(f"{', '.join(targets)}, = {call}", node)
        self.let_go([name for name in dead if name not in targets])
        self.let_go(self.dead(node.outputs, node))

    def loop(self, node: Node, op: StatelessWhile) -> None:
        """A loop: its variables are the names of its results."""
        condition, body = map(self.passes, simple_graphs(op))
        given = [self.names[v] for v in node.inputs]
        variables = self.named(node.outputs)
        count = len(variables)
        if variables:
            self.line(f"{', '.join(variables)}, = {', '.join(given[:count])},", node)
        kept = set(node.inputs[count:])
        begin = [v for v in node.inputs if v not in kept and self.last_use.get(v) is node]
        gone = self.dead(begin, node)  # what the loop begins with
        self.let_go(gone)
        self.free = [name for name in self.free if name not in gone]  # an error may ask for them
        self.last_use.update(dict.fromkeys(begin, None))
        self.line("while True:")
        self.depth += 1
        self.block(condition, [*variables, *given[count:]], condition.arguments)
        again = condition.results[0]
        self.stop_unless_scalar(self.names[again], again, node)
        self.line(f"if not {self.names[again]}: break", node)
        self.block(body, [*variables, *given[count:]], body.arguments[count:])
        self.move(body, variables)
        self.depth -= 1
        self.free += filter(is_variable, gone)
        self.let_go(self.dead((*node.inputs, *node.outputs), node))

    def branch(self, node: Node, op: StatelessIf) -> None:
        """A branch, each side of which assigns the results."""
        condition, *given = [self.names[v] for v in node.inputs]
        results = self.named(node.outputs)
        self.stop_unless_scalar(condition, node.inputs[0], node)
        for text, side in zip((f"if {condition}:", "else:"), simple_graphs(op)):
            graph = self.passes(side)
            self.line(text, node)
            self.depth += 1
            self.block(graph, given, graph.arguments)
            self.line("pass")
            self.move(graph, results)
            self.depth -= 1
        self.let_go(self.dead((*node.inputs, *node.outputs), node))

    def block(self, graph: Graph, arguments: Sequence[str], kept: Sequence[Value]) -> None:
        """A graph's nodes in the current block; the arguments `kept` are not deleted there."""
        self.last_use.update(last_uses(graph))
        self.last_use.update(dict.fromkeys(kept, None))
        self.names.update(zip(graph.arguments, arguments))
        for node in graph.nodes:
            self.node(node)

    def move(self, graph: Graph, targets: Sequence[str]) -> None:
        """Assigns a block's results, and lets go of their own names."""
        pairs = [(t, self.names[v]) for t, v in zip(targets, graph.results)]
        pairs = [(target, source) for target, source in pairs if target != source]
        if pairs:
            left, right = ", ".join(t for t, _ in pairs), ", ".join(s for _, s in pairs)
            self.line(f"{left} = {right}")
        arguments = set(graph.arguments)
        own = [
            self.names[v]
            for v in graph.results
            if v not in arguments and not isinstance(v.node.op, Const)
        ]
        self.let_go([name for name in dict.fromkeys(own) if name not in targets])
        # A loop's variable may have been let go of in its body, before it got the next value.
        self.free = [name for name in self.free if name not in targets]

    def stop_unless_scalar(self, name: str, value: Value, node: Node) -> None:
        """Refuses a condition with axes, where its rank is not known."""
        if value.type.rank != 0:
            self.line(f"if {name}.shape: raise {self.bind('e', not_scalar)}({name})", node)

    def call(self, node: Node) -> str:
        """The kernel's call."""
        mask = node.op.host_mask(len(node.inputs))
        types = [v.type.dtype for v, host in zip(node.inputs, mask) if not host]
        kernel = self.kernel(node, types)
        arguments = [self.host(v) if host else self.names[v] for v, host in zip(node.inputs, mask)]
        return f"{kernel}({', '.join(arguments)})"

    def kernel(self, node: Node, types: Sequence[DType]) -> str:
        """The name of a node's kernel: one for all places of an op, if none has its own stream."""
        op = node.op
        key = (id(op), *types)
        found = self.kernels.get(key)
        if found is None:
            own = with_own_streams(op)
            found = self.bind("f", bound(node, own, types))
            if own is op and not op.has_stream:
                self.kernels[key] = found
        return found

    def host(self, value: Value) -> str:
        """A host operand: a literal where it is a constant, else converted when it runs."""
        if isinstance(value.node.op, Const):
            return self.bind("h", host_value(value.node.op.value.array))
        return f"_host({self.names[value]})"

    def named(self, values: Iterable[Value]) -> list[str]:
        """Variables for values."""
        names = [self.name() for _ in values]
        self.names.update(zip(values, names))
        return names

    def name(self) -> str:
        """A variable."""
        if self.free:
            return self.free.pop()
        self.variables += 1
        return f"v{self.variables}"

    def bind(self, prefix: str, thing: Any) -> str:
        """A global name for an object."""
        name = f"{prefix}{len(self.bindings)}"
        if name == self.function:  # somebody's function may be called `f2`
            name += "_"
        self.bindings[name] = thing
        return name

    def dead(self, values: Iterable[Value], node: Node) -> list[str]:
        """The names of those that `node` is the last to need: nobody else, if it makes them."""
        last = self.last_use
        return [self.names[v] for v in dict.fromkeys(values) if last.get(v, v.node) is node]

    def let_go(self, names: Collection[str]) -> None:
        """Deletes variables; others may get their names."""
        if names:
            self.line(f"del {', '.join(names)}")
            self.free += filter(is_variable, names)


def is_variable(name: str) -> bool:
    """Whether a name is one that is given to values, not an argument's."""
    return name[0] == "v"


def last_uses(graph: Graph) -> dict[Value, Node | None]:
    """The last node that uses each value; None for results, which outlive all."""
    last: dict[Value, Node | None] = {}
    for node in graph.nodes:
        for value in node.inputs:
            last[value] = node
    last.update(dict.fromkeys(graph.results, None))
    return last


def written(
    graph: Graph, passes: Passes = unchanged, observe: Observe = as_it_is
) -> GeneratedSource:
    """A simplified graph as the text of a Python function of arrays, returning a tuple of arrays.

    What a kernel raises about its arguments leaves it as an error that names the op and
    the user's line. `passes` is what the graph, and the simplified ones of its loops, go through
    before; `observe` may wrap the machine code of its segments.
    """
    source = GeneratedSource(passes(graph), passes, observe)
    source.write()
    return source


def build(graph: Graph) -> Function:
    """The graph as a Python function of arrays, returning a tuple of arrays."""
    return written(simplify(graph)).link()


def runner(graph: Graph, function: Function | None = None) -> Callable[..., tuple[Any, ...]]:
    """What a call of the graph runs: the function, with NumPy's warnings off.

    If none is given it is that of the graph, which is made once the graph was called often: the
    first calls are made in steps.
    """
    if function is None:
        if graph.function is None and is_plain(graph) and OPTIONS.get("native") != "check":
            steps, left = Steps(graph), iter(range(_FIRST))

            def first(*arrays: Any) -> tuple[Any, ...]:
                nonlocal function
                if next(left, None) is not None:
                    return steps(*arrays)
                function = function_of(graph)
                return function(*arrays)

            function = first
        else:
            function = function_of(graph)

    if is_pure(graph):

        def run(*arrays: Any) -> tuple[Any, ...]:
            try:
                return QUIET.run(function, *arrays)  # type: ignore[no-any-return]
            except REFUSALS as error:
                raise explain(error) from error
    else:

        def run(*arrays: Any) -> tuple[Any, ...]:
            try:
                with np.errstate(all="ignore"):
                    return function(*arrays)
            except REFUSALS as error:
                raise explain(error) from error

    return run
