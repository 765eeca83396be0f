"""What pipelines cost: stages that are watched, and programs that wait."""
