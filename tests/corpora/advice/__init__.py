"""Programs that go wrong, and the edit that the printed advice asks for.

`program.py` runs them, `templates.py` finds the advice in the package's source. The other modules
have the programs, by what they are about.
"""
