"""The loader of a library of WebAssembly: a module of JavaScript for browsers and Node."""

from __future__ import annotations

import json
from collections.abc import Sequence

from graphwright.portable.native_library.c_header import MESSAGES
from graphwright.portable.native_library.library_interface import InterfaceArray, InterfaceFunction
from graphwright.types import dtypes as dt
from graphwright.types.dtypes import DType

#: The classes of typed arrays that hold elements. Halves are their bits, bools are 0 or 1.
_CLASSES: dict[DType, str] = {
    dt.float32: "Float32Array",
    dt.float64: "Float64Array",
    dt.bfloat16: "Uint16Array",
    dt.bool_: "Uint8Array",
    dt.int8: "Int8Array",
    dt.int16: "Int16Array",
    dt.int32: "Int32Array",
    dt.int64: "BigInt64Array",
    dt.uint8: "Uint8Array",
    dt.uint16: "Uint16Array",
    dt.uint32: "Uint32Array",
    dt.uint64: "BigUint64Array",
}

_TEXT = """\
// The functions of MODULE. graphwright wrote this file.
//
//   import { load } from "./LOADER";
//   const library = await load();
//   const { RESULT } = library.FUNCTION(ARGUMENTS);
//
// An argument is { data, dims }: elements row after row in a typed array, and the sizes of its
// axes. A typed array alone has one axis, and a number none. Results are of the first form.

const PREFIX = PREFIX_VALUE;
const FUNCTIONS = FUNCTIONS_VALUE;
const MESSAGES = MESSAGES_VALUE;
const WEIGHTS = WEIGHTS_VALUE;

const CLASSES = {
  Float32Array, Float64Array, Int8Array, Int16Array, Int32Array, BigInt64Array,
  Uint8Array, Uint16Array, Uint32Array, BigUint64Array,
};

async function bytesOf(source) {
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) return source;
  if (typeof process !== "undefined" && source.protocol === "file:") {
    const { readFile } = await import("node:fs/promises");
    return readFile(source);
  }
  const response = await fetch(source);
  if (!response.ok) throw new Error(`${source}: ${response.status} ${response.statusText}`);
  return response.arrayBuffer();
}

// The functions, by their names. `module` and `weights` are addresses or the bytes themselves; by
// default the files lie beside this one.
export async function load({
  module = new URL(MODULE_VALUE, import.meta.url),
  weights = WEIGHTS && new URL(WEIGHTS, import.meta.url),
} = {}) {
  const { instance } = await WebAssembly.instantiate(await bytesOf(module), {});
  const wasm = instance.exports;

  function allocate(size) {
    const place = wasm.malloc(BigInt(size));
    if (!place) throw new Error(`${PREFIX}: ${MESSAGES[3]}`);
    return place >>> 0;
  }

  const release = wasm[`${PREFIX}_free`];

  if (WEIGHTS) {
    const bytes = new Uint8Array(await bytesOf(weights));
    const place = allocate(bytes.length);
    new Uint8Array(wasm.memory.buffer, place, bytes.length).set(bytes);
    const code = wasm[`${PREFIX}_load`](place, bytes.length);
    if (code) throw new Error(`${PREFIX}: ${MESSAGES[code]}`);
  }

  function taken(value, parameter, name) {
    const Class = CLASSES[parameter.class];
    if (typeof value === "number" || typeof value === "bigint") {
      value = { data: Class.of(value), dims: [] };
    } else if (ArrayBuffer.isView(value)) {
      value = { data: value, dims: [value.length] };
    }
    const { data, dims } = value;
    const wrong = (words) => new TypeError(`${name}: ${parameter.name} ${words}`);
    if (!(data instanceof Class)) throw wrong(`must be of ${parameter.class}`);
    if (dims.length !== parameter.dims.length) {
      throw wrong(`must have ${parameter.dims.length} axes, not ${dims.length}`);
    }
    dims.forEach((size, axis) => {
      const expected = parameter.dims[axis];
      if (!Number.isSafeInteger(size) || size < 0 || (expected !== null && size !== expected)) {
        throw wrong(`must have the sizes [${parameter.dims.map((d) => d ?? "?")}], not [${dims}]`);
      }
    });
    if (dims.reduce((a, b) => a * b, 1) !== data.length) {
      throw wrong(`has ${data.length} elements, and not those of [${dims}]`);
    }
    return { data, dims };
  }

  function bound({ name, parameters, results }) {
    const call = wasm[`${PREFIX}_${name}`];
    return (...values) => {
      if (values.length !== parameters.length) {
        throw new TypeError(`${name} takes ${parameters.length} arrays, not ${values.length}`);
      }
      const arrays = values.map((value, i) => taken(value, parameters[i], name));
      const owned = [];
      const own = (size) => (owned.push(allocate(size)), owned[owned.length - 1]);
      try {
        const words = [];
        for (const { data, dims } of arrays) {
          const place = own(data.byteLength);
          new data.constructor(wasm.memory.buffer, place, data.length).set(data);
          words.push(place);
          if (dims.length) {
            const sizes = own(8 * dims.length);
            new BigInt64Array(wasm.memory.buffer, sizes, dims.length).set(dims.map(BigInt));
            words.push(sizes);
          }
        }
        const places = results.map(({ dims }) => {
          const place = { data: own(4), dims: dims.length ? own(8 * dims.length) : 0 };
          words.push(place.data);
          if (dims.length) words.push(place.dims);
          return place;
        });
        const code = call(...words);
        if (code) throw new RangeError(`${name}: ${MESSAGES[code]}`);
        const made = {};
        results.forEach((result, i) => {
          const data = new Uint32Array(wasm.memory.buffer, places[i].data, 1)[0];
          const sizes = new BigInt64Array(wasm.memory.buffer, places[i].dims, result.dims.length);
          const dims = Array.from(sizes, Number);
          const length = dims.reduce((a, b) => a * b, 1);
          made[result.name] = {
            data: new CLASSES[result.class](wasm.memory.buffer, data, length).slice(),
            dims,
          };
          release(data);
        });
        return made;
      } finally {
        owned.forEach((place) => release(place));
      }
    };
  }

  return Object.fromEntries(FUNCTIONS.map((f) => [f.name, bound(f)]));
}
"""


def loader(
    prefix: str,
    functions: Sequence[InterfaceFunction],
    module: str,
    script: str,
    weights: str | None,
) -> str:
    """The text of the loader `script`, for the files of a module and its weights."""
    described = [
        {
            "name": function.name,
            "parameters": list(map(described_array, function.arguments)),
            "results": list(map(described_array, function.results)),
        }
        for function in functions
    ]
    first = functions[0]
    values = {
        "PREFIX_VALUE": json.dumps(prefix),
        "FUNCTIONS_VALUE": json.dumps(described, indent=2),
        "MESSAGES_VALUE": json.dumps(MESSAGES, indent=2),
        "WEIGHTS_VALUE": json.dumps(weights),
        "MODULE_VALUE": json.dumps(module),
        "MODULE": module,
        "LOADER": script,
        "FUNCTION": first.name,
        "RESULT": ", ".join([array.name for array in first.results]),
        "ARGUMENTS": ", ".join([array.name for array in first.arguments]),
    }
    head, mark, body = _TEXT.partition("\nconst PREFIX")
    for name in ("MODULE", "LOADER", "FUNCTION", "RESULT", "ARGUMENTS"):
        head = head.replace(name, values[name])
    body = mark + body
    for name in values:
        if name.endswith("_VALUE"):
            body = body.replace(name, values[name])
    return head + body


def described_array(array: InterfaceArray) -> dict[str, object]:
    """An argument or a result for the loader."""
    return {
        "name": array.name,
        "class": _CLASSES[array.dtype],
        "dims": list(array.dims),
    }
