"""AutoGraph: Python's control flow as calls that can stage it.

Conversion, in the order of its passes:

- `live_source` has the syntax tree of a function, and `conversion` compiles and caches the result.
  `exempt` knows the functions that stay, `traced_form` those in which nothing would change, and
  `status` whether the code that runs is converted.
- `jumps` turns break, continue and return into flags.
- `touched_variables` and `variable_flow` say which variables a statement reads, writes and leaves
  live.
- `decisions`, `expression_rewriting`, `control_flow` and `parts` turn expressions and statements
  into calls. `loads` marks where a staged form reads variables.
- `sites` compiles the staged form of a statement when a tensor decides there.

Functions that converted code calls:

- `converted_operators` and `overloads` of builtins choose between Python and the graph.
  `operator_arguments` has the types of arguments.
- `regions` builds branches and loops. `shared_variables` adds variables that closures change or
  read. `list_places` and `growing_lists` replace Python lists that a loop changes by lists of the
  graph.
- `staging` is all that AutoGraph knows of tensors, as a protocol. `tensors`, `iterations` and
  `tensor_builtins` fulfil it.
- `refusals` has the words of errors. `unrolling` warns of Python loops that make large graphs.

docs/autograph.md is for users.
"""
