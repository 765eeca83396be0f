"""Statements, as people write them.

A method whose name begins with `do_` writes one idiom: some lines, over what is in scope. It
returns False if it needs what there is not. Loops end after a few turns, whatever variables hold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from everyday.expressions import Expressions
from everyday.scope import BOOL, FLOAT, INT, Function, Scope, Shape, Type, Variable, is_known

#: How often each idiom is tried; others are tried once in this many.
_OFTEN = {
    "assign": 5, "again": 7, "augmented": 4, "if": 6, "for_range": 4, "while": 4, "swap": 2,
    "last_turn": 2, "loop_over_rows": 2, "exit": 3, "new_number": 2,
}  # fmt: skip
_RANGES = (*["tf.range({})"] * 5, "range({})", "tf.range({}, 0, -1)", "tf.range(1, {})")


class Loop(NamedTuple):
    """A loop around: what counts its turns, how many there are, whether `continue` goes on."""

    counter: str
    bound: str
    continues: bool = True


class Statements(Expressions):
    """Writes blocks of statements."""

    def start(self) -> None:
        """An empty function."""
        self.lines: list[str] = []
        self.indent = 1
        #: How many statements may still be written.
        self.budget = self.r.randint(4, 13)
        #: How many loops and branches are around.
        self.depth = 0
        #: Loops around, which `break` would end.
        self.loops: list[Loop | None] = []
        #: Early returns: where they stand in the lines, and what is in scope there.
        self.returns: list[tuple[int, Scope]] = []
        self.may_return = self.chance(0.25)
        self.states: list[Variable] = []
        self.idioms: list[Callable[[], bool]] = []
        self.weights: list[int] = []
        for name in sorted(dir(self)):
            if name.startswith("do_"):
                self.idioms.append(getattr(self, name))
                self.weights.append(_OFTEN.get(name[3:], 1))

    def line(self, text: str) -> None:
        """Writes one line of the present block."""
        self.lines.append("    " * self.indent + text)

    def statement(self) -> None:
        """Writes one idiom."""
        self.budget -= 1
        while not self.r.choices(self.idioms, self.weights)[0]():
            pass

    def block(self, most: int = 3) -> None:
        """Writes some statements, further inside."""
        count = self.r.randint(1, most)
        for _ in range(count):
            if self.budget > 0:
                self.statement()

    @contextmanager
    def inside(self, head: str, loop: Loop | None = None) -> Iterator[Scope]:
        """What is written goes into a compound statement; names that it adds stay there."""
        self.line(head)
        before, length = self.scope, len(self.lines)
        self.scope = before.copy()
        self.indent += 1
        self.depth += 1
        is_loop = head.startswith(("for ", "while "))
        if is_loop:
            self.loops.append(loop)
        try:
            yield self.scope
        finally:
            if len(self.lines) == length:
                self.line("pass")
            if is_loop:
                self.loops.pop()
            self.indent -= 1
            self.depth -= 1
            self.scope = before

    def add(
        self, name: str, kind: str, shape: Shape, plain: bool = False, fixed: bool = False
    ) -> None:
        """A variable is in scope from here on."""
        self.scope.variables[name] = Variable(name, Type(kind, shape), plain, fixed)

    def some_type(self) -> Type:
        """A type that fits what there is."""
        if self.chance(0.55):
            found = [v.type for v in self.scope.variables.values()]
            return self.r.choice(found)
        kind = self.r.choice([FLOAT, FLOAT, FLOAT, INT, INT, BOOL])
        shapes: list[Shape] = [(), (), (), (1,), (1, 1), (2,), (3,), (2, 2), (1, 3), (3, 1), (2, 3)]
        return Type(kind, self.r.choice(shapes))

    def target(self, kind: str | None = None) -> Variable | None:
        """A variable that may be assigned."""
        found = [v for v in self.scope.assignable() if kind in (None, v.type.kind)]
        return self.r.choice(found) if found else None

    def value_for(self, v: Variable, depth: int = 2) -> str:
        """Something to assign to a variable."""
        if v.is_plain and self.chance(0.3):
            return self.literal(v.type.kind)
        others = [w for w in self.scope.of(*v.type, plain=v.is_plain) if w.name != v.name]
        if others and self.chance(0.2):
            return self.r.choice(others).name
        if self.chance(0.1) and not v.is_plain:
            return self.constant(*v.type)
        if v.is_plain and v.type.kind == FLOAT:
            return f"{v.name} + {self.expression(FLOAT, (), depth)}"
        return self.value(*v.type, depth)

    # -- assignments ----------------------------------------------------------------------

    def do_assign(self) -> bool:
        kind, shape = self.some_type()
        text = self.value(kind, shape, 2)
        name = self.fresh()
        self.line(f"{name} = {text}")
        self.add(name, kind, shape)
        return True

    def do_new_number(self) -> bool:
        kind = self.r.choice([FLOAT, INT, INT, BOOL])
        name = self.fresh()
        self.line(f"{name} = {self.literal(kind)}")
        self.add(name, kind, (), plain=True)
        return True

    def do_again(self) -> bool:
        v = self.target()
        if v is None:
            return False
        self.line(f"{v.name} = {self.value_for(v)}")
        return True

    def do_augmented(self) -> bool:
        v = self.target(self.r.choice([FLOAT, INT]))
        if v is None or self.states:  # `v` may be a variable of state, which refuses `+=`
            return False
        if v.type.kind == INT:
            sign = self.pick(["+", "-", "+"])
            self.line(f"{v.name} {sign}= {self.expression(INT, self.narrower(v.type.shape), 1)}")
        elif self.chance(0.3):
            self.line(f"{v.name} *= {self.pick(['0.5', '-0.5', '-1.0', '1.5'])}")
        else:
            sign = self.pick(["+", "-", "+"])
            self.line(f"{v.name} {sign}= {self.value(FLOAT, self.narrower(v.type.shape), 2)}")
        return True

    def do_swap(self) -> bool:
        v = self.target()
        others = [
            w for w in self.scope.assignable()
            if v and w.type == v.type and w.name != v.name and w.is_plain == v.is_plain
        ]  # fmt: skip
        if v is None or not others:
            return False
        w = self.r.choice(others)
        if self.chance(0.6):
            self.line(f"{v.name}, {w.name} = {w.name}, {v.name}")
        elif self.chance(0.5):
            self.line(f"{v.name}, {w.name} = {w.name}, {self.value_for(w)}")
        else:
            name = self.fresh("tmp", "saved")
            self.line(f"{name} = {v.name}")
            self.line(f"{v.name} = {w.name}")
            self.line(f"{w.name} = {name}")
        return True

    def do_save(self) -> bool:
        v = self.target()
        if v is None:
            return False
        name = self.fresh("old", "before", "prev", "start")
        self.line(f"{name} = {v.name}")
        self.add(name, *v.type, plain=v.is_plain)
        return True

    # -- branches -------------------------------------------------------------------------

    def do_if(self) -> bool:
        if self.depth >= 3:
            return False
        shared = None
        if self.chance(0.2):
            shared = (self.fresh(), self.some_type())
        with self.inside(f"if {self.test()}:"):
            self.block()
            if shared:
                self.line(f"{shared[0]} = {self.value(*shared[1], 2)}")
        while self.chance(0.2):
            with self.inside(f"elif {self.test()}:"):
                self.block(2)
                if shared:
                    self.line(f"{shared[0]} = {self.value(*shared[1], 2)}")
        if shared or self.chance(0.4):
            with self.inside("else:"):
                self.block(2)
                if shared:
                    self.line(f"{shared[0]} = {self.value(*shared[1], 2)}")
        if shared:
            self.add(shared[0], *shared[1])
        return True

    def do_one_branch(self) -> bool:
        v = self.target()
        if v is None:
            return False
        with self.inside(f"if {self.test()}:"):
            self.line(f"{v.name} = {self.value_for(v)}")
        return True

    # -- loops ----------------------------------------------------------------------------

    def bound(self) -> str:
        """How many turns a loop takes: few."""
        draw = self.r.random()
        numbers = [v.name for v in self.scope.of(INT, ()) if v.is_fixed]
        if draw < 0.4 and numbers:
            return self.pick(numbers)
        if draw < 0.55:
            return f"({self.expression(INT, (), 1)}) % 4"
        if draw < 0.65:
            return f"tf.minimum({self.expression(INT, (), 1)}, 3)"
        if draw < 0.75 and self.sizes:
            return self.size(self.r.choice(list(self.sizes)))
        return self.pick(["2", "3", "4", "1"]) if numbers or draw > 0.9 else "3"

    def head(self) -> bool:
        """Whether a loop may begin here; what a loop needs before it is written."""
        if self.depth >= 3 or sum(1 for _ in self.loops) >= 2:
            return False
        if not self.scope.assignable() or self.chance(0.5):
            name = self.fresh("acc", "total", "s", "out", "result", "carry")
            kind, shape = self.some_type()
            self.line(f"{name} = {self.leaf(kind, shape)}")
            self.add(name, kind, shape)
        return True

    def carry(self) -> None:
        """A loop mostly changes what was there before it."""
        v = self.target()
        if v is not None and self.chance(0.8):
            self.line(f"{v.name} = {self.value_for(v)}")

    def do_for_range(self) -> bool:
        if not self.head():
            return False
        bound, i = self.bound(), self.fresh("i", "j", "k", "step", "t", "_")
        if self.chance(0.15):
            self.line(f"{i} = 0")
            self.add(i, INT, (), plain=True, fixed=True)
        form = self.pick(_RANGES)
        with self.inside(f"for {i} in {form.format(bound)}:", Loop(i, bound)):
            self.add(i, INT, (), plain=True, fixed=True)
            self.block(4)
            self.carry()
        return True

    def do_loop_over_rows(self) -> bool:
        found = [v for v in self.scope.variables.values() if v.type.shape and not v.is_plain]
        if not found or not self.head():
            return False
        v = self.r.choice(found)
        item = self.fresh("row", "item", "e", "value")
        kind, rest = v.type.kind, v.type.shape[1:]
        others = [w for w in found if w.type.shape[0] == v.type.shape[0] and w.name != v.name]
        if others and self.chance(0.3):
            w, other = self.r.choice(others), self.fresh("other", "right", "b")
            with self.inside(f"for {item}, {other} in zip({v.name}, {w.name}):"):
                self.add(item, kind, rest)
                self.add(other, w.type.kind, w.type.shape[1:])
                self.block()
                self.carry()
            return True
        if self.chance(0.3):
            i = self.fresh("i", "index")
            with self.inside(f"for {i}, {item} in enumerate({v.name}):"):
                self.add(i, INT, (), plain=True, fixed=True)
                self.add(item, kind, rest)
                self.block()
                self.carry()
            return True
        with self.inside(f"for {item} in {v.name}:"):
            self.add(item, kind, rest)
            self.block()
            self.carry()
        return True

    def do_loop_over_values(self) -> bool:
        if not self.head():
            return False
        kind = self.r.choice([FLOAT, INT])
        item = self.fresh("value", "rate", "size", "c")
        values = ", ".join(self.literal(kind) for _ in range(self.r.randint(1, 3)))
        with self.inside(f"for {item} in [{values}]:"):
            self.add(item, kind, (), plain=True, fixed=True)
            self.block()
            self.carry()
        return True

    def do_while(self) -> bool:
        if not self.head():
            return False
        i, bound = self.fresh("i", "n", "count", "turn"), self.bound()
        start = self.pick(["0", "0", "0", "tf.constant(0)", "1"])
        draw = self.r.random()
        self.line(f"{i} = {start}")
        self.add(i, INT, (), plain=True, fixed=True)
        if draw < 0.5:
            with self.inside(f"while {i} < {bound}:", Loop(i, bound)):
                self.late_or_early(i)
        elif draw < 0.7:
            limit = self.pick("3456")
            with self.inside(f"while {self.test()} and {i} < {limit}:", Loop(i, limit)):
                self.late_or_early(i)
        elif draw < 0.85:
            with self.inside("while True:", Loop(i, bound, continues=False)):
                self.line(f"{i} += 1")
                self.block()
                self.carry()
                with self.inside(f"if {i} > {self.pick('2345')}:"):
                    self.line("break")
        else:
            done = self.fresh("done", "stop", "found")
            self.line(f"{done} = {self.pick(['False', 'tf.constant(False)'])}")
            self.add(done, BOOL, (), plain=True, fixed=True)
            with self.inside(f"while not {done}:", Loop(i, bound, continues=False)):
                self.line(f"{i} += 1")
                self.block()
                self.carry()
                test = self.expression(BOOL, (), 1)
                self.line(f"{done} = tf.logical_or({test}, {i} > {self.pick('2345')})")
        if self.chance(0.4):
            self.scope.variables[i] = self.scope.variables[i]._replace(is_fixed=False)
        return True

    def late_or_early(self, i: str) -> None:
        """The body of a loop that counts itself."""
        if self.chance(0.3):
            self.line(f"{i} += 1")
            self.block(4)
            self.carry()
            return
        loop = self.loops[-1]
        self.loops[-1] = loop and loop._replace(continues=False)
        self.block(4)
        self.carry()
        self.loops[-1] = loop
        self.line(f"{i} += {self.pick(['1', '1', '1', '2'])}")

    def do_last_turn(self) -> bool:
        loop = self.loops[-1] if self.loops else None
        v = self.target()
        if loop is None or v is None or loop.counter not in self.scope.variables:
            return False
        i, bound, _ = loop
        test = self.pick([f"{i} == {bound} - 1", f"{i} + 1 >= {bound}", f"{i} > 0", f"{i} == 0"])
        with self.inside(f"if {test}:"):
            self.line(f"{v.name} = {self.value_for(v)}")
        return True

    def do_exit(self) -> bool:
        if self.may_return and self.chance(0.4):
            with self.inside(f"if {self.test()}:"):
                self.returns.append((len(self.lines), self.scope.copy()))
                self.line("return")
            return True
        if not self.loops:
            return False
        loop = self.loops[-1]
        with self.inside(f"if {self.test()}:"):
            if self.chance(0.4):
                self.block(2)
            goes_on = (loop is None or loop.continues) and self.chance(0.4)
            self.line("continue" if goes_on else "break")
        return True

    # -- lists, arrays, containers --------------------------------------------------------

    def do_collect(self) -> bool:
        """Values of all turns, stacked afterwards."""
        if not self.head():
            return False
        kind, shape = Type(self.r.choice([FLOAT, FLOAT, INT]), self.some_type().shape)
        name, i, bound = self.fresh("parts", "rows", "history"), self.fresh("i", "j"), self.bound()
        is_list = self.chance(0.4) or not is_known(shape)
        if is_list:
            self.line(f"{name} = [{self.leaf(kind, shape)}]")
        else:
            sized = self.chance(0.5)
            size = f"size={bound}" if sized else "size=0, dynamic_size=True"
            typed = f"{self.dtype_of(kind)}, {size}, element_shape={self.dims(shape)}"
            self.line(f"{name} = tf.TensorArray({typed})")  # its shape, where there is no turn
        with self.inside(f"for {i} in tf.range({bound}):", Loop(i, bound)):
            self.add(i, INT, (), plain=True, fixed=True)
            self.block(2)
            value = self.value(kind, shape, 2)
            if is_list:
                self.line(f"{name}.append({value})")
            else:
                self.line(f"{name} = {name}.write({i}, {value})")
            if self.chance(0.3):
                self.carry()
        out = self.fresh("stacked", "sums", "trace", "joined")
        how = self.pick(["reduce_sum", "reduce_sum", "reduce_max"])
        stack = f"tf.stack({name})" if is_list else f"{name}.stack()"
        self.line(f"{out} = tf.{how}({stack}, axis=0)")
        self.add(out, kind, shape)
        return True

    def do_array(self) -> bool:
        """A TensorArray from a tensor, read at places that data say."""
        v = self.variable_with(FLOAT, self.some_type().shape)
        if v is None:
            return False
        name, item = self.fresh("array", "ta"), self.fresh("item", "entry")
        rows = v.type.shape[0]
        array = f"tf.TensorArray({self.dtype}, size={self.size(rows)}, clear_after_read=False)"
        self.line(f"{name} = {array}.unstack({v.name})")
        if self.chance(0.5):
            where, value = self.index(rows), self.expression(FLOAT, v.type.shape[1:], 2)
            self.line(f"{name} = {name}.write({where}, {value})")
        self.line(f"{item} = {name}.read({self.index(rows)})")
        self.add(item, FLOAT, v.type.shape[1:])
        if self.chance(0.5):
            out = self.fresh("stacked", "full")
            self.line(f"{out} = {name}.stack()")
            self.add(out, FLOAT, v.type.shape)
        return True

    def do_container(self) -> bool:
        """A list or dict whose entries change in what follows."""
        if self.depth >= 2:
            return False
        name = self.fresh("box", "pair", "memo", "store")
        types = [self.some_type() for _ in range(self.r.randint(1, 3))]
        values = [self.expression(*t, 1) for t in types]
        if self.chance(0.5):
            keys = self.r.sample(["w", "b", "lr", "sum", "x"], len(types))
            items = ", ".join(f"{k!r}: {v}" for k, v in zip(keys, values))
            self.line(f"{name} = {{{items}}}")
            places = [f"{name}[{k!r}]" for k in keys]
        else:
            self.line(f"{name} = [{', '.join(values)}]")
            places = [f"{name}[{i}]" for i in range(len(types))]
        for place, t in zip(places, types):
            self.add(place, *t)
        return True

    def do_tuple(self) -> bool:
        variables = [v for v in self.scope.variables.values() if not v.is_plain]
        if len(variables) < 2:
            return False
        chosen = self.r.sample(variables, 2)
        pair, names = self.fresh("pair", "both"), [self.fresh(), self.fresh()]
        self.line(f"{pair} = ({chosen[0].name}, {chosen[1].name})")
        if self.chance(0.5):
            self.block(1)
        self.line(f"{names[0]}, {names[1]} = {pair}")
        for name, v in zip(names, chosen):
            self.add(name, *v.type)
        return True

    # -- functions ------------------------------------------------------------------------

    def do_closure(self) -> bool:
        """A function inside, that reads what is around it when it is called."""
        name, result = self.fresh("update", "helper", "inner", "combine", "f"), self.some_type()
        parameters = [self.some_type() for _ in range(self.r.randint(0, 2))]
        names = [self.fresh() for _ in parameters]
        if self.chance(0.4):
            self.scope, before = self.scope.copy(), self.scope
            for n, t in zip(names, parameters):
                self.add(n, *t)
            body = self.value(*result, 2)
            self.scope = before
            self.line(f"{name} = lambda {', '.join(names)}: {body}")
        else:
            loops, self.loops = self.loops, []
            may_return, self.may_return = self.may_return, False
            with self.inside(f"def {name}({', '.join(names)}):"):
                for n, t in zip(names, parameters):
                    self.add(n, *t)
                for v in list(self.scope.variables.values()):
                    if v.name not in names:  # assigned here, they would be the function's own
                        self.scope.variables[v.name] = v._replace(is_fixed=True)
                if self.chance(0.6):
                    self.block(2)
                self.line(f"return {self.value(*result, 2)}")
            self.loops, self.may_return = loops, may_return
        self.scope.functions[name] = Function(name, tuple(parameters), result)
        used = self.fresh()
        arguments = ", ".join(self.expression(*t, 1) for t in parameters)
        self.line(f"{used} = {name}({arguments})")
        self.add(used, *result)
        return True

    def do_while_loop(self) -> bool:
        """`tf.while_loop` with a count and one or two more variables."""
        if not self.head():
            return False
        i, out = self.fresh("i", "k"), [self.fresh() for _ in range(self.r.randint(1, 2))]
        types = [self.some_type() for _ in out]
        names = [self.fresh() for _ in out]
        starts = ", ".join(self.expression(*t, 1) for t in types)
        bound = self.bound()
        self.scope, before = self.scope.copy(), self.scope
        self.add(i, INT, (), fixed=True)
        for n, t in zip(names, types):
            self.add(n, *t)
        test = f"{i} < {bound}"
        if self.chance(0.3):
            test = f"tf.logical_and({test}, {self.expression(BOOL, (), 1)})"
        inside = ", ".join(self.expression(*t, 2) for t in types)
        self.scope = before
        both = f"{i}, {', '.join(names)}"
        body = f"lambda {both}: ({i} + 1, {inside})"
        call = f"tf.while_loop(lambda {both}: {test}, {body}, (tf.constant(0), {starts}))"
        self.line(f"_, {', '.join(out)} = {call}")
        for n, t in zip(out, types):
            self.add(n, *t)
        return True

    # -- gradients and state --------------------------------------------------------------

    def do_tape(self) -> bool:
        found = [
            v for v in self.scope.variables.values()
            if v.type.kind == FLOAT and not v.is_plain and v.name.isidentifier()
        ]  # fmt: skip
        if not found or self.depth >= 2:
            return False
        v = self.r.choice(found)
        name, loss, g = self.fresh("tape", "t"), self.fresh("loss", "cost"), self.fresh("g", "grad")
        point = self.fresh("point", "at", "params", "w")
        # Other names may have the same tensor in Python, but not behind a loop of the graph.
        self.line(f"{point} = tf.identity({v.name})")
        before = self.scope
        with self.inside("with tf.GradientTape() as " + name + ":"):
            self.add(point, *v.type, fixed=True)
            self.line(f"{name}.watch({point})")
            self.block(3)
            total = self.value(FLOAT, (), 3)
            self.line(f"{loss} = tf.reduce_sum({point} * {point}) * {total}")
            inner = self.scope
        for n, w in inner.variables.items():  # a `with` has no scope of its own
            if n not in before.variables:
                before.variables[n] = w
        self.add(loss, FLOAT, ())
        if self.chance(0.3):
            self.line(f"{g} = {name}.gradient({loss}, [{point}])[0]")
        else:
            self.line(f"{g} = {name}.gradient({loss}, {point})")
        self.add(g, *v.type)
        if self.chance(0.5) and not v.is_fixed:
            self.line(f"{v.name} = {v.name} - 0.25 * {g}")
        return True

    def do_state(self) -> bool:
        if not self.states:
            return False
        v = self.r.choice(self.states)
        if v.type.kind == BOOL or self.chance(0.4):
            self.line(f"{v.name}.assign({self.value(*v.type, 2)})")
        else:
            name = self.pick(["assign_add", "assign_sub", "assign_add"])
            self.line(f"{v.name}.{name}({self.value(*v.type, 2)})")
        return True

    do_state_again = do_state_too = do_state
