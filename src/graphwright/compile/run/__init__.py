"""The ways to run a graph: steps, generated Python, machine code."""
