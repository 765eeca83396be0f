"""Tables of programs and expressions, and writers of random ones: what tests run and compare.

Most outcomes are recorded from TensorFlow in tests/golden, by the `tools/record_*.py` that names the
module. What is here runs on either package (`tf`), so that both are asked the same.
"""
