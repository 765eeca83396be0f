"""Element functions as LLVM text."""
