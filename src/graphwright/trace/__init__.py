"""From a Python call to a graph: trace types, signatures, the tracer, dispatch."""
