"""Graphs of TensorFlow outside functions: GraphDefs, sessions, and models of TensorFlow 1."""
