"""What every part stands on: exceptions, files, forks, logs, names."""
