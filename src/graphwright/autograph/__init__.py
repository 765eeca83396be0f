"""AutoGraph: Python's own control flow, turned into calls that can stage it.

The path of a function is `source` (its tree) -> `jumps` (break, continue and return
become flags) -> `flow` (which variables each statement reads, writes and leaves live)
-> `control_flow` and `expressions` (statements and expressions become calls of
`operators`) -> `convert` (compile, cache, call). User-facing documentation: docs/autograph.md.
"""
