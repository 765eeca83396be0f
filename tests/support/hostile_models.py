"""Models that are damaged in many ways, and what becomes of them.

    python -m support.hostile_models FIRST COUNT

loads a damaged model for each seed, with all its functions, and calls those that cannot loop for
ever. It prints one line for each, and ends with 1 if one failed in an unclear way, opened a file
outside the model, or took too much memory.
"""

from __future__ import annotations

import os
import random
import resource
import struct
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from support.proto_fields import is_repeated
from support.saved_models import (
    CLASSIC,
    CLASSIC_NAMES,
    FOLDER,
    NAMES,
    calls,
    classic_calls,
    classic_result,
    outcome,
    unpacked,
)

import graphwright as tf
from graphwright.function.concrete import ConcreteFunction
from graphwright.library.checkpoint.snappy import written_varint
from graphwright.library.checkpoint.sorted_table import entries_of, table_of
from graphwright.library.io.records import masked
from graphwright.portable.restored_functions import RestoredFunction
from graphwright.portable.restored_objects import RestoredObject, Signatures
from graphwright.proto.checkpoint_pb2 import (
    BundleEntryProto,
    BundleHeaderProto,
    TrackableObjectGraph,
)
from graphwright.proto.saved_model_pb2 import SavedModel

#: The classes of errors that say what is wrong with a model.
CLEAR = (
    OSError,
    NotImplementedError,
    tf.errors.DataLossError,
    tf.errors.FailedPreconditionError,
    tf.errors.InvalidArgumentError,
    tf.errors.NotFoundError,
    tf.errors.PermissionDeniedError,
    tf.errors.ResourceExhaustedError,
    tf.errors.UnimplementedError,
)
#: Models whose programs may loop for ever once they are changed; they are loaded and not called.
LOOPING = {"arrays", "branches_and_loops", "control_flow", "keras_lstm", "lists", "nested_loops"}
#: Words and numbers that a reader may trip over.
WORDS = [
    "", "..", ".", "/", "../../../../etc/passwd", "/etc/passwd", "/dev/zero", "\0", "x" * 5000,
    "__class__", "__init__", "_held", "a b", "0", "-1", "99999999999", "signatures", "é", "^x",
    "x:0", "x:y:0", "trackable_list_wrapper", "trackable_tuple_wrapper", "signature_map",
]  # fmt: skip
NUMBERS = [0, 1, 2, 3, 5, 7, 9, 20, 21, 64, 1 << 20, 2**31 - 1]
LARGE = [2**31, 2**40, 2**62, 2**63 - 1]

#: The least and the greatest number of each kind of field.
RANGES = {
    FieldDescriptor.CPPTYPE_INT32: (-(2**31), 2**31 - 1),
    FieldDescriptor.CPPTYPE_INT64: (-(2**63), 2**63 - 1),
    FieldDescriptor.CPPTYPE_UINT32: (0, 2**32 - 1),
    FieldDescriptor.CPPTYPE_UINT64: (0, 2**64 - 1),
}


#: What else Python reports of work outside of the process.
REACHING = (
    "os.exec", "os.fork", "os.link", "os.mkdir", "os.posix_spawn", "os.remove", "os.rename",
    "os.rmdir", "os.system", "socket.", "subprocess.",
)  # fmt: skip


# -- what is damaged ----------------------------------------------------------------------------


def model_file(folder: Path) -> Path:
    return folder / "saved_model.pb"


def some_file(rng: random.Random, folder: Path) -> Path:
    """A file of the model, more often one of its variables."""
    files = sorted(p for p in folder.rglob("*") if p.is_file() and p.name != "calls.json")
    return rng.choice(files)


def flipped_bytes(rng: random.Random, folder: Path) -> None:
    path = some_file(rng, folder)
    data = bytearray(path.read_bytes())
    for _ in range(rng.choice([1, 1, 2, 8])):
        if data:
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    path.write_bytes(data)


def cut_file(rng: random.Random, folder: Path) -> None:
    path = some_file(rng, folder)
    data = path.read_bytes()
    path.write_bytes(data[: rng.randrange(len(data) + 1)])


def lost_file(rng: random.Random, folder: Path) -> None:
    some_file(rng, folder).unlink()


def longer_file(rng: random.Random, folder: Path) -> None:
    path = some_file(rng, folder)
    path.write_bytes(path.read_bytes() + rng.randbytes(rng.choice([1, 8, 1000])))


def other_bytes(rng: random.Random, folder: Path) -> None:
    """A stretch of a file is replaced by another stretch of it."""
    path = some_file(rng, folder)
    data = bytearray(path.read_bytes())
    if data:
        size = rng.randrange(min(len(data), 64)) + 1
        source, target = [rng.randrange(len(data) - size + 1) for _ in range(2)]
        data[target : target + size] = data[source : source + size]
    path.write_bytes(data)


def changed_message(rng: random.Random, folder: Path) -> None:
    """One to three fields of the model, anywhere in it."""
    message = SavedModel.FromString(model_file(folder).read_bytes())
    pool = [w for w in texts(message) if w]
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        change(rng, message, pool)
    model_file(folder).write_bytes(message.SerializeToString())


def changed_objects(rng: random.Random, folder: Path) -> None:
    """Fields of the objects and functions alone."""
    message = SavedModel.FromString(model_file(folder).read_bytes())
    graph = message.meta_graphs[0]
    pool = [w for w in texts(message) if w]
    parts = [graph.object_graph_def, graph.graph_def.library]
    part = rng.choice(parts) if graph.object_graph_def.nodes else graph.graph_def
    for _ in range(rng.choice([1, 1, 2])):
        change(rng, part, pool)
    model_file(folder).write_bytes(message.SerializeToString())


def changed_nodes(rng: random.Random, folder: Path) -> None:
    """A node of a function gets the op or the inputs of another, or changed ones."""
    message = SavedModel.FromString(model_file(folder).read_bytes())
    graph = message.meta_graphs[0]
    library = graph.graph_def.library
    nodes = [node for function in library.function for node in function.node_def]
    if not graph.object_graph_def.nodes:
        nodes += graph.graph_def.node
    node, other = rng.choice(nodes), rng.choice(nodes)
    what = rng.randrange(5)
    if what == 0:
        node.op = other.op
    elif what == 1:
        node.input[:] = [*node.input[:1], *other.input]
    elif what == 2:
        node.attr.clear()
    elif what == 3:
        node.op = rng.choice(
            [
                "ReadFile",
                "WriteFile",
                "EagerPyFunc",
                "VarHandleOp",
                "RestoreV2",
                "NoOp",
                "While",
                "Switch",
                "Merge",
                "Enter",
                "Exit",
                "NextIteration",
                "LoopCond",
                "Assign",
            ]
        )
    else:
        change(rng, node, [])
    model_file(folder).write_bytes(message.SerializeToString())


def crossed_functions(rng: random.Random, folder: Path) -> None:
    """A function calls another one, itself perhaps, in place of the one that it called."""
    message = SavedModel.FromString(model_file(folder).read_bytes())
    library = message.meta_graphs[0].graph_def.library
    names = [function.signature.name for function in library.function]
    calls = [
        (function, value.func)
        for function in library.function
        for node in function.node_def
        for value in node.attr.values()
        if value.HasField("func")
    ]
    if calls:
        function, called = rng.choice(calls)
        called.name = rng.choice([function.signature.name, *names])
    elif names:
        rng.choice(library.function).signature.name = rng.choice(names)
    model_file(folder).write_bytes(message.SerializeToString())


def changed_index(rng: random.Random, folder: Path) -> None:
    """An entry of the index of variables, with checksums that are right."""
    path = folder / "variables" / "variables.index"
    entries = list(entries_of(path.read_bytes()))
    place = rng.randrange(len(entries))
    key, value = entries[place]
    kind: Any = BundleEntryProto if key else BundleHeaderProto
    message = kind.FromString(value)
    change(rng, message, [])
    entries[place] = (key, message.SerializeToString())
    path.write_bytes(table_of(entries))


def changed_places(rng: random.Random, folder: Path) -> None:
    """The graph of objects among the variables, with checksums that are right."""
    path = folder / "variables" / "variables.index"
    shard = folder / "variables" / "variables.data-00000-of-00001"
    entries = dict(entries_of(path.read_bytes()))
    if b"_CHECKPOINTABLE_OBJECT_GRAPH" not in entries:
        return
    entry = BundleEntryProto.FromString(entries[b"_CHECKPOINTABLE_OBJECT_GRAPH"])
    data = shard.read_bytes()
    length = entry.size
    blob = data[entry.offset : entry.offset + length]
    start = next(i for i, byte in enumerate(blob) if byte < 0x80) + 5
    graph = TrackableObjectGraph.FromString(blob[start:])
    change(rng, graph, [key.decode() for key in entries])
    content = graph.SerializeToString()
    sizes = struct.pack("<I", len(content))
    whole = written_varint(len(content)) + struct.pack("<I", masked(sizes)) + content
    entry.offset, entry.size = len(data), len(whole)
    entry.crc32c = masked(sizes + whole[len(written_varint(len(content))) :])
    shard.write_bytes(data + whole)
    entries[b"_CHECKPOINTABLE_OBJECT_GRAPH"] = entry.SerializeToString()
    path.write_bytes(table_of(sorted(entries.items())))


def compressed_index(rng: random.Random, folder: Path) -> None:
    """The index with blocks that Snappy's bytes make up, right or wrong."""
    path = folder / "variables" / "variables.index"
    data = bytearray(path.read_bytes())
    size = rng.randrange(4, 400)
    block = written_varint(rng.choice([size, 1 << 20, 2**62])) + rng.randbytes(size)
    end = data[-48:]
    start = len(data) - 48
    body = block + b"\1"
    handle = written_varint(start) + written_varint(len(block))
    footer = (written_varint(0) + written_varint(0) + handle).ljust(40, b"\0") + end[-8:]
    path.write_bytes(data[:start] + body + struct.pack("<I", masked(body)) + footer)


MUTATIONS: list[Callable[[random.Random, Path], None]] = [
    flipped_bytes, cut_file, lost_file, longer_file, other_bytes, changed_message, changed_message,
    changed_message, changed_objects, changed_objects, changed_objects, changed_nodes,
    changed_nodes, crossed_functions, changed_index, changed_places, compressed_index,
]  # fmt: skip


def texts(message: Message) -> Iterator[str]:
    """The texts in a message."""
    for field, value in message.ListFields():
        is_map = field.message_type is not None and field.message_type.GetOptions().map_entry
        if is_map:
            yield from map(str, value)
            values = list(value.values())
        else:
            values = list(value) if is_repeated(field) else [value]
        for item in values:
            if isinstance(item, Message):
                yield from texts(item)
            elif isinstance(item, str):
                yield item


def change(rng: random.Random, message: Any, pool: list[str]) -> None:
    """Changes a field somewhere in a message."""
    fields = message.ListFields()
    others = [f for f in message.DESCRIPTOR.fields if not any(f is g for g, _ in fields)]
    if not fields or (others and rng.random() < 0.05):
        if others:
            add(rng, message, rng.choice(others), pool)
        return
    field, value = rng.choice(fields)
    if rng.random() < 0.04:
        message.ClearField(field.name)
    elif field.message_type is not None and field.message_type.GetOptions().map_entry:
        change_map(rng, value, pool)
    elif is_repeated(field):
        change_list(rng, value, pool, field)
    elif field.message_type is not None:
        change(rng, value, pool)
    else:
        setattr(message, field.name, other_value(rng, value, field, pool))


def add(rng: random.Random, message: Any, field: Any, pool: list[str]) -> None:
    """Sets a field that was not set."""
    if field.message_type is not None:
        if is_repeated(field) and not field.message_type.GetOptions().map_entry:
            change(rng, getattr(message, field.name).add(), pool)
        elif not is_repeated(field):
            getattr(message, field.name).SetInParent()
    elif is_repeated(field):
        zero = {9: "", 12: b"", 1: 0.0, 2: 0.0, 8: False}.get(field.type, 0)
        getattr(message, field.name).append(other_value(rng, zero, field, pool))
    else:
        value = getattr(message, field.name)
        setattr(message, field.name, other_value(rng, value, field, pool))


def change_map(rng: random.Random, value: Any, pool: list[str]) -> None:
    """Changes an entry of a map, or takes it out, or gives it another key."""
    key = rng.choice(sorted(value))
    item = value[key]
    if rng.random() < 0.1:
        del value[key]
    elif not isinstance(item, Message):
        value[key] = item
    elif isinstance(key, str) and rng.random() < 0.2:
        value[rng.choice([*WORDS[:12], *pool[:50]])].CopyFrom(item)
        del value[key]
    else:
        change(rng, item, pool)


def change_list(rng: random.Random, value: Any, pool: list[str], field: Any) -> None:
    """Changes an entry of a list, or takes it out, or repeats it."""
    place = rng.randrange(len(value))
    item = value[place]
    chance = rng.random()
    if chance < 0.08:
        del value[place]
    elif chance < 0.16:
        value.append(item)
    elif chance < 0.22 and isinstance(item, Message):
        item.CopyFrom(value[rng.randrange(len(value))])
    elif isinstance(item, Message):
        change(rng, item, pool)
    else:
        value[place] = other_value(rng, item, field, pool)


def other_value(rng: random.Random, value: Any, field: Any, pool: list[str]) -> Any:
    """Another value for a field."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, str):
        return rng.choice([rng.choice(WORDS), *([rng.choice(pool)] if pool else []), value + "x"])
    if isinstance(value, bytes):
        return rng.choice([b"", value[:-1], value + b"\0", rng.choice(WORDS).encode(), b"\xff"])
    if isinstance(value, float):
        return rng.choice([0.0, -1.0, float("nan"), float("inf"), 1e30])
    if field.enum_type is not None:
        return rng.choice([0, *field.enum_type.values_by_number, 77])
    low, high = RANGES[field.cpp_type]
    choices = [*NUMBERS, *LARGE, value + 1, value - 1, value ^ 4, -1, -(2**31), -(2**63)]
    return rng.choice([number for number in choices if low <= number <= high])


# -- what becomes of it -------------------------------------------------------------------------


class Outside(NamedTuple):
    """Something that was done outside of the model."""

    event: str
    what: str


class Watch:
    """Notes what happens to files outside of a folder, while it is on."""

    def __init__(self) -> None:
        self.folder = ""
        self.seen: list[Outside] = []
        self.roots = [os.path.realpath(p) for p in {sys.prefix, sys.base_prefix, *sys.path} if p]
        sys.addaudithook(self.hear)

    def hear(self, event: str, args: tuple[Any, ...]) -> None:
        """An audit hook."""
        if not self.folder:
            return
        if event == "open" and isinstance(args[0], (str, bytes, os.PathLike)):
            path = os.path.realpath(os.fsdecode(args[0]))
            reads = isinstance(args[2], int) and args[2] & (os.O_WRONLY | os.O_RDWR) == 0
            own = path.startswith((self.folder + os.sep,)) and reads
            code = reads and any(path.startswith(root) for root in self.roots)
            if not own and not code:
                self.seen.append(Outside(event, path))
        elif event.startswith(REACHING):
            self.seen.append(Outside(event, str(args[0])))


def damaged(seed: int, folder: Path) -> tuple[str, str, Path]:
    """The name of a model, how it is damaged for a seed, and its folder."""
    rng = random.Random(seed)
    name, mutation = rng.choice([*NAMES, *CLASSIC_NAMES]), rng.choice(MUTATIONS)
    target = unpacked(name, folder, CLASSIC if name in CLASSIC_NAMES else FOLDER)
    if (target / "variables" / "variables.index").exists() or "index" not in mutation.__name__:
        mutation(rng, target)
    return name, mutation.__name__, target


def functions_of(model: Any) -> Iterator[Any]:
    """The functions of a loaded model."""
    seen: set[int] = set()
    pending = [model]
    for thing in pending:
        if id(thing) in seen:
            continue
        seen.add(id(thing))
        if isinstance(thing, RestoredFunction):
            yield thing
        elif isinstance(thing, RestoredObject):
            pending += thing._held.values()
        elif isinstance(thing, (list, tuple)):
            pending += thing
        elif isinstance(thing, dict):
            pending += thing.values()


def use(model: Any) -> None:
    """Makes the graphs of all functions and signatures of a model."""
    for function in functions_of(model):
        concrete: list[ConcreteFunction] = function.concrete_functions
        for one in concrete:
            str(one.structured_input_signature)
    signatures = getattr(model, "signatures", None)
    if isinstance(signatures, Signatures):
        for name in signatures:
            str(signatures[name])


def trial(seed: int, folder: Path, watch: Watch) -> tuple[str, bool]:
    """What became of the model of a seed, and whether that is well."""
    name, how, target = damaged(seed, folder)
    is_classic = name in CLASSIC_NAMES
    recorded = list(classic_calls(target) if is_classic else calls(target))
    label = f"{seed} {name} {how}"
    watch.folder = os.path.realpath(target)
    stage = "load"
    try:
        model = tf.saved_model.load(target)
        stage = "import"
        use(model)
        stage = "call"
        if name not in LOOPING:
            for call in recorded:
                classic_result(model, call) if is_classic else outcome(model, call)
        stage = "fine"
    except CLEAR as error:
        words = str(error).strip().splitlines() or [""]
        return f"{label}: {stage}: {type(error).__name__}: {words[0][:100]}", bool(words[0])
    except Exception as error:  # noqa: BLE001 - what a changed program raises when it runs is its own
        if stage == "call" or (stage == "load" and "`tags`" in str(error)):
            return f"{label}: {stage}: {type(error).__name__}", True
        trace = traceback.format_exc()
        return f"{label}: {stage}: UNCLEAR {type(error).__name__}: {error}\n{trace}", False
    finally:
        watch.folder = ""
    return f"{label}: fine", True


def main(first: int, count: int) -> int:
    """Prints what became of each model; 1 if something was wrong."""
    watch, wrong, summary = Watch(), 0, Counter[str]()
    for seed in range(first, first + count):
        with tempfile.TemporaryDirectory() as folder:
            line, is_well = trial(seed, Path(folder), watch)
        outside, watch.seen = watch.seen, []
        if outside:
            line, is_well = f"{line}\n  OUTSIDE {outside}", False
        wrong += not is_well
        summary[line.split(": ")[1] + " " + (line.split(": ")[2:3] or [""])[0]] += 1
        if not is_well or "-v" in sys.argv:
            print(line)
    peak = peak_memory()
    print(f"{count} models, {wrong} wrong, at most {peak} MiB: {dict(summary.most_common())}")
    return int(wrong > 0)


def peak_memory() -> int:
    """The most memory that this process has taken, in MiB.

    Linux counts what the parent had in `ru_maxrss`, until the child's own program began.
    """
    status = Path("/proc/self/status")
    if status.exists():
        (line,) = [x for x in status.read_text().splitlines() if x.startswith("VmHWM:")]
        return int(line.split()[1]) >> 10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10


if __name__ == "__main__":
    raise SystemExit(main(int(sys.argv[1]), int(sys.argv[2])))
