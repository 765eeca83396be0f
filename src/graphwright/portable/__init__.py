"""Models of TensorFlow's formats."""
