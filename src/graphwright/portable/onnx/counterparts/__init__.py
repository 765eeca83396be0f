"""What our ops are in ONNX: one rule for each, by kind."""
