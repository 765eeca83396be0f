"""What an op is, the families that share its rules, and who interprets it."""
