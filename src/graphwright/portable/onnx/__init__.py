"""Models in ONNX: written from graphs, and read as graphs."""
