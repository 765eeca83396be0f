"""Settings, and what programs ask of versions."""
