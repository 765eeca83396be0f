"""What ops of ONNX are in ours: one rule for each, by kind."""
