"""All programs of this folder, by the modules that have them."""

from __future__ import annotations

from corpora.distribution import devices, dtensors, mirrored, steps

MODULES = {
    "devices": devices.programs,
    "dtensors": dtensors.programs,
    "mirrored": mirrored.programs,
    "steps": steps.programs,
}
