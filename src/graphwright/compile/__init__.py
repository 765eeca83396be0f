"""From a graph to something that runs: passes, generated code, executables."""
