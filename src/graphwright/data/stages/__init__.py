"""What datasets do: a class for each kind of stage, beside the cursor that goes through it."""
