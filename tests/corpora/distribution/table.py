"""All programs of this folder, by the modules that have them."""

from __future__ import annotations

from corpora.distribution import devices, mirrored, steps

MODULES = {
    "devices": devices.programs,
    "mirrored": mirrored.programs,
    "steps": steps.programs,
}
