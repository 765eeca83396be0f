"""What programs hold on to and hand on: modules, checkpoints, configuration."""
