"""LLVM text for loop nests: emission, elementary functions, the boundary with Python."""
