"""AutoGraph: Python's control flow as calls that can stage it.

Conversion, in the order of its passes:

- `live_source` gives the syntax tree of a function, and `conversion` compiles and keeps the result.
  `exempt` says what is never converted, and `status` whether the code that runs is converted.
- `jumps` turns break, continue and return into flags.
- `touched_variables` and `variable_flow` say which variables a statement reads, writes and leaves
  live.
- `decisions`, `expression_rewriting`, `control_flow` and `parts` turn expressions and statements
  into calls. `loads` marks where a staged form reads variables.
- `sites` compiles the staged form of a statement when a tensor decides there.

What converted code calls:

- `converted_operators` and `overloads` of builtins choose between Python and the graph.
  `call_targets` keeps what a call ran last. `operator_arguments` names what operators take.
- `regions` builds branches and loops. `list_places` and `growing_lists` make Python lists that a
  loop changes lists of the graph, and `container_snapshots` keeps what containers hold.
- `staging` is all that AutoGraph knows of tensors, as a protocol. `tensors`, `iterations` and
  `tensor_builtins` fulfil it.
- `refusals` has the words of errors. `unrolling` warns of Python loops that make large graphs.

docs/autograph.md is for users.
"""
