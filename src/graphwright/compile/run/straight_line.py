"""The first tier of traces: a graph as generated straight-line Python over NumPy kernels.

Every kernel is bound once, and constant host operands become literals. After the last use of a
value another one gets its name, or the name is deleted.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np

from graphwright.compile.graph.kernel_refusals import Lines, bound, explain, noting
from graphwright.compile.graph.simplify import simple_graphs, simplify
from graphwright.compile.run.generated_text import identifier, make_function
from graphwright.compile.run.loop_counts import LoopCount, count_of
from graphwright.compile.run.loop_heads import LoopHead
from graphwright.compile.run.options import OPTIONS
from graphwright.compile.run.steps import Steps, is_plain
from graphwright.compile.select.native_op import Native, NativeUpdate, compile_together
from graphwright.control.branch import StatelessIf, not_scalar
from graphwright.control.loop import StatelessWhile
from graphwright.ir.draws import Draws, Kernel, StreamPosition
from graphwright.ir.execution import (
    Function,
    draws_numbers,
    function_of,
    is_pure,
    with_own_streams,
)
from graphwright.ir.graph import Graph, Node, Value
from graphwright.op.op import Op, host_value
from graphwright.ops.core.creation import Const, Placeholder
from graphwright.types.dtypes import DType
from graphwright.values.eager import REFUSALS
from graphwright.values.quiet import QUIET

#: The calls after which a graph is worth its text: as many more calls save the time for that.
_FIRST = 32

_DEPTH = 12  # of nested blocks: CPython allows 20 loops


#: The passes over a graph before it is written.
Passes: TypeAlias = Callable[[Graph], Graph]


def unchanged(graph: Graph) -> Graph:
    """The graph as it is."""
    return graph


#: (node, its machine code) -> the function that is called in place of that code.
Observe: TypeAlias = Callable[[Node, Callable[..., Any]], Callable[..., Any]]


def as_it_is(node: Node, native: Callable[..., Any]) -> Callable[..., Any]:
    """The machine code as it is."""
    return native


class GeneratedSource:
    """The generated text of a graph, and the objects behind its names.

    Loops and branches become Python's, in the same function, so an iteration costs no call. Those
    that are nested too deeply stay calls of kernels. With `has_heads`, loops that take long go on
    as machine code. If the graph is such a loop, `around` names those around it, and the function
    takes a list, which it empties: nobody else holds what the loop begins with.
    """

    def __init__(
        self,
        graph: Graph,
        passes: Passes = unchanged,
        observe: Observe = as_it_is,
        draws: Draws | None = None,
        around: Sequence[str] | None = None,
        has_heads: bool = False,
    ) -> None:
        self.graph = graph
        self.draws = Draws() if draws is None else draws
        self.takes_list = around is not None
        self.around = [*(around or ())]  # the loops and branches whose graphs are being written
        self.has_heads = has_heads
        self.inside = [graph]  # the graphs that are being written
        self.observe = observe
        self.passes = passes  # over the simplified graphs inside it
        self.function = identifier(graph.name)
        self.lines: list[str] = []
        self.depth = 1
        self.names: dict[Value, str] = {}
        self.variables = 0  # the number of names of variables
        self.free: list[str] = []  # names without a value
        self.kernels: dict[Any, str] = {}  # by op and dtypes
        self.bindings: dict[str, Any] = {"_host": host_value, "_refusals": REFUSALS}
        #: Nodes that run as machine code, with its name in the text and that of the fallback.
        self.machine: list[tuple[Node, str, str]] = []
        self.nodes: Lines = {}
        self.bindings["_note"] = noting(self.nodes)
        self.last_use = last_uses(graph)
        self.has_loops = False  # in Python

    def write(self) -> None:
        """Writes the function: a line for each node, and a handler that notes an error's line."""
        arguments = []
        for i, value in enumerate(self.graph.arguments):
            self.names[value] = f"a{i}"
            arguments.append(f"a{i}")
        named = ", ".join(arguments)
        self.lines.append(f"def {self.function}({'arguments' if self.takes_list else named}):")
        if self.takes_list:
            self.line(f"{named}, = arguments" if named else "pass")
            self.line("arguments.clear()")
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
        """Adds a line to the current block, and notes its node."""
        self.lines.append("    " * self.depth + text)
        if node is not None:
            self.nodes[len(self.lines)] = node, tuple([self.names[v] for v in node.inputs])

    @property
    def text(self) -> str:
        """The text of the function."""
        return "\n".join(self.lines) + "\n"

    @property
    def segments(self) -> list[Any]:
        """The ops that run as machine code."""
        return [node.op for node, _, _ in self.machine]

    def link(self, is_quick: bool = False) -> Function:
        """The written function, with its segments compiled, quickly at first if that is wanted."""
        compile_together(self.segments, is_quick)
        for op, (node, native, fallback) in zip(self.segments, self.machine):
            run = op.function() if fallback else op.update()
            self.bindings[native] = self.observe(node, run)
            if fallback:
                self.bindings[fallback] = op.fallback()
        return make_function(self.text, self.bindings)

    def node(self, node: Node) -> None:
        """Writes the statements that compute a node's outputs and delete dead values."""
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
        """The call of machine code, with that of the fallback."""
        arguments = ", ".join(self.names[v] for v in node.inputs)
        native = self.bind("n", None)
        fallback = "" if isinstance(op, NativeUpdate) else self.bind("s", None)
        self.machine.append((node, native, fallback))
        return f"{native}({arguments})" + (fallback and f" or {fallback}({arguments})")

    def assign(self, node: Node, call: str) -> None:
        """Writes a kernel's call, and names its results, first by the names of dying operands."""
        dead = self.dead(node.inputs, node)
        free = [name for name in dead if is_variable(name)]
        targets = [free.pop() if free else self.name() for _ in node.outputs]
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
        """Writes a loop, whose variables have the names of its results."""
        self.has_loops = True
        condition, body = map(self.passes, simple_graphs(op))
        operands = [self.names[v] for v in node.inputs]
        variables = self.named(node.outputs)
        count = len(variables)
        if variables:
            self.line(f"{', '.join(variables)}, = {', '.join(operands[:count])},", node)
        constant = set(node.inputs[count:])
        begin = [v for v in node.inputs if v not in constant and self.last_use.get(v) is node]
        dead = self.dead(begin, node)  # first values of the variables
        self.let_go(dead)
        self.free = [name for name in self.free if name not in dead]  # an error may show them
        self.last_use.update(dict.fromkeys(begin, None))
        counts = count_of(node, condition, body) if self.has_heads else None
        head = self.head(node, counts) if self.has_heads else ""
        ends = f"{variables[counts.variable]}, {operands[counts.limit]}" if counts else ""
        self.line(f"for _ in {head}.visit({ends}):" if head else "while True:")
        self.depth += 1
        self.around.append(f"{node.name} condition")
        self.block(condition, [*variables, *operands[count:]], condition.arguments)
        self.around[-1] = f"{node.name} body"
        again = condition.results[0]
        self.stop_unless_scalar(self.names[again], again, node)
        self.line(f"if not {self.names[again]}: break", node)
        self.block(body, [*variables, *operands[count:]], body.arguments[count:])
        self.around.pop()
        self.move(body, variables)
        self.depth -= 1
        if head:
            self.go_on(head, variables, operands[count:])
        self.free += filter(is_variable, dead)
        self.let_go(self.dead((*node.inputs, *node.outputs), node))

    def head(self, node: Node, counts: LoopCount | None) -> str:
        """The name of the head of a loop, which counts its iterations."""
        return self.bind("l", LoopHead(node, self.inside[-1], self.draws, self.around, counts))

    def go_on(self, head: str, variables: Sequence[str], captured: Sequence[str]) -> None:
        """Writes what follows the last iteration in Python of a loop that goes on elsewhere."""
        self.line("else:")
        self.depth += 1
        named = ", ".join(variables)
        self.line(f"{head}_state = [{', '.join([*variables, *captured])}]")
        if named:
            self.line(f"del {named}")
        self.line(f"{named}{', = ' if named else ''}{head}.code({head}_state)")
        self.depth -= 1

    def branch(self, node: Node, op: StatelessIf) -> None:
        """Writes a branch, each side of which assigns the results."""
        condition, *operands = [self.names[v] for v in node.inputs]
        results = self.named(node.outputs)
        self.stop_unless_scalar(condition, node.inputs[0], node)
        texts = {"then": f"if {condition}:", "else": "else:"}
        for (name, text), side in zip(texts.items(), simple_graphs(op)):
            graph = self.passes(side)
            self.line(text, node)
            self.depth += 1
            self.around.append(f"{node.name} {name}")
            self.block(graph, operands, graph.arguments)
            self.around.pop()
            self.line("pass")
            self.move(graph, results)
            self.depth -= 1
        self.let_go(self.dead((*node.inputs, *node.outputs), node))

    def block(self, graph: Graph, arguments: Sequence[str], lasting: Sequence[Value]) -> None:
        """Writes a graph's nodes into the current block, which keeps the `lasting` arguments."""
        self.last_use.update(last_uses(graph))
        self.last_use.update(dict.fromkeys(lasting, None))
        self.names.update(zip(graph.arguments, arguments))
        self.inside.append(graph)
        for node in graph.nodes:
            self.node(node)
        self.inside.pop()

    def move(self, graph: Graph, targets: Sequence[str]) -> None:
        """Assigns a block's results to targets, and deletes their own names."""
        pairs = [(t, self.names[v]) for t, v in zip(targets, graph.results)]
        pairs = [(target, source) for target, source in pairs if target != source]
        if pairs:
            names, values = ", ".join(t for t, _ in pairs), ", ".join(s for _, s in pairs)
            self.line(f"{names} = {values}")
        arguments = set(graph.arguments)
        sources = [
            self.names[v]
            for v in graph.results
            if v not in arguments and not isinstance(v.node.op, Const)
        ]
        self.let_go([name for name in dict.fromkeys(sources) if name not in targets])
        # A loop's body may have deleted a variable before it got its next value.
        self.free = [name for name in self.free if name not in targets]

    def stop_unless_scalar(self, name: str, value: Value, node: Node) -> None:
        """Writes a check that a condition is a scalar, unless its rank says so."""
        if value.type.rank != 0:
            self.line(f"if {name}.shape: raise {self.bind('e', not_scalar)}({name})", node)

    def call(self, node: Node) -> str:
        """The call of a node's kernel."""
        mask = node.op.host_mask(len(node.inputs))
        types = [v.type.dtype for v, host in zip(node.inputs, mask) if not host]
        kernel = self.kernel(node, types)
        arguments = [self.host(v) if host else self.names[v] for v, host in zip(node.inputs, mask)]
        return f"{kernel}({', '.join(arguments)})"

    def kernel(self, node: Node, types: Sequence[DType]) -> str:
        """The name of a node's kernel: one for all places of an op, if none has its own stream.

        Other functions of the graph go on with the streams of a place: they share its kernel.
        """
        op = node.op
        key = (id(op), *types)
        name = self.kernels.get(key)
        if name is None:
            if draws_numbers(op):
                name = self.bind("f", self.drawing(node, op, types))
            else:
                name = self.kernels[key] = self.bind("f", bound(node, op, types))
        return name

    def drawing(self, node: Node, op: Op, types: Sequence[DType]) -> Kernel:
        """The kernel of a place with streams of its own."""
        if isinstance(op, StreamPosition):
            types = op.operand_types
            place = (*self.around, op.node, op.op.type_name, len(op.op.results), *types)
            return op.beside(self.draws.kernel(place, lambda: bound(node, op.op, types)))
        place = (*self.around, node.name, op.type_name, len(node.outputs), *types)
        return self.draws.kernel(place, lambda: bound(node, with_own_streams(op), types))

    def host(self, value: Value) -> str:
        """The text of a host operand: a literal for a constant, else a conversion."""
        if isinstance(value.node.op, Const):
            return self.bind("h", host_value(value.node.op.value.array))
        return f"_host({self.names[value]})"

    def named(self, values: Iterable[Value]) -> list[str]:
        """New variables for values."""
        names = [self.name() for _ in values]
        self.names.update(zip(values, names))
        return names

    def name(self) -> str:
        """A free or a new variable."""
        if self.free:
            return self.free.pop()
        self.variables += 1
        return f"v{self.variables}"

    def bind(self, prefix: str, thing: object) -> str:
        """A global name for an object."""
        name = f"{prefix}{len(self.bindings)}"
        if name == self.function:  # a function of the program may be called `f2`
            name += "_"
        self.bindings[name] = thing
        return name

    def dead(self, values: Iterable[Value], node: Node) -> list[str]:
        """The names of values that `node` is the last to use, or that it makes and nothing uses."""
        last = self.last_use
        return [self.names[v] for v in dict.fromkeys(values) if last.get(v, v.node) is node]

    def let_go(self, names: Collection[str]) -> None:
        """Deletes variables, whose names become free."""
        if names:
            self.line(f"del {', '.join(names)}")
            self.free += filter(is_variable, names)


def is_variable(name: str) -> bool:
    """Whether a name is a variable's, and no argument's."""
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
    graph: Graph,
    passes: Passes = unchanged,
    observe: Observe = as_it_is,
    draws: Draws | None = None,
    around: Sequence[str] | None = None,
    has_heads: bool = False,
) -> GeneratedSource:
    """A simplified graph as the text of a Python function of arrays that returns a tuple of arrays.

    An error of a kernel leaves it with the op and the program's line. `passes` are applied first,
    to the graph and to the simplified ones of its loops. `observe` may wrap the machine code of
    segments. `draws` has the kernels with streams that the graph's functions share. `around` and
    `has_heads` are those of `GeneratedSource`.
    """
    source = GeneratedSource(passes(graph), passes, observe, draws, around, has_heads)
    source.write()
    return source


def build(graph: Graph, draws: Draws | None = None, has_heads: bool = False) -> Function:
    """The graph as a Python function of arrays that returns a tuple of arrays.

    It goes on with the random numbers of `draws`; without them it begins anew. With `has_heads`,
    loops that take long go on as machine code.
    """
    return written(simplify(graph), draws=draws, has_heads=has_heads).link()


def runner(graph: Graph, function: Function | None = None) -> Callable[..., tuple[Any, ...]]:
    """The function that a call of the graph runs, with NumPy's warnings off.

    The default is the graph's own function, which is made once the graph was called often: the
    first calls run in steps.
    """
    if function is None:
        if graph.function is None and is_plain(graph) and OPTIONS.get("native") != "check":
            steps, remaining = Steps(graph), iter(range(_FIRST))

            def first(*arrays: Any) -> tuple[Any, ...]:
                nonlocal function
                if next(remaining, None) is not None:
                    return steps(*arrays)
                function = function_of(graph)
                return function(*arrays)

            function = first
        else:
            function = function_of(graph)

    if is_pure(graph):

        def run(*arrays: Any) -> tuple[Any, ...]:
            try:
                return QUIET.run(function, *arrays)
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
