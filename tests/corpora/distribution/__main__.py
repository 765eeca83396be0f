"""Prints the outcomes of all programs here as JSON: `python -m corpora.distribution`."""

from __future__ import annotations

import json
import sys

from corpora.distribution.outcomes import divide, outcomes
from corpora.distribution.table import MODULES

import graphwright as tf

divide(tf)
chosen = sys.argv[1:]
json.dump(
    {
        module: outcomes(tf, {n: p for n, p in programs.items() if not chosen or n in chosen})
        for module, programs in MODULES.items()
    },
    sys.stdout,
)
