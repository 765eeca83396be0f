"""Tables in files: expressions evaluated in turn with either package (`tf`), in a folder.

`csv` writes a text to a file and makes a dataset of it. `drain` gives all elements, and in their
places the classes of errors.
"""

from __future__ import annotations

import gzip
import itertools
import sqlite3
import warnings
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

STEPS = r"""
drain(csv(b"1,2\n3,4\n", [I, I]))
drain(csv(b"1,2\n3,4", [I, I]))
drain(csv(b"1,2\r\n3,4\r\n", [I, I]))
drain(csv(b"1,2\r3,4\r", [I, I]))
drain(csv(b"1,2\r\r3,4", [I, I]))
drain(csv(b"1,2\n\r3,4", [I, I]))
drain(csv(b"", [I, I]))
drain(csv(b"\n", [I, I]))
drain(csv(b"\n", [S]))
drain(csv(b"\n\n", [[b"x"]]))
drain(csv(b"\r\n\r\n", [[b"x"]]))
drain(csv(b"1,2\n\n3,4\n", [I, I]))
drain(csv(b"1,2\n\n\n", [I, I]))
drain(csv(b"1\n\n3\n", [I]))
drain(csv(b"1\n\n3\n", [[7]]))
drain(csv(b",\n", [[b"x"], [b"y"]]))
drain(csv(b"1,\n,2\n", [[5], [6]]))
drain(csv(b"1,", [[5], [6]]))
drain(csv(b"1,\n,2\n3,4\n", [I, I]))
drain(csv(b"1,2,3\n4,5\n6,7\n", [I, I]))
drain(csv(b"1\n4,5\n6\n", [I, I]))
drain(csv(b"1,2,3,4\n5,6\n", [I, I, I]))
drain(csv(b"x,2\n3,4\n5,y\n6,7", [I, I]))
drain(csv(b" 1 ,\t2\n  3,4  \n", [I, I]))
drain(csv(b"1 2,3\n4,5", [I, I]))
drain(csv(b" ,1\n", [[9], I]))
drain(csv(b"+1,-2\n-0,+0\n+-1,1\n- 1,1\n,\n-,1\n", [I, I]))
drain(csv(b"2147483647,-2147483648\n2147483648,0\n0,-2147483649\n", [I, I]))
drain(csv(b"9223372036854775807,-9223372036854775808\n9223372036854775808,0\n1,1\n", [L, L]))
drain(csv(b"00012,000000000000000000000000000000001\n", [I, L]))
drain(csv(b"99999999999999999999,1\n1,1\n", [L, L]))
drain(csv(b"1.0,2\n3,4\n1e3,5\n0x10,1\n1_0,1\n", [I, I]))
drain(csv(b"1.5,2\n-3.25e2,.5\n5.,1E-3\n+1.5,-.5e+1\n", [F, F]))
drain(csv(b"1.5,2\n-3.25e2,.5\n5.,1E-3\n+1.5,-.5e+1\n", [G, G]))
drain(csv(b"inf,nan\n-inf,NaN\n+inf,INF\nInfinity,-Infinity\ninfinit,1\n-nan,nan(1)\n", [F, G]))
drain(csv(b"1e400,1\n1e40,1\n-1e400,-1e40\n1e-400,1e-50\n1e-46,1\n1e-320,2\n", [G, F]))
drain(csv(b"1e,1\n1e+,1\n.,1\ne5,1\n1.2.3,1\n1 .5,1\n0x1p3,1\n1f,1\n1d,2\n--1,3\n", [G, G]))
drain(csv(b"0.1,0.1\n0.2,0.2\n1.1,1.1\n3.14159265358979,3.14159265358979\n", [F, G]))
drain(csv(b"16777217,16777217\n16777219,9007199254740993\n1.00000005960464477539,1\n", [F, G]))
drain(csv(b"123456789012345678901234567890,0.123456789012345678901234567890\n", [G, G]))
drain(csv(b"1e22,1e23\n1e-22,1e-23\n4.35,0.000001\n8.5899345919999e9,1e15\n", [G, G]))
drain(csv(b"7.038531e-26,1\n8.589973e9,8.589973e9\n1.1754944e-38,1.4e-45\n", [F, F]))
drain(csv(b"a,\"b\"\n\"c,d\",\"e\"\"f\"\n\"\",\"\"\"\"\n", [S, S]))
drain(csv(b"a,\"\"\n\"\",b\n", [[b"x"], [b"y"]]))
drain(csv(b"\"1\",\"2.5\"\n\" 3 \",4\n", [I, F]))
drain(csv(b"\"a\nb\",c\n\"d\r\ne\",f\n", [S, S]))
drain(csv(b"a\"b,c\nd,e\n", [S, S]))
drain(csv(b"a,b\"\nd,e\n", [S, S]))
drain(csv(b"\"a\"b,c\nd,e\n", [S, S]))
drain(csv(b"\"a\" ,c\nd,e\n", [S, S]))
drain(csv(b" \"a\",c\nd,e\n", [S, S]))
drain(csv(b"\"a,c\nd,e\n", [S, S]))
drain(csv(b"a,\"c", [S, S]))
drain(csv(b"a,\"c\"", [S, S]))
drain(csv(b"a,\"c\"\r", [S, S]))
drain(csv(b"\"a\"\n\"b\"\r\n\"c\"\r\"d\"", [S]))
drain(csv(b"\"a\",\n\"b\",", [S, [b"none"]]))
drain(csv(b"a\"b,\"c\nd,\"e\"\n", [S, S], use_quote_delim=False))
drain(csv(b"\"1,2\"\n3,4\n", [S, S], use_quote_delim=False))
drain(csv(b"1|2\n3|4\n", [I, I], field_delim="|"))
drain(csv(b"1\t2\n 3\t4\n", [I, I], field_delim="\t"))
drain(csv(b"1 2\n3 4\n", [I, I], field_delim=" "))
csv(b"1,2\n", [I, I], field_delim=",,")
csv(b"1,2\n", [I, I], field_delim="")
drain(csv(b"1,2\n", [I, I], field_delim="\n"))
drain(csv(b"NA,2\n3,NA\n,5\n", [[8], [9]], na_value="NA"))
drain(csv(b"NA,2\n3,4\n", [I, I], na_value="NA"))
drain(csv(b"NA,\"NA\"\n,x\n", [[b"d"], [b"e"]], na_value="NA"))
drain(csv(b" NA,2\n", [[8], [9]], na_value="NA"))
drain(csv(b"a,b\n1,2\n", [I, I], header=True))
drain(csv(b"a,b\r\n1,2\r\n", [I, I], header=True))
drain(csv(b"a,b", [I, I], header=True))
drain(csv(b"", [I, I], header=True))
drain(csv(b"\"a\nb\",c\n1,2\n", [I, I], header=True))
drain(csv(b"a\"b,c\n1,2\n", [I, I], header=True))
drain(csv(b"\n1,2\n", [I, I], header=True))
drain(csv(b"a,b,c,d\n1,2\n", [I, I], header=tf.constant(True)))
drain(csv(b"1,2,3\n4,5,6\n", [I, I], select_cols=[0, 2]))
drain(csv(b"1,2,3\n4,5,6\n", [I], select_cols=[1]))
drain(csv(b"1,x,3\n4,y\n5\n6,7,8,9\n", [I], select_cols=[1]))
drain(csv(b"1,2,3\n4\n5,6\n7,8,9,10\n", [I], select_cols=[0]))
drain(csv(b"1,2\n", [I, I], select_cols=[0, 2]))
drain(csv(b"1,a\"b,3\n4,5,6\n", [I, I], select_cols=[0, 2]))
drain(csv(b"1,\"a,b\",3\n", [I, I], select_cols=[0, 2]))
drain(csv(b"1,\"a\"b,3\n4,5,6\n", [I, I], select_cols=[0, 2]))
csv(b"1,2,3\n", [I, I], select_cols=[2, 0])
csv(b"1,2,3\n", [I, I], select_cols=[0, 0])
csv(b"1,2,3\n", [I, I], select_cols=[0])
csv(b"1,2,3\n", [I, I], select_cols=[-1, 0])
csv(b"1,2,3\n", [I, I], select_cols=[])
drain(csv(b"1,2,3\n4,5,6\n", [I, I], exclude_cols=[1]))
drain(csv(b"1,2,3\n4,5,6\n", [I, I], exclude_cols=[0]))
drain(csv(b"1,2,3\n4,5,6\n", [I], exclude_cols=[0, 1]))
drain(csv(b"1,2,3\n4,5,6\n", [I], exclude_cols=[0]))
drain(csv(b"1,2,3\n4,5\n", [I, I], exclude_cols=[2]))
drain(csv(b"1,2,3\n4,5\n", [I, I], exclude_cols=[3]))
csv(b"1,2,3\n", [I, I], exclude_cols=[1, 0])
csv(b"1,2,3\n", [I, I], exclude_cols=[-1])
csv(b"1,2,3\n", [I, I], select_cols=[0, 1], exclude_cols=[2])
csv(b"1\n", [I])
csv(b"1\n", [I]).element_spec
csv(b"1,2\n", [I, [1.5], [b"x"], L, tf.constant([], G)]).element_spec
int(csv(b"1\n", [I]).cardinality())
isinstance(csv(b"1\n", [I]), tf.data.Dataset)
csv(b"1\n", [])
csv(b"1\n", [tf.bool])
csv(b"1\n", [tf.constant(True)])
csv(b"1\n", [tf.constant(1, tf.int16)])
csv(b"1\n", [[[1]]])
csv(b"1\n", [[1, 2]])
drain(csv(b",\n", [5, b"x"]))
drain(csv(b",\n", [tf.constant([5]), tf.constant("x")]))
drain(csv(b"1,2\n3,4\n", [I, I], "GZIP"))
drain(csv(b"1,2\n3,4\n", [I, I], "ZLIB"))
drain(csv(b"1,2\n3,4\n", [I, I], ""))
csv(b"1,2\n", [I, I], "LZ4")
drain(csv(b"1,2\n3,4\n5,6\n", [I, I], buffer_size=1))
drain(csv(b"11,22\n\"33\",44\n5\n6,7", [I, I], buffer_size=2))
csv(b"1,2\n", [I, I], buffer_size=0)
csv(b"1,2\n", [I, I], buffer_size=-1)
drain(csv([b"1,2\n3,4", b"", b"5,6\n"], [I, I]))
drain(csv([b"h,h\n1,2\n3,4", b"h\n5,6\n"], [I, I], header=True))
drain(csv([b"h,h", b"h\n5,6\n"], [I, I], header=True))
drain(csv([b"", b"h\n5,6\n"], [I, I], header=True))
drain(csv([b"1,x\n3,4", b"\"a", b"5,6\n"], [I, I]))
next(iter(tf.data.experimental.CsvDataset("none.csv", [I])))
next(iter(tf.data.experimental.CsvDataset(["none.csv", "none.csv"], [I]).take(3)))
drain(tf.data.experimental.CsvDataset([], [I]))
tf.data.experimental.CsvDataset(3, [I])
tf.data.experimental.CsvDataset([["none.csv"]], [I])
drain(tf.data.experimental.CsvDataset(tf.data.Dataset.from_tensors("none.csv"), [I]))
drain(csv(b"1,2\nx,4\n5,6\n", [I, I]).ignore_errors())
drain(csv(b"1,2\n3,4\n5,6\n", [I, I]).batch(2))
drain(csv(b"1,2\n3,4\n5,6\n", [I, I]).skip(1).repeat(2))
drain(csv(b"a,\xff\xfe\n\"\x00\",\xc3\xa9\n", [S, S]))
drain(csv(b"\xef\xbb\xbf1,2\n3,4\n", [I, I]))
drain(csv(b"1\x00,2\n3,4\n", [I, I]))
drain(csv(b"a\n" * 3 + b"b" * 70 + b"\nc\n", [S]))
columns(b"1,2\n3,4\n", [I, I])
columns(b"1,\n3,4\n", [I, [9]])
columns(b"1,2,3\n4,5,6", [I, S], select_cols=[0, 2])
take(made(b"a,b,c\n1,2.5,x\n2,3.5,y\n3,4.5,z\n", 2, num_epochs=1, shuffle=False))
take(made(b"a,b,c\n1,2.5,x\n2,3.5,y\n3,4.5,z\n", 2, shuffle=False))
take(made(b"a,b,c\n1,2.5,x\n2,3.5,y\n3,4.5,z\n", 2, label_name="c", num_epochs=1, shuffle=False))
take(made(b"a,b\n1,2\n3,4\n5,6\n7,8\n9,10\n", 2, num_epochs=1, shuffle_seed=3))
take(made(b"a,b\n1,2\n3,4\n5,6\n7,8\n9,10\n", 2, shuffle_seed=3))
take(made(b"a,b\n1,2\n3,4\n5,6\n7,8\n9,10\n", 2, num_epochs=2, shuffle_seed=3, shuffle_buffer_size=2))
tf.random.set_seed(4) or take(made(b"a,b\n1,2\n3,4\n5,6\n7,8\n9,10\n", 2, num_epochs=1))
made(b"a,b,c\n1,2.5,x\n", 2)
made(b"a,b,c\n1,2.5,x\n", 2).element_spec
made(b"a,b,c\n1,2.5,x\n", 2, num_epochs=1).element_spec
made(b"a,b,c\n1,2.5,x\n", 2, label_name="a", num_epochs=1).element_spec
made(b"a,b,c,d,e,f\n1,3000000000,1.5,1e300,x,\n,,,,,\n", 2, num_epochs=1).element_spec
made(b"a,b\n1,1\n1.5,x\n", 2).element_spec
made(b"a,b\n1,1\n1.5,x\n", 2, num_rows_for_inference=1).element_spec
made(b"a,b\n1,1\n1.5,x\n", 2, num_rows_for_inference=None).element_spec
made(b"a,b\nNA,NA\n1,NA\n", 2, na_value="NA").element_spec
made(b"a,b\n inf,1_0\n 1 , 2.5\n", 2).element_spec
take(made(b"1,2\n3,4\n", 1, column_names=["x", "y"], header=False, num_epochs=1, shuffle=False))
take(made(b"1,2\n3,4\n", 1, column_names=["x", "y"], num_epochs=1, shuffle=False))
made(b"1,2\n3,4\n", 1, header=False)
made(b"a,a\n3,4\n", 1)
made(b"", 1)
made(b"a,b\n", 1).element_spec
made(b"a,b\n1\n", 1)
take(made(b"a,b\n1,2\n3,4\n", 2, column_defaults=[tf.float32, [7]], num_epochs=1, shuffle=False))
take(made(b"a,b\n1,2\n,4\n", 2, column_defaults=[tf.float32, [7]], num_epochs=1, shuffle=False))
made(b"a,b\n1,2\n3,4\n", 2, column_defaults=[tf.float32])
made(b"a,b\n1,2\n3,4\n", 2, column_defaults=[tf.float32], num_epochs=1).element_spec
take(made(b"a,b,c\n1,2,3\n", 1, select_columns=["c", "a"], num_epochs=1, shuffle=False))
take(made(b"a,b,c\n1,2,3\n", 1, select_columns=[1], num_epochs=1, shuffle=False))
take(made(b"a,b,c\n1,2,3\n", 1, select_columns=[2, "a"], column_defaults=[tf.int64, tf.float32], num_epochs=1))
made(b"a,b,c\n1,2,3\n", 1, select_columns=["d"])
made(b"a,b,c\n1,2,3\n", 1, select_columns=[3])
made(b"a,b,c\n1,2,3\n", 1, select_columns=[-1])
made(b"a,b,c\n1,2,3\n", 1, select_columns=["a", 0])
made(b"a,b,c\n1,2,3\n", 1, select_columns=["a"], column_defaults=[tf.int32, tf.int32])
made(b"a,b\n1,2\n", 1, label_name="c")
made(b"a,b\n1,2\n", 1, select_columns=["a"], label_name="b")
take(made(b"a|b\n1|\"x|y\"\n", 1, field_delim="|", num_epochs=1))
take(made(b"a,b\n1,\"x\"\n", 1, use_quote_delim=False, num_epochs=1))
take(made(b"a,b\n1,2\nx,3\n4,5\n", 1, num_rows_for_inference=1, num_epochs=1, shuffle=False))
take(made(b"a,b\n1,2\nx,3\n4,5\n", 1, num_rows_for_inference=1, num_epochs=1, shuffle=False, ignore_errors=True))
take(made(b"a,b\n1,2\n3,4\n", 2, "GZIP", num_epochs=1, shuffle=False))
made(b"a,b\n1,2\n3,4\n", 2, "ZLIB")
take(made(b"a,b\n1,2\n3,4\n", 2, "ZLIB", column_names=["a", "b"], column_defaults=[I, I], num_epochs=1, shuffle=False))
made(b"a,b\n1,2\n3,4\n", 2, "LZ4")
take(made(b"a,b\n1,\xe9\n", 1, encoding="latin-1", num_epochs=1))
take(made([b"a,b\n1,2\n3,4\n", b"a,b\n5,6\n"], 2, num_epochs=1, shuffle=False))
take(made([b"a,b\n1,2\n3,4\n7,8\n", b"a,b\n5,6\n"], 1, num_epochs=1, shuffle=False, num_parallel_reads=2))
take(made([b"a,b\n1,2\n3,4\n7,8\n", b"a,b\n5,6\n"], 1, num_epochs=1, shuffle=False, num_parallel_reads=-1))
take(made([b"a,b\n1,2\n3,4\n7,8\n", b"a,b\n5,6\n", b"a,b\n9,9\n"], 2, num_epochs=1, shuffle_seed=5))
made([b"a,b\n1,2\n", b"a,c\n5,6\n"], 2)
made([b"a,b\n1,2\n", b""], 2)
tf.data.experimental.make_csv_dataset("nothing*", 2)
tf.data.experimental.make_csv_dataset([], 2)
take(tf.data.experimental.make_csv_dataset("g?.csv", 3, num_epochs=1, shuffle=False))
take(tf.data.experimental.make_csv_dataset(["g1.csv", "g0.csv"], 3, num_epochs=1, shuffle=False))
drain(sql("SELECT n, x, s FROM t", (I, G, S)))
drain(sql("SELECT n, x, s FROM t ORDER BY n DESC", (L, G, S)))
drain(sql("SELECT n FROM t", (tf.int8,)))
drain(sql("SELECT n FROM t", (tf.int16,)))
drain(sql("SELECT n FROM t", (tf.uint8,)))
drain(sql("SELECT n FROM t", (tf.uint16,)))
drain(sql("SELECT n FROM t", (tf.bool,)))
drain(sql("SELECT n FROM t", (S,)))
drain(sql("SELECT n FROM t", (G,)))
drain(sql("SELECT x FROM t", (I,)))
drain(sql("SELECT x FROM t", (S,)))
drain(sql("SELECT s FROM t", (I,)))
drain(sql("SELECT s FROM t", (G,)))
drain(sql("SELECT s FROM t", (tf.bool,)))
drain(sql("SELECT b FROM t", (S,)))
drain(sql("SELECT b FROM t", (I,)))
drain(sql("SELECT e FROM t", (I,)))
drain(sql("SELECT e FROM t", (S,)))
drain(sql("SELECT e FROM t", (G,)))
drain(sql("SELECT e FROM t", (tf.bool,)))
drain(sql("SELECT 3000000000", (I,)))
drain(sql("SELECT 300", (tf.int8,)))
drain(sql("SELECT -1", (tf.uint8,)))
drain(sql("SELECT 2.7", (I,)))
drain(sql("SELECT 2.7", (L,)))
drain(sql("SELECT '12abc'", (I,)))
drain(sql("SELECT '1.5e2x'", (G,)))
drain(sql("SELECT 0.1, 1e100, 1.0, 12345678.9", (S, S, S, S)))
next(iter(sql("SELECT 1, 2", (I,))))
next(iter(sql("SELECT 1", (I, I))))
next(iter(sql("SELECT n FROM nothing", (I,))))
next(iter(sql("SELEC n", (I,))))
next(iter(sql("", (I,))))
drain(sql("SELECT n FROM t WHERE n > 100", (I,)))
sql("SELECT n FROM t", (I,))
sql("SELECT n FROM t", (F,))
sql("SELECT n FROM t", (tf.float16,))
drain(sql("SELECT n FROM t", (F,)))
sql("SELECT n FROM t", (tf.uint32,))
sql("SELECT n, x FROM t", (I, G)).element_spec
int(sql("SELECT n FROM t", (I,)).cardinality())
drain(sql("SELECT n, s FROM t", {"a": I, "b": S}))
drain(sql("SELECT n FROM t", I))
drain(sql("SELECT n FROM t", [I]))
drain(tf.data.experimental.SqlDataset("mysql", "t.db", "SELECT n FROM t", (I,)))
drain(tf.data.experimental.SqlDataset("sqlite", "new.db", "SELECT 1", (I,)))
tf.data.experimental.SqlDataset(1, "t.db", "SELECT n FROM t", (I,))
drain(sql("SELECT n FROM t", (I,)).batch(2))
drain(sql("SELECT n FROM t", (I,)).repeat(2))
take(features(fixed, 2, num_epochs=1, shuffle=False))
take(features(fixed, 2, shuffle=False))
take(features(fixed, 2, num_epochs=1, shuffle=False, drop_final_batch=True))
take(features(fixed, 2, num_epochs=1, shuffle_seed=3))
take(features(fixed, 2, num_epochs=2, shuffle_seed=3, shuffle_buffer_size=2))
take(features(fixed, 2, num_epochs=1, shuffle=False, label_key="n"))
take(features(fixed, 2, num_epochs=1, shuffle=False, reader_num_threads=2))
take(features(fixed, 2, num_epochs=1, shuffle=False, reader=tf.data.TFRecordDataset, reader_args=["", 0]))
features(fixed, 2)
features(fixed, 2).element_spec
features(fixed, 2, num_epochs=1).element_spec
features(fixed, 2, label_key="n").element_spec
features(fixed, 2, label_key="z")
features(mixed, 2, num_epochs=1).element_spec
take(features(mixed, 2, num_epochs=1, shuffle=False))
tf.data.experimental.make_batched_features_dataset("nothing*", 2, fixed)
drain(parsed(fixed))
drain(parsed(mixed))
drain(parsed({"n": tf.io.FixedLenFeature([], L), "w": tf.io.FixedLenFeature([2], F)}))
drain(parsed(fixed, num_parallel_calls=2, deterministic=True))
parsed(fixed)
parsed(mixed)
parsed(mixed).element_spec
parsed(None)
tf.data.Dataset.range(3).apply(tf.data.experimental.parse_example_dataset(fixed))
slices(["a", "b"]).apply(tf.data.experimental.parse_example_dataset(fixed))
drain(slices([["a", "b"]]).apply(tf.data.experimental.parse_example_dataset(fixed)))
tf.data.experimental.TFRecordWriter("w").write(slices(["one", "two"]))
drain(tf.data.TFRecordDataset("w"))
tf.data.experimental.TFRecordWriter("w.gz", "GZIP").write(slices(["one", "two"]))
drain(tf.data.TFRecordDataset("w.gz", "GZIP"))
tf.data.experimental.TFRecordWriter("w.z", compression_type="ZLIB").write(slices(["one"]))
drain(tf.data.TFRecordDataset("w.z", "ZLIB"))
tf.data.experimental.TFRecordWriter("w").write(slices(["three"]))
drain(tf.data.TFRecordDataset("w"))
tf.data.experimental.TFRecordWriter("w").write(slices([1]))
tf.data.experimental.TFRecordWriter("w").write(slices([["a"]]))
tf.data.experimental.TFRecordWriter("w").write(["a"])
tf.data.experimental.TFRecordWriter("no/w").write(slices(["a"]))
tf.data.experimental.TFRecordWriter(1)
features(mixed, 2, num_epochs=1, drop_final_batch=True).element_spec
take(features({"v": tf.io.VarLenFeature(S), **fixed}, 2, num_epochs=1, shuffle=False, drop_final_batch=True))
"""

_ROWS = [
    (1, 0.5, "a", b"\x00x", None),
    (-2, 2.0, "b\u00e9", b"", None),
    (300, -1e3, "", b"z", None),
]


def prepare(tf: Any) -> None:
    """Writes the files that the steps share, into the present folder."""
    for number in range(3):
        Path(f"g{number}.csv").write_bytes(b"a,b\n%d,x\n%d,y\n" % (number, number + 10))
    with sqlite3.connect("t.db") as base:
        base.execute("CREATE TABLE t (n INTEGER, x REAL, s TEXT, b BLOB, e INTEGER)")
        base.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?)", _ROWS)
    base.close()
    for file in range(2):
        with tf.io.TFRecordWriter(f"e{file}") as writer:
            for number in range(3 - file):
                writer.write(example(tf, 10 * file + number))


def example(tf: Any, number: int) -> bytes:
    """A serialized message of a few features."""
    train = tf.train
    values = {
        "n": train.Feature(int64_list=train.Int64List(value=[number])),
        "w": train.Feature(float_list=train.FloatList(value=[number / 2, -1.0])),
        "v": train.Feature(bytes_list=train.BytesList(value=[b"v"] * (number % 3))),
        "i": train.Feature(int64_list=train.Int64List(value=range(number % 3))),
        "r": train.Feature(int64_list=train.Int64List(value=range(number % 4))),
    }
    message: bytes = train.Example(features=train.Features(feature=values)).SerializeToString()
    return message


def drain(dataset: Any) -> list[Any]:
    """The elements, with the class of each error that comes among them; 12 at most."""
    iterator, seen = iter(dataset), []
    for _ in range(12):
        try:
            seen.append(plain(next(iterator)))
        except StopIteration:
            return seen
        except Exception as error:  # noqa: BLE001 - which error is what is compared
            seen.append(type(error).__name__)
    return [*seen, "and so on"]


def plain(value: Any) -> Any:
    """A value of tensors as lists and numbers."""
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, tuple) and not hasattr(value, "dense_shape"):
        return tuple([plain(part) for part in value])
    if hasattr(value, "dense_shape"):
        return [plain(part) for part in (value.indices, value.values, value.dense_shape)]
    if hasattr(value, "row_splits"):
        return value.to_list()
    return value.dtype.name, np.asarray(value).tolist()


def take(dataset: Any) -> list[Any]:
    """The first elements."""
    return drain(dataset.take(4))


def places(tf: Any) -> dict[str, Any]:
    """The names that steps use."""
    numbers = itertools.count()
    packings: dict[str, Callable[[bytes], bytes]] = {"GZIP": gzip.compress, "ZLIB": zlib.compress}

    def files(texts: Any, compression: Any) -> Any:
        """New files of texts, which may be compressed."""
        if isinstance(texts, list):
            return [files(text, compression) for text in texts]
        path = f"f{next(numbers):04}.csv"
        Path(path).write_bytes(packings.get(compression, bytes)(texts))
        return path

    def csv(texts: Any, defaults: Any, compression: Any = None, *rest: Any, **options: Any) -> Any:
        kind = tf.data.experimental.CsvDataset
        return kind(files(texts, compression), defaults, compression, *rest, **options)

    def columns(text: bytes, defaults: Any, **options: Any) -> Any:
        lines = tf.data.TextLineDataset(files(text, None)).batch(8)
        defaults = [tf.constant([], d) if isinstance(d, tf.DType) else d for d in defaults]
        return drain(lines.map(lambda batch: tuple(tf.io.decode_csv(batch, defaults, **options))))

    def made(texts: Any, size: int, compression: Any = None, **options: Any) -> Any:
        paths = files(texts, compression)
        kind = tf.data.experimental.make_csv_dataset
        return kind(paths, size, compression_type=compression, **options)

    def sql(query: str, types: Any) -> Any:
        return tf.data.experimental.SqlDataset("sqlite", "t.db", query, types)

    def features(kinds: Any, size: int, **options: Any) -> Any:
        return tf.data.experimental.make_batched_features_dataset("e?", size, kinds, **options)

    def parsed(kinds: Any, **options: Any) -> Any:
        messages = tf.data.TFRecordDataset(["e0", "e1"]).batch(2)
        return messages.apply(tf.data.experimental.parse_example_dataset(kinds, **options))

    fixed = {
        "n": tf.io.FixedLenFeature([], tf.int64),
        "w": tf.io.FixedLenFeature([2], tf.float32),
    }
    mixed = {
        **fixed,
        "v": tf.io.VarLenFeature(tf.string),
        "r": tf.io.RaggedFeature(tf.int64),
        "s": tf.io.SparseFeature("i", "v", tf.string, 5),
        "d": tf.io.FixedLenSequenceFeature([], tf.int64, True),
    }
    dtypes = {
        "I": tf.int32, "L": tf.int64, "F": tf.float32, "G": tf.float64, "S": tf.string,
    }  # fmt: skip
    return {
        "tf": tf, "csv": csv, "columns": columns, "made": made, "sql": sql, "features": features,
        "parsed": parsed, "fixed": fixed, "mixed": mixed, "drain": drain, "take": take,
        "slices": tf.data.Dataset.from_tensor_slices, **dtypes,
    }  # fmt: skip


def outcomes(tf: Any) -> dict[str, str]:
    """What each step gives, or the class of the error that it raises."""
    prepare(tf)
    names = places(tf)
    results = {}
    for number, step in enumerate(STEPS.strip().splitlines()):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                text = repr(eval(step, names))
        except Exception as error:  # noqa: BLE001 - which error is what is compared
            text = f"! {type(error).__name__}"
        results[f"{number} {step}"] = text
    return results
