"""AutoGraph: Python's own control flow, turned into calls that can stage it.

Conversion: `source` (the tree of a function) -> `jumps` (break, continue and return become
flags) -> `effects` and `flow` (which variables each statement reads, writes and leaves
live) -> `control_flow` and `expressions` (statements and expressions become calls) ->
`convert` (compile, cache, what is converted when; `exempt` says what never is).

What converted code calls: `operators` (Python or graph?) -> `regions` (branches and loops
out of functions that assign variables), through the protocol in `staging`, which `tensors`
and `iterations` fulfil. docs/autograph.md is for users.
"""
