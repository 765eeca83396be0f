"""The boundary as code: one C function that serves every program.

A `bytes` object, its `self`, describes the program (`Rendering.table`). The function checks the
arrays, fills in a frame and makes the results' arrays. It releases the interpreter's lock for long
computations. It returns a tuple, or None where native code cannot do the call; kernels do it then.
"""

from __future__ import annotations

from graphwright.compile.llvm.emitter import Reg
from graphwright.compile.llvm.frame import EXHAUSTED, INTERRUPTED, RELEASE, THREAD
from graphwright.compile.llvm.function import I64, FunctionWriter
from graphwright.compile.llvm.rendering import ARRAY_WORDS
from graphwright.machine import large_arrays
from graphwright.machine.array_layout import (
    ALIGNED,
    BYTES,
    CONTIGUOUS,
    DATA,
    DESCR,
    DIMS,
    FLAGS,
    OWNED,
    RANK,
    TYPE,
    WRITABLE,
)

_CARRAY = CONTIGUOUS | ALIGNED | WRITABLE

#: The words of the table: its head, those of each input, of each symbol and of each result.
_HEADER, _INPUT, _SYMBOL, _RESULT = 6, 3, 4, 6

#: The label where a call is left to the kernels.
_BAIL = "bail"


class Boundary:
    """Writes the one C function."""

    def __init__(self, keeps_large: bool = True) -> None:
        self.keeps_large = keeps_large  # whether large arrays have their own allocator
        self.f = FunctionWriter(None, "define ptr @call(ptr %self, ptr %args, i64 %given)")
        self.e = self.f.e

    def text(self) -> str:
        """The text of the module."""
        f, e = self.f, self.e
        self.table = e.assign("ptr", 1, f"getelementptr i8, ptr %self, i64 {BYTES}")
        words = [self.entry(i) for i in range(_HEADER)]
        slots, self.inputs, prepare, run, self.results, self.symbols = words
        more = e.binary("sub", Reg("%given", I64), self.inputs)
        self.require(e.compare("ult", more, f.number(2)))
        self.lent = self.loans(more)
        self.frame = e.assign("ptr", 1, f"alloca i64, {slots}, align 16")
        e.line(f"store i64 0, {self.frame}")
        self.take_arrays()
        self.take_sizes()
        work = e.assign(I64, 1, f"call i64 {self.pointer(prepare).text}({self.frame})")
        self.require(e.compare("ne", work, f.number(0)))
        self.arrays = e.assign("ptr", 1, f"alloca ptr, {self.results}, align 16")
        self.before = f.stack("ptr", 1)
        self.keep_large(work)
        self.make_results()
        self.keep_no_more()
        status = self.run(run, work)
        failed, fine = e.fresh_label("failed"), e.fresh_label("fine")
        ended = e.binary("and", status, f.number(INTERRUPTED | EXHAUSTED))
        again = e.compare("eq", ended, f.number(0))
        f.branch_if(e.compare("eq", status, f.number(0)), fine, failed)
        e.label(fine)
        self.make_late_results()
        results = f.call("ptr", "PyTuple_New", self.results)
        with f.loop(f.number(0), self.results) as i:
            array = self.at(self.arrays, i, "ptr")
            self.call_int("PyTuple_SetItem", results, i, array)
        e.line(f"ret {results}")
        e.label(failed)
        with f.loop(f.number(0), self.results) as i:
            f.call("", "Py_DecRef", self.at(self.arrays, i, "ptr"))  # None for a late one
        f.branch_if(again, _BAIL, "ended")
        e.label("ended")
        f.branch_if(e.compare("eq", ended, f.number(EXHAUSTED)), "exhausted", "without")
        e.label("exhausted")
        f.call("ptr", "PyErr_NoMemory")
        f.branch("without")
        e.label("without")
        e.line("ret ptr null")
        e.label(_BAIL)
        if self.keeps_large:
            e.declarations["gw_allocator"] = "@gw_allocator = external global i8"
        e.declarations["gw_none"] = "@gw_none = external global i8"
        e.declarations["gw_array_type"] = "@gw_array_type = external global i8"
        f.call("", "Py_IncRef", self.none())
        e.line(f"ret {self.none()}")
        e.declarations["gw_called"] = "@gw_called = external global i8"
        others = [poll_function(), unwatch_function(), rounds_function(), kernel_function()]
        for other in others:
            e.declarations.update(other.e.declarations)
        return "\n".join([*e.declarations.values(), *[x.text() for x in (f, *others)]])

    def call_int(self, name: str, *arguments: Reg) -> None:
        """Calls a function whose int result is not needed."""
        types = ", ".join(a.type for a in arguments)
        self.e.declarations[name] = f"declare i32 @{name}({types})"
        self.e.assign("i32", 1, f"call i32 @{name}({', '.join(map(str, arguments))})")

    def entry(self, i: int) -> Reg:
        """Word number i of the table."""
        return self.at(self.table, self.f.number(i), I64)

    def at(self, base: Reg, i: Reg, kind: str) -> Reg:
        """Word number i of an array of words."""
        address = self.e.assign("ptr", 1, f"getelementptr i64, {base}, {i}")
        type_ = "ptr" if kind == "ptr" else "i64"
        return self.e.assign(kind, 1, f"load {type_}, {address}, align 8")

    def put(self, base: Reg, i: Reg, x: Reg) -> None:
        """Sets word number i of an array of words."""
        address = self.e.assign("ptr", 1, f"getelementptr i64, {base}, {i}")
        self.e.line(f"store {x}, {address}, align 8")

    def field(self, thing: Reg, offset: int, kind: str) -> Reg:
        """A field of an object."""
        address = self.e.assign("ptr", 1, f"getelementptr i8, {thing}, i64 {offset}")
        type_ = {"ptr": "ptr", "i64": "i64", "i32": "i32"}[kind]
        return self.e.assign(kind, 1, f"load {type_}, {address}, align 4")

    def pointer(self, x: Reg) -> Reg:
        """A number as an address."""
        return self.e.assign("ptr", 1, f"inttoptr {x} to ptr")

    def require(self, condition: Reg, otherwise: str = _BAIL) -> None:
        """Branches to `otherwise` unless a condition holds."""
        label = self.e.fresh_label("ok")
        self.f.branch_if(condition, label, otherwise)
        self.e.label(label)

    def loans(self, more: Reg) -> Reg:
        """The bits of the results in inputs' memory, from an optional last argument."""
        f, e = self.f, self.e
        present, joined, before = e.fresh_label("some"), e.fresh_label("lent"), e.block
        f.branch_if(e.compare("eq", more, f.number(0)), joined, present)
        e.label(present)
        e.declarations["PyLong_AsLong"] = "declare i64 @PyLong_AsLong(ptr)"
        number = self.at(Reg("%args", "ptr"), self.inputs, "ptr")
        bits = e.assign(I64, 1, f"call i64 @PyLong_AsLong({number})")
        f.branch(joined)
        e.label(joined)
        return f.phi(I64, 1, ("0", before), (bits.text, present))

    def offset(self, *parts: Reg | int) -> Reg:
        """A sum."""
        result = self.f.number(0)
        for part in parts:
            result = self.f.add(result, self.f.number(part) if isinstance(part, int) else part)
        return result

    def take_arrays(self) -> None:
        """Checks each argument and notes the address of its elements."""
        f, e = self.f, self.e
        with f.loop(f.number(0), self.inputs) as i:
            array = self.at(Reg("%args", "ptr"), i, "ptr")
            entry = self.offset(f.mul(i, f.number(_INPUT)), _HEADER)
            type_ = self.field(array, TYPE, "ptr")
            self.require(e.compare("eq", type_, Reg("@gw_array_type", "ptr")))
            flags = self.field(array, FLAGS, "i32")
            required = Reg(str(CONTIGUOUS | ALIGNED), "i32")
            self.require(e.compare("eq", e.binary("and", flags, required), required))
            descr = self.field(array, DESCR, I64)
            self.require(e.compare("eq", descr, self.at(self.table, entry, I64)))
            rank = e.cast("sext", self.field(array, RANK, "i32"), I64)
            expected = self.at(self.table, self.offset(entry, 1), I64)
            self.require(e.compare("eq", rank, expected))
            slot = self.at(self.table, self.offset(entry, 2), I64)
            self.put(self.frame, slot, self.field(array, DATA, "ptr"))

    def take_sizes(self) -> None:
        """Checks and notes the sizes for which symbols stand."""
        f = self.f
        first = self.offset(f.mul(self.inputs, f.number(_INPUT)), _HEADER)
        with f.loop(f.number(0), self.symbols) as i:
            entry = self.offset(first, f.mul(i, f.number(_SYMBOL)))
            slot = self.at(self.table, entry, I64)
            array = self.at(
                Reg("%args", "ptr"), self.at(self.table, self.offset(entry, 1), I64), "ptr"
            )
            axis = self.at(self.table, self.offset(entry, 2), I64)
            expected = self.at(self.table, self.offset(entry, 3), I64)
            dims = self.field(array, DIMS, "ptr")
            size = self.at(dims, axis, I64)
            unknown = self.e.compare("slt", expected, f.number(0))
            same = self.e.compare("eq", size, expected)
            self.require(self.e.binary("or", unknown, same))
            self.put(self.frame, slot, size)

    def result_entry(self, i: Reg) -> list[Reg]:
        """The words of the table for a result."""
        f = self.f
        inputs, symbols = (
            f.mul(self.inputs, f.number(_INPUT)),
            f.mul(self.symbols, f.number(_SYMBOL)),
        )
        entry = self.offset(f.add(inputs, symbols), _HEADER, f.mul(i, f.number(_RESULT)))
        return [self.at(self.table, self.offset(entry, k), I64) for k in range(_RESULT)]

    def keep_large(self, work: Reg) -> None:
        """Switches to the allocator that keeps large arrays' memory, if much is computed."""
        if not self.keeps_large:
            return
        f, e = self.f, self.e
        large, joined = e.fresh_label("large"), e.fresh_label("allocator")
        f.store(Reg("null", "ptr"), self.before)
        f.branch_if(e.compare("slt", work, f.number(large_arrays.LEAST // 8)), joined, large)
        e.label(large)
        f.store(f.call("ptr", "gw_change_allocator", Reg("@gw_allocator", "ptr")), self.before)
        f.branch(joined)
        e.label(joined)

    def keep_no_more(self) -> None:
        """Switches back to NumPy's allocator."""
        if not self.keeps_large:
            return
        f, e = self.f, self.e
        back, joined = e.fresh_label("back"), e.fresh_label("allocator")
        before = f.load(self.before, "ptr", 1)
        f.branch_if(e.compare("eq", before, Reg("null", "ptr")), joined, back)
        e.label(back)
        for handler in (f.call("ptr", "gw_change_allocator", before), before):
            f.call("", "Py_DecRef", handler)
        f.store(Reg("null", "ptr"), self.before)
        f.branch(joined)
        e.label(joined)

    def make_results(self) -> None:
        """Makes the results' arrays; None for late ones."""
        f, e = self.f, self.e
        null, zero = Reg("null", "ptr"), Reg("0", "i32")
        with f.loop(f.number(0), self.results) as i:
            type_, rank, dims, slot, late, reused = self.result_entry(i)
            labels = ("same", "other", "now", "later", "result")
            same, other, now, later, joined = [e.fresh_label(p) for p in labels]
            # Results from 62 on have no bit, and bit 63 is never set. A shift by 64 is one by 0.
            place = e.select(e.compare("ult", i, f.number(63)), i, f.number(63))
            bit = e.binary("and", e.binary("lshr", self.lent, place), f.number(1))
            f.branch_if(e.compare("eq", bit, f.number(0)), other, same)
            e.label(same)
            argument = self.at(Reg("%args", "ptr"), reused, "ptr")
            f.call("", "Py_IncRef", argument)
            self.put(self.arrays, i, argument)
            self.put(self.frame, slot, self.field(argument, DATA, "ptr"))
            f.branch(joined)
            e.label(other)
            f.branch_if(e.compare("eq", late, f.number(0)), now, later)
            e.label(later)
            f.call("", "Py_IncRef", self.none())
            self.put(self.arrays, i, self.none())
            f.branch(joined)
            e.label(now)
            array = self.new_array(type_, rank, dims, null, zero)
            self.put(self.arrays, i, array)
            self.require(e.compare("ne", array, null), "raised")
            self.put(self.frame, slot, self.field(array, DATA, "ptr"))
            f.branch(joined)
            e.label(joined)
        after = e.fresh_label("made")
        f.branch(after)
        e.label("raised")
        self.keep_no_more()
        e.line("ret ptr null")
        e.label(after)

    def new_array(self, type_: Reg, rank: Reg, dims: Reg, data: Reg, flags: Reg) -> Reg:
        """A new array with dimensions of the frame."""
        e = self.e
        address = e.assign("ptr", 1, f"getelementptr i64, {self.frame}, {dims}")
        null, zero = Reg("null", "ptr"), Reg("0", "i32")
        return self.f.call(
            "ptr",
            "gw_new_array",
            Reg("@gw_array_type", "ptr"),
            e.cast("trunc", rank, "i32"),
            address,
            e.cast("trunc", type_, "i32"),
            null,
            data,
            zero,
            flags,
            null,
        )

    def make_late_results(self) -> None:
        """Makes arrays for memory that the program leaves to them; they free it."""
        f, e = self.f, self.e
        null = Reg("null", "ptr")
        with f.loop(f.number(0), self.results) as i:
            type_, rank, dims, slot, late, _ = self.result_entry(i)
            making, joined = e.fresh_label("late"), e.fresh_label("early")
            f.branch_if(e.compare("ne", late, f.number(0)), making, joined)
            e.label(making)
            data = self.at(self.frame, slot, "ptr")
            array = self.new_array(type_, rank, dims, data, Reg(str(_CARRAY), "i32"))
            self.require(e.compare("ne", array, null), "raised")
            flags = e.binary("or", self.field(array, FLAGS, "i32"), Reg(str(OWNED), "i32"))
            address = e.assign("ptr", 1, f"getelementptr i8, {array}, i64 {FLAGS}")
            e.line(f"store {flags}, {address}, align 4")
            f.call("", "Py_DecRef", self.none())
            self.put(self.arrays, i, array)
            f.branch(joined)
            e.label(joined)

    def none(self) -> Reg:
        """Python's None."""
        return Reg("@gw_none", "ptr")

    def run(self, run: Reg, work: Reg) -> Reg:
        """The status after a run of the program, without the interpreter's lock for long ones."""
        f, e = self.f, self.e
        short, long, joined = [e.fresh_label(p) for p in ("short", "long", "done")]
        pointer = self.pointer(run)
        f.branch_if(e.compare("slt", work, f.number(RELEASE)), short, long)
        e.label(short)
        first = e.assign(I64, 1, f"call i64 {pointer.text}({self.frame})")
        f.branch(joined)
        e.label(long)
        state = f.call("ptr", "PyEval_SaveThread")
        self.put(self.frame, f.number(THREAD), state)
        second = e.assign(I64, 1, f"call i64 {pointer.text}({self.frame})")
        f.call("", "PyEval_RestoreThread", self.at(self.frame, f.number(THREAD), "ptr"))
        seen = e.fresh_label("seen")
        f.branch_if(e.compare("eq", watched(f), f.number(2)), seen, joined)
        e.label(seen)
        error = e.assign(I64, 1, "call i64 @unwatch()")
        third = e.binary("or", second, e.binary("mul", error, f.number(INTERRUPTED)))
        f.branch(joined)
        e.label(joined)
        return f.phi(I64, 1, (first.text, short), (second.text, long), (third.text, seen))


def watched(f: FunctionWriter) -> Reg:
    """Whether anybody looks at loops (`base/machine_loops.py`)."""
    f.e.declarations["gw_watched"] = "@gw_watched = external global i64"
    return f.e.assign(I64, 1, "load i64, ptr @gw_watched, align 8")


def unwatch_function() -> FunctionWriter:
    """The function that says that a call is at its end: 1 if that raised an error.

    One that is raised already stays.
    """
    f = FunctionWriter(None, "define internal i64 @unwatch()")
    e = f.e
    e.declarations["gw_ended"] = "@gw_ended = external global i8"
    places = [f.stack("ptr", 1) for _ in range(3)]
    f.call("", "PyErr_Fetch", *places)
    null = Reg("null", "ptr")
    ended = Reg("@gw_ended", "ptr")
    answer = f.call("ptr", "PyObject_VectorcallDict", ended, null, f.number(0), null)
    f.call("", "Py_DecRef", answer)
    earlier = [e.assign("ptr", 1, f"load ptr, {place}, align 8") for place in places]
    stays, joined = e.fresh_label("stays"), e.fresh_label("joined")
    f.branch_if(e.compare("ne", earlier[0], null), stays, joined)
    e.label(stays)
    f.call("", "PyErr_Restore", *earlier)
    e.line("ret i64 0")
    e.label(joined)
    e.line(f"ret {e.cast('zext', e.compare('eq', answer, null), I64)}")
    return f


def poll_function() -> FunctionWriter:
    """The function that long work calls now and then: 1 if a signal has raised an error.

    Whoever looks learns what the work counts, and its limit.
    """
    f = FunctionWriter(None, "define i64 @poll(ptr %frame, i64 %present, i64 %limit)")
    e = f.e
    slot = e.assign("ptr", 1, f"getelementptr i64, ptr %frame, i64 {THREAD}")
    f.call("", "PyEval_RestoreThread", e.assign("ptr", 1, f"load ptr, {slot}, align 8"))
    raised = e.cast("zext", f.call("i32", "PyErr_CheckSignals"), I64)
    status = f.stack(I64, 1)
    f.store(raised, status)
    look, made, on = [e.fresh_label(p) for p in ("look", "made", "on")]
    silent = e.binary("or", raised, e.cast("zext", e.compare("eq", watched(f), f.number(0)), I64))
    f.branch_if(e.compare("eq", silent, f.number(0)), look, on)
    e.label(look)
    numbers = e.assign("ptr", 1, "alloca ptr, i64 2, align 16")
    arguments = [
        f.call("ptr", "PyLong_FromLongLong", Reg(name, I64)) for name in ("%present", "%limit")
    ]
    complete = f.number(1)
    for i, argument in enumerate(arguments):
        e.line(f"store {argument}, {f.address(numbers, f.number(i), I64)}")
        present = e.cast("zext", e.compare("ne", argument, Reg("null", "ptr")), I64)
        complete = e.binary("and", complete, present)
    f.store(f.number(1), status)
    called = e.fresh_label("called")
    f.branch_if(e.compare("ne", complete, f.number(0)), called, made)
    e.label(called)
    e.declarations["gw_looked"] = "@gw_looked = external global i8"
    null = Reg("null", "ptr")
    looked = Reg("@gw_looked", "ptr")
    answer = f.call("ptr", "PyObject_VectorcallDict", looked, numbers, f.number(2), null)
    f.call("", "Py_DecRef", answer)  # which does nothing for null
    f.store(e.cast("zext", e.compare("eq", answer, null), I64), status)
    f.branch(made)
    e.label(made)
    for argument in arguments:
        f.call("", "Py_DecRef", argument)
    f.branch(on)
    e.label(on)
    e.line(f"store {f.call('ptr', 'PyEval_SaveThread')}, {slot}, align 8")
    e.line(f"ret {e.cast('zext', e.compare('ne', f.load(status, I64, 1), f.number(0)), I64)}")
    return f


def kernel_function() -> FunctionWriter:
    """The function that calls a kernel with arrays in memory, whose words `call_code` has.

    It takes the interpreter's lock for that alone, and returns what `kernel_calls.called` does: 0,
    or 1 if the kernel refuses. It returns 2 if an error is raised.
    """
    f = FunctionWriter(None, "define i64 @kernel(ptr %frame, i64 %number, ptr %words, i64 %arrays)")
    e = f.e
    null, zero = Reg("null", "ptr"), Reg("0", "i32")
    slot = e.assign("ptr", 1, f"getelementptr i64, ptr %frame, i64 {THREAD}")
    f.call("", "PyEval_RestoreThread", e.assign("ptr", 1, f"load ptr, {slot}, align 8"))
    status = f.stack(I64, 1)
    f.store(f.number(2), status)
    given = f.add(Reg("%arrays", I64), f.number(1))
    objects = e.assign("ptr", 1, f"alloca ptr, {given}, align 16")
    with f.loop(f.number(0), given) as i:
        e.line(f"store {null}, {f.address(objects, i, I64)}")
    f.store(f.call("ptr", "PyLong_FromLong", Reg("%number", I64)), objects)
    with f.loop(f.number(0), Reg("%arrays", I64)) as i:
        words = f.address(Reg("%words", "ptr"), f.mul(i, f.number(ARRAY_WORDS)), I64)
        places = [f.address(words, f.number(k), I64) for k in range(5)]
        type_, rank, flags = [
            e.cast("trunc", e.assign(I64, 1, f"load i64, {place}, align 8"), "i32")
            for place in places[:3]
        ]
        data = e.assign("ptr", 1, f"load ptr, {places[3]}, align 8")
        array = f.call(
            "ptr", "gw_new_array", Reg("@gw_array_type", "ptr"), rank, places[4], type_, null, data,
            zero, flags, null,
        )  # fmt: skip
        e.line(f"store {array}, {f.address(objects, f.add(i, f.number(1)), I64)}")
    complete = f.stack(I64, 1)
    f.store(f.number(1), complete)
    with f.loop(f.number(0), given) as i:
        one = e.assign("ptr", 1, f"load ptr, {f.address(objects, i, I64)}, align 8")
        present = e.cast("zext", e.compare("ne", one, null), I64)
        f.store(e.binary("and", f.load(complete, I64, 1), present), complete)
    calling, answered, ended = [e.fresh_label(p) for p in ("calling", "answered", "ended")]
    f.branch_if(e.compare("ne", f.load(complete, I64, 1), f.number(0)), calling, ended)
    e.label(calling)
    called = Reg("@gw_called", "ptr")
    answer = f.call("ptr", "PyObject_VectorcallDict", called, objects, given, null)
    f.branch_if(e.compare("ne", answer, null), answered, ended)
    e.label(answered)
    e.declarations["PyLong_AsLong"] = "declare i64 @PyLong_AsLong(ptr)"
    f.store(e.assign(I64, 1, f"call i64 @PyLong_AsLong({answer})"), status)
    f.call("", "Py_DecRef", answer)
    f.branch(ended)
    e.label(ended)
    with f.loop(f.number(0), given) as i:
        one = e.assign("ptr", 1, f"load ptr, {f.address(objects, i, I64)}, align 8")
        f.call("", "Py_DecRef", one)  # which does nothing for null
    e.line(f"store {f.call('ptr', 'PyEval_SaveThread')}, {slot}, align 8")
    e.line(f"ret {f.load(status, I64, 1)}")
    return f


def rounds_function() -> FunctionWriter:
    """The function that runs all parts of a function(context, part) in each of several rounds.

    It returns 1 if a signal has raised an error between two of them. The context begins with the
    frame and the number of the round. `share` runs parts in several threads; it may be null. No
    part is under way when a round has ended.
    """
    f = FunctionWriter(
        None,
        "define i64 @rounds(ptr %share, ptr %function, ptr %context, i64 %parts, i64 %rounds)",
    )
    e = f.e
    labels = ("alone", "shared", "next", "look", "raised", "on")
    alone, shared, following, look, raised, on = [e.fresh_label(p) for p in labels]
    parts, rounds = Reg("%parts", I64), Reg("%rounds", I64)
    with f.loop(f.number(0), rounds) as i:
        e.line(f"store {i}, {e.assign('ptr', 1, 'getelementptr i64, ptr %context, i64 1')}")
        nobody = e.compare("eq", Reg("%share", "ptr"), Reg("null", "ptr"))
        f.branch_if(nobody, alone, shared)
        e.label(alone)
        with f.loop(f.number(0), parts) as part:
            e.line(f"call void %function(ptr %context, {part})")
        f.branch(following)
        e.label(shared)
        e.line(f"call void %share(ptr %function, ptr %context, {parts})")
        f.branch(following)
        e.label(following)
        f.branch_if(e.compare("slt", f.add(i, f.number(1)), rounds), look, on)
        e.label(look)
        frame = e.assign("ptr", 1, "load ptr, ptr %context, align 8")
        error = e.assign(I64, 1, f"call i64 @poll({frame}, i64 0, i64 0)")
        f.branch_if(e.compare("ne", error, f.number(0)), raised, on)
        e.label(raised)
        e.line("ret i64 1")
        e.label(on)
    e.line("ret i64 0")
    return f
