"""What record_kernel_goldens.py asks TensorFlow, a module for each family of kernels."""
