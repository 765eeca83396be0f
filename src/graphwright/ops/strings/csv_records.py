"""Records of comma-separated values, many at once, as RFC 4180 has them.

One step finds all separators, ends and quotes of a text. So a field is a pair of places, and the
numbers of a column are read together. `field_code` does both in large texts. Where quotes are odd,
`odd_records` goes through the text field by field.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import count, islice
from typing import TypeAlias

import numpy as np

from graphwright.base.named_tuples import NamedTuple
from graphwright.op.late_imports import late_module
from graphwright.ops.strings import field_code
from graphwright.ops.strings.number_columns import BEFORE, Fields, decimals, integers
from graphwright.types import dtypes as dt
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType

#: What a column may be made of.
KINDS = frozenset({dt.float32, dt.float64, dt.int32, dt.int64, dt.string})

_AFTER = 8
_NEWLINE, _RETURN, _QUOTE = b'\n\r"'
#: Strings up to this length are taken together.
_SHORT = 32
_LOW = np.array([(1 << 8 * n) - 1 for n in range(9)], np.uint64)


class TableForm(NamedTuple):
    """What the columns of a table are, and how its text is divided."""

    dtypes: tuple[DType, ...]
    #: For each column the value of an empty field; None where there must be one.
    defaults: tuple[object, ...]
    delimiter: bytes = b","
    quotes: bool = True
    #: A text that counts as an empty field.
    na_value: bytes = b""
    #: The fields that are columns, in order; all where there are none.
    chosen: tuple[int, ...] = ()
    #: The fields that are no columns, in order.
    excluded: tuple[int, ...] = ()

    def fields(self) -> list[int]:
        """The numbers of the fields that are columns."""
        if self.chosen:
            return list(self.chosen)
        return list(islice((n for n in count() if n not in self.excluded), len(self.dtypes)))

    def present(self, counts: Array) -> Array:
        """How many columns records have that have so many fields."""
        if self.chosen:
            return np.searchsorted(np.array(self.chosen), counts)
        return counts - np.searchsorted(np.array(self.excluded, np.int64), counts)


class CsvTable(NamedTuple):
    """The whole records that a text begins with."""

    columns: tuple[Array, ...]
    #: What is wrong with records, by their numbers; their places in columns mean nothing.
    faults: dict[int, str]
    #: Where each record begins in the text, and behind them where the last one ends.
    places: Array


class CsvScan(NamedTuple):
    """The fields of the whole records that a text begins with."""

    fields: Fields
    #: For each record the number of its first field, and of fields.
    firsts: Array
    counts: Array
    #: Where each record begins in the text, and behind them where the last one ends.
    places: Array
    #: The numbers of fields in which two quotes stand for one.
    escaped: Array


def table(data: bytes, form: TableForm, is_last: bool) -> CsvTable:
    """The columns of the records in a text, of which only the last may lack an end."""
    lacks_end = is_last and data != b"" and data[-1] not in (_NEWLINE, _RETURN)
    page = b"".join([bytes(BEFORE), data, b"\n" * lacks_end, bytes(_AFTER)])
    scan = scanned(page, form, is_last)
    if scan is None:
        return of_records(list(odd_records(data, form, is_last)), form)
    present = form.present(scan.counts)
    whole = np.flatnonzero(present == len(form.dtypes))
    parts = np.array(form.fields())[:, None] + scan.firsts[whole]
    columns: list[Array] = [np.empty(0)] * len(form.dtypes)
    faults: dict[int, tuple[int, str]] = {}
    for dtype in dict.fromkeys(form.dtypes):
        numbers = [n for n, kind in enumerate(form.dtypes) if kind is dtype]
        group = Group(page, scan, parts[numbers], form, dtype, numbers)
        for place, number in enumerate(numbers):
            columns[number] = group.values[place]
        for row, fault in group.faults.items():
            record = int(whole[row])
            faults[record] = min(fault, faults.get(record, fault))
    if len(whole) < len(present):
        for record in np.flatnonzero(present != len(form.dtypes)).tolist():
            faults[record] = 0, wrong_count(form, int(present[record]))
        columns = [spread(column, whole, len(present)) for column in columns]
    places = np.minimum(scan.places - BEFORE, len(data))
    return CsvTable(tuple(columns), {r: what for r, (_, what) in faults.items()}, places)


def wrong_count(form: TableForm, present: int) -> str:
    """What is wrong with a record of so many fields."""
    return f"Expect {len(form.dtypes)} fields but have {present} in record"


def spread(column: Array, places: Array, size: int) -> Array:
    """A column of another size, in which the values stand at places."""
    whole = np.zeros(size, column.dtype)
    whole[places] = column
    return whole


def scanned(page: bytes, form: TableForm, is_last: bool) -> CsvScan | None:
    """The fields in a text between margins; None where quotes are odd."""
    delimiter = form.delimiter[0]
    if delimiter in (_NEWLINE, _RETURN, _QUOTE):
        return None
    octets = np.frombuffer(page, np.uint8)
    has_quotes = form.quotes and b'"' in page
    end = len(page) - _AFTER
    if not has_quotes and b"\r" not in page and field_code.are_ready_for(len(page)):
        return plain_scan(octets, *field_code.cut(octets, BEFORE, end, delimiter))
    body = octets[BEFORE:end]
    special = (body == _NEWLINE) | (body == _RETURN) | (body == delimiter)
    if has_quotes:
        special |= body == _QUOTE
    marks = np.flatnonzero(special) + BEFORE
    kinds = octets[marks]
    is_end = (kinds == _NEWLINE) | (kinds == _RETURN)
    is_cut = is_end | (kinds == delimiter)
    if has_quotes:
        is_quote = kinds == _QUOTE
        before = np.cumsum(is_quote)
        is_cut &= before & 1 == 0
        is_end &= is_cut
    wide = np.zeros(0, bool)
    if b"\r" in page:
        wide = is_end & (kinds == _RETURN) & (octets[marks + 1] == _NEWLINE)
        behind = np.flatnonzero(wide) + 1
        is_cut[behind] = is_end[behind] = False
        if not is_last and page[-_AFTER - 1] == _RETURN:  # a newline may follow
            is_cut[-1] = is_end[-1] = False
    cuts = np.flatnonzero(is_cut)
    stops = marks[cuts]
    following = stops + 1
    if wide.size:
        following = following + wide[cuts]
    starts = np.concatenate([[BEFORE], following[:-1]]) if len(cuts) else stops
    lasts = np.flatnonzero(is_end[cuts])
    firsts = np.concatenate([[0], lasts[:-1] + 1]) if len(lasts) else lasts
    places = np.concatenate([[BEFORE], following[lasts]])
    escaped = cuts[:0]
    if is_last and places[-1] < end:
        return None
    if has_quotes:
        if is_odd(octets, marks[is_quote], int(places[-1]), delimiter):
            return None
        quotes = np.diff(before[cuts], prepend=0)
        quoted = np.flatnonzero(quotes)
        quoted = quoted[: np.searchsorted(quoted, lasts[-1] + 1)] if len(lasts) else quoted[:0]
        first, last = octets[starts[quoted]], octets[stops[quoted] - 1]
        if (first != _QUOTE).any() or (last != _QUOTE).any():
            return None
        escaped = quoted[quotes[quoted] > 2]
        starts[quoted] += 1
        stops[quoted] -= 1
        for field in escaped.tolist():
            if b'"' in page[starts[field] : stops[field]].replace(b'""', b""):
                return None
    fields = Fields(octets, starts, stops)
    return CsvScan(fields, firsts, lasts - firsts + 1, places, escaped)


def plain_scan(octets: Array, stops: Array, lasts: Array) -> CsvScan:
    """The fields of a text without quotes and carriage returns."""
    starts = np.concatenate([[BEFORE], stops[:-1] + 1]) if len(stops) else stops
    firsts = np.concatenate([[0], lasts[:-1] + 1]) if len(lasts) else lasts
    places = np.concatenate([[BEFORE], stops[lasts] + 1])
    return CsvScan(Fields(octets, starts, stops), firsts, lasts - firsts + 1, places, lasts[:0])


def is_odd(octets: Array, quotes: Array, stop: int, delimiter: int) -> bool:
    """Whether the first quote behind the last whole record is not where a field begins."""
    behind = quotes[np.searchsorted(quotes, stop) :]
    return len(behind) > 0 and bool(behind[0] != stop and octets[behind[0] - 1] != delimiter)


class Group:
    """The columns of one dtype."""

    def __init__(
        self, page: bytes, scan: CsvScan, parts: Array, form: TableForm, dtype: DType,
        numbers: Sequence[int],
    ) -> None:  # fmt: skip
        self.page, self.scan, self.form = page, scan, form
        self.dtype, self.numbers = dtype, numbers
        #: For each row what is wrong with it, behind the number of the column.
        self.faults: dict[int, tuple[int, str]] = {}
        self.parts = parts.reshape(-1)
        values, is_missing = self.strings() if dtype is dt.string else self.read_numbers()
        self.values = values.reshape(parts.shape)
        if is_missing.any():
            self.fill(is_missing.reshape(parts.shape))

    @cached_property
    def fields(self) -> Fields:
        """The fields of these columns, one column after another."""
        octets, starts, stops = self.scan.fields
        return Fields(octets, starts[self.parts], stops[self.parts])

    def missing(self, is_empty: Array) -> Array:
        """Which fields are empty, or as good as that."""
        na_value = self.form.na_value
        if not na_value:
            return is_empty
        octets, starts, stops = self.fields
        alike = np.flatnonzero(stops - starts == len(na_value))
        for place, octet in enumerate(na_value):
            alike = alike[octets[starts[alike] + place] == octet]
        is_empty[alike] = True
        return is_empty

    def fill(self, is_missing: Array) -> None:
        """Puts defaults where nothing is."""
        for place, number in enumerate(self.numbers):
            rows = np.flatnonzero(is_missing[place])
            default = self.form.defaults[number]
            if default is not None:
                self.values[place, rows] = default
            else:
                for row in rows.tolist():
                    self.fault(row, number, f"Field {number} is required but missing in record!")

    def fault(self, row: int, number: int, what: str) -> None:
        """Says what is wrong with a field; of a record the first fault counts."""
        self.faults[row] = min((number, what), self.faults.get(row, (number, what)))

    def text(self, place: int) -> bytes:
        """A field as bytes."""
        text = self.page[self.fields.starts[place] : self.fields.stops[place]]
        return text.replace(b'""', b'"') if self.parts[place] in self.scan.escaped else text

    def read_numbers(self) -> tuple[Array, Array]:
        """The numbers in all fields, and which fields are missing."""
        dtype = self.dtype.numpy_dtype
        if field_code.are_ready_for(len(self.parts)):
            values, states = field_code.read(*self.scan.fields, self.parts, dtype)
            is_missing, is_odd = states == field_code.EMPTY, states == field_code.OTHER
        else:
            read = integers if self.dtype.is_integer else decimals
            values, is_known = read(self.fields, dtype)
            is_missing, is_odd = self.fields.starts == self.fields.stops, ~is_known
        is_missing = self.missing(is_missing)
        odd = np.flatnonzero(is_odd & ~is_missing)
        if len(odd):
            values[odd] = self.odd_numbers(odd)
        return values, is_missing

    def odd_numbers(self, places: Array) -> Array:
        """The numbers in fields that are not read together with others."""
        texts = np.empty(len(places), object)
        texts[:] = [self.text(place) for place in places.tolist()]
        try:
            return numbers_in(texts, self.dtype)
        except ValueError:
            return np.array([self.odd_number(int(place)) for place in places])

    def odd_number(self, place: int) -> object:
        """The number in a field; 0 where there is none."""
        text = self.text(place)
        try:
            return number_in(text, self.dtype)
        except ValueError:
            column, row = divmod(place, len(self.parts) // len(self.numbers))
            number = self.numbers[column]
            self.fault(row, number, not_valid(number, self.dtype, text))
            return 0

    def strings(self) -> tuple[Array, Array]:
        """All fields as strings, and which of them are missing."""
        octets, starts, stops = self.fields
        lengths = stops - starts
        width = int(lengths.max(initial=0))
        column = np.empty(len(starts), object)
        if width <= _SHORT and b"\0" not in self.page[BEFORE:-_AFTER]:
            column[:] = short_strings(octets, starts, lengths, width).tolist()
        else:
            page = self.page
            column[:] = [page[a:b] for a, b in zip(starts.tolist(), stops.tolist())]
        if len(self.scan.escaped):
            for place in np.flatnonzero(np.isin(self.parts, self.scan.escaped)).tolist():
                column[place] = column[place].replace(b'""', b'"')
        return column, self.missing(lengths == 0)


def short_strings(octets: Array, starts: Array, lengths: Array, width: int) -> Array:
    """Parts of a text as NumPy's strings of a size, none of which ends in a zero."""
    words = -(-width // 8) or 1
    windows = np.ndarray((len(octets) - 7,), "V8", octets, 0, (1,))
    parts = np.empty((len(starts), words), np.uint64)
    for word in range(words):
        places = np.minimum(starts + 8 * word, len(windows) - 1)
        mask = _LOW[np.clip(lengths - 8 * word, 0, 8)]
        parts[:, word] = windows[places].view("<u8") & mask
    return parts.astype("<u8", copy=False).view(f"S{8 * words}")[:, 0]


def numbers_in(texts: Array, dtype: DType) -> Array:
    """The numbers that strings show; ValueError where one shows none."""
    kernels = late_module("graphwright.ops.strings.string_kernels")  # few files need it
    numbers: Array = kernels.to_number(texts, dtype.numpy_dtype)
    return numbers


def number_in(text: bytes, dtype: DType) -> object:
    """The number that a field shows; ValueError where it shows none."""
    number: object = numbers_in(np.array([text], object), dtype)[0]
    return number


def not_valid(number: int, dtype: DType, text: bytes) -> str:
    """What is wrong with a field that shows no number."""
    shown = text.decode("utf-8", "backslashreplace")
    return f"Field {number} in record is not a valid {dtype.name}: {shown}"


# -- odd quotes -----------------------------------------------------------------------------


class OddRecord(NamedTuple):
    """A record as it was read byte by byte."""

    fields: list[bytes]
    fault: str
    #: Where it begins, and where the next one does.
    start: int
    stop: int


def odd_records(data: bytes, form: TableForm, is_last: bool) -> Iterator[OddRecord]:
    """The whole records of a text; what is wrong with one leaves the next as it is."""
    start = 0
    while start < len(data):
        record = odd_record(data, start, form, is_last)
        if record is None:
            return
        yield record
        start = record.stop


def odd_record(data: bytes, start: int, form: TableForm, is_last: bool) -> OddRecord | None:
    """The record at a place; None where more of the text must be read."""
    fields: list[bytes] = []
    fault, place, is_over = "", start, False
    while not is_over:
        read = quoted if form.quotes and data[place : place + 1] == b'"' else unquoted
        value, wrong, place, end = read(data, place, form)
        if end < 0 and not is_last:
            return None
        fields.append(value)
        fault = fault or wrong
        is_over = end != form.delimiter[0]
        if end == _RETURN and is_over:
            if place == len(data) and not is_last:
                return None
            place += data[place : place + 1] == b"\n"
    return OddRecord(fields, fault, start, place)


#: The value of a field, what is wrong with it, and where the next one begins. Then the byte before
#: that, or -1 at the end of the text.
Part: TypeAlias = tuple[bytes, str, int, int]


def unquoted(data: bytes, place: int, form: TableForm) -> Part:
    """A field without quotes around it."""
    end = ends(form.delimiter).search(data, place)
    stop = len(data) if end is None else end.start()
    value, wrong = data[place:stop], ""
    if form.quotes and b'"' in value:
        wrong = "Unquoted fields cannot have quotes inside"
    return (value, wrong, stop, -1) if end is None else (value, wrong, stop + 1, data[stop])


@lru_cache(maxsize=8)
def ends(delimiter: bytes) -> re.Pattern[bytes]:
    """What ends a field without quotes."""
    return re.compile(b"[\n\r" + re.escape(delimiter) + b"]")


def quoted(data: bytes, place: int, form: TableForm) -> Part:
    """A field in quotes, in which two of them stand for one."""
    value, wrong = b"", ""
    while True:
        place += 1
        stop = data.find(b'"', place)
        if stop < 0:
            wrong = wrong or "Reached end of file without closing quoted field in record"
            return value, wrong, len(data), -1
        value += data[place:stop]
        place = stop + 1
        if place == len(data):
            return value, wrong, place, -1
        if data[place] in (form.delimiter[0], _NEWLINE, _RETURN):
            return value, wrong, place + 1, data[place]
        if data[place] != _QUOTE:
            wrong = wrong or "Quote inside a string has to be escaped by another quote"
        value += b'"'


def of_records(records: Sequence[OddRecord], form: TableForm) -> CsvTable:
    """The columns of records that were read byte by byte."""
    columns = [np.zeros(len(records), dtype.numpy_dtype) for dtype in form.dtypes]
    faults = {}
    chosen = form.fields()
    for row, record in enumerate(records):
        fault = record.fault or record_fault(columns, row, record.fields, chosen, form)
        if fault:
            faults[row] = fault
    places = np.array([0, *[record.stop for record in records]])
    return CsvTable(tuple(columns), faults, places)


def record_fault(
    columns: Sequence[Array], row: int, fields: Sequence[bytes], chosen: Sequence[int],
    form: TableForm,
) -> str:  # fmt: skip
    """What is wrong with a record, whose values are put into columns."""
    present = int(form.present(np.array(len(fields))))
    if present != len(form.dtypes):
        return wrong_count(form, present)
    for number, (column, dtype) in enumerate(zip(columns, form.dtypes)):
        text = fields[chosen[number]]
        default = form.defaults[number]
        if text and text != form.na_value:
            try:
                column[row] = text if dtype is dt.string else number_in(text, dtype)
            except ValueError:
                return not_valid(number, dtype, text)
        elif default is None:
            return f"Field {number} is required but missing in record!"
        else:
            column[row] = default
    return ""
