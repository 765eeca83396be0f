"""What `tf.io.gfile` does to a folder: expressions evaluated in turn, with either package (`tf`)."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

STEPS = """
write(d + '/a.txt', 'one\\ntwo\\n')
write(d + '/b.bin', b'\\x00\\xff')
write(d + '/a.txt', 'three', 'a')
read(d + '/a.txt')
read(d + '/b.bin', 'rb')
read(d + '/none.txt')
write(d + '/no/such/x.txt', 'x')
g.GFile(d + '/a.txt', 'x')
g.GFile(d + '/a.txt').readline()
g.GFile(d + '/a.txt').readlines()
list(g.GFile(d + '/a.txt'))
g.GFile(d + '/a.txt').size()
g.GFile(d + '/a.txt').read(5)
g.GFile(d + '/a.txt', 'rb').read(5)
positions(d + '/a.txt')
g.GFile(d + '/a.txt').write('x')
g.GFile(d + '/a.txt', 'w').read()
g.GFile(d + '/a.txt', 'w').name == d + '/a.txt'
g.GFile(d + '/a.txt', 'rb').mode
g.GFile(d + '/a.txt').seekable()
write(d + '/a.txt', 'four')
update(d + '/a.txt')
g.exists(d + '/a.txt')
g.exists(d)
g.exists(d + '/none')
g.isdir(d)
g.isdir(d + '/a.txt')
g.isdir(d + '/none')
g.mkdir(d + '/sub')
g.mkdir(d + '/sub')
g.mkdir(d + '/x/y')
g.makedirs(d + '/deep/er/est')
g.makedirs(d + '/deep/er/est')
g.makedirs(d + '/a.txt')
g.copy(d + '/a.txt', d + '/sub/c.txt')
g.copy(d + '/a.txt', d + '/sub/c.txt')
g.copy(d + '/b.bin', d + '/sub/c.txt', overwrite=True)
g.copy(d + '/none', d + '/sub/d.txt')
read(d + '/sub/c.txt', 'rb')
g.rename(d + '/sub/c.txt', d + '/deep/c.txt')
g.rename(d + '/none', d + '/deep/n.txt')
g.rename(d + '/deep/c.txt', d + '/a.txt')
g.rename(d + '/deep/c.txt', d + '/a.txt', overwrite=True)
sorted(g.listdir(d))
g.listdir(d + '/none')
g.listdir(d + '/a.txt')
sorted(g.glob(d + '/*'))
sorted(g.glob(d + '/?.*'))
sorted(g.glob([d + '/a*', d + '/b*']))
g.glob(d + '/zzz*')
sorted(g.glob(d + '/[ab].*'))
g.glob(d + '/a.txt')
g.stat(d + '/a.txt').length
g.stat(d + '/a.txt').is_directory
g.stat(d).is_directory
g.stat(d + '/none')
sorted((a, sorted(b), sorted(c)) for a, b, c in g.walk(d))
[a for a, b, c in g.walk(d, topdown=False)][-1] == d
list(g.walk(d + '/none'))
g.join(d, 'a', 'b')
g.join('a', '/b')
g.join('a/', 'b')
g.remove(d + '/sub')
g.remove(d + '/none')
g.remove(d + '/b.bin')
g.exists(d + '/b.bin')
g.rmtree(d + '/none')
g.rmtree(d + '/deep')
g.exists(d + '/deep')
g.rmtree(d + '/a.txt')
write(d + '/m1.csv', '1')
write(d + '/m2.csv', '2')
tf.io.matching_files(d + '/m*.csv').numpy().tolist()
tf.io.matching_files([d + '/m2*', d + '/m1*']).numpy().tolist()
tf.io.matching_files(d + '/zz*').numpy().tolist()
tf.io.matching_files([[d]]).numpy().tolist()
"""


def outcomes(tf: Any, folder: str) -> dict[str, str]:
    """What each step gives, or the class of the error that it raises, the folder left out."""
    gfile = tf.io.gfile

    def write(path: str, content: Any, mode: str = "w") -> None:
        with gfile.GFile(path, mode) as file:
            file.write(content)

    def read(path: str, mode: str = "r") -> Any:
        with gfile.GFile(path, mode) as file:
            return file.read()

    def positions(path: str) -> Any:
        with gfile.GFile(path) as file:
            first = file.read(2), file.tell()
            file.seek(1)
            second = file.read(2), file.tell()
            file.seek(0, 2)
            third = file.read(), file.tell()
            return first, second, third

    def update(path: str) -> Any:
        with gfile.GFile(path, "r+") as file:
            file.write("!")
        return read(path)

    names = {"tf": tf, "g": gfile, "d": folder, "write": write, "read": read, "os": os,
             "positions": positions, "update": update, "Path": Path}  # fmt: skip
    found = {}
    for number, step in enumerate(STEPS.strip().splitlines()):
        try:
            text = repr(eval(step, names))
        except Exception as error:  # noqa: BLE001 - which error is what is compared
            text = f"! {type(error).__name__}"
        found[f"{number} {step}"] = text.replace(folder, "<folder>")
    return found
