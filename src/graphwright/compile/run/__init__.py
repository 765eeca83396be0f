"""What runs a graph: steps, generated Python, machine code."""
