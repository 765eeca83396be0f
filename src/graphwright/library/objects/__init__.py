"""Objects that programs hold on to: modules, generators, extension types."""
