"""AutoGraph: Python's own control flow, turned into calls that can stage it.

Conversion: `source` (the tree of a function) -> `jumps` (break, continue and return become
flags) -> `effects` and `flow` (which variables each statement reads, writes and leaves
live) -> `control_flow`, `parts` and `expressions` (statements and expressions become calls) ->
`loads` (where staged forms read variables) -> `convert` (compile, cache, what is converted when;
`exempt` says what never is). Expressions that ask for truth are `decisions`. The staged form of a
statement is compiled at its site (`sites`) when a tensor was asked. What calls found last is in
`calls`. `unrolling` warns of Python loops that make large graphs; `status` says whether the code
that runs is converted.

What converted code calls: `operators` (Python or graph?) and `overloads` of builtins -> `regions`
(branches and loops out of functions that assign variables; `containers` keeps what they hold,
`lists` has Python lists become lists of the graph where a loop changes them, `refusals` says what
cannot be), through the protocol in `staging`, which `tensors`, `iterations` and `tensor_builtins`
fulfil. docs/autograph.md is for users.
"""
