"""Say what a package and all that it needs take on the disk, the largest first.

    PYTHON tools/installed_sizes.py graphwright [--least MB]

PYTHON is any interpreter that has the package and pip. Needed is what the metadata of packages
name without an extra. Bytecode counts as far as pip wrote it.
"""

from __future__ import annotations

import argparse
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from pip._vendor.packaging.requirements import Requirement
from pip._vendor.packaging.utils import canonicalize_name


def needed(name: str) -> dict[str, Distribution]:
    """The package and all that it needs, by name."""
    packages: dict[str, Distribution] = {}
    waiting = [name]
    while waiting:
        key = canonicalize_name(waiting.pop())
        if key in packages:
            continue
        packages[key] = distribution(key)
        for line in packages[key].requires or []:
            requirement = Requirement(line)
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
                waiting.append(requirement.name)
    return packages


def megabytes(package: Distribution) -> float:
    """The size of a package's files in blocks of the disk, as `du` counts them."""
    paths = [Path(str(package.locate_file(file))) for file in package.files or []]
    blocks = sum([-(-path.stat().st_size // 4096) for path in paths if path.is_file()])
    return blocks * 4096 / 2**20


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("package")
    parser.add_argument("--least", type=float, default=1, help="smaller packages are one line")
    given = parser.parse_args(arguments)
    try:
        packages = needed(given.package)
    except PackageNotFoundError as error:
        raise SystemExit(f"{error.name} is not installed here") from None
    sizes = {name: megabytes(package) for name, package in packages.items()}
    large = {name: size for name, size in sizes.items() if size >= given.least}
    for name in sorted(large, key=large.__getitem__, reverse=True):
        print(f"{name:24}{packages[name].version:12}{sizes[name]:6.0f} MB")
    rest = sum(sizes.values()) - sum(large.values())
    print(f"{f'{len(sizes) - len(large)} others':36}{rest:6.0f} MB")
    print(f"{'all':36}{sum(sizes.values()):6.0f} MB")


if __name__ == "__main__":
    main()
