"""Finds the cells of tables under a column whose name is that of a secret: aligned, separated, or a series."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from themisto_lab.capture.probe.secrets import PLACEHOLDER, SURE, name_secrecy
from themisto_lab.capture.redact_names import holds_no_secret

# Cells of a table stand two blanks or a line apart.
_CELL = re.compile(r"[^\s|│┆]+(?: [^\s|│┆]+)*")
_NO_VALUES = frozenset(["NaN", "None", "null", "...", "…", "---", "str", PLACEHOLDER])
_SEPARATORS = (",", ";", "\t")
_FIELD_NAME = re.compile(r"\"?[\w.()%#-]{1,60}(?:[ ][\w.()%#-]{1,30}){0,2}\"?")
_FOOTER = re.compile(r"(?:Name: (?P<name>[^,\n]{1,80}), (?:Length: \d+, )?)?dtype: (?:object|str|string)\b")
_TRIPLE = re.compile(r"^.*(?:\"\"\"|''')")


def blank_columns(text: str) -> tuple[str, int]:
    """Blank the cells under a secret's name in an output.

    Parameters
    ----------
    text
        What a cell printed or returned.

    Returns
    -------
    tuple
        The text with `PLACEHOLDER` in those cells, and how many there were.
    """
    if "\n" not in text:
        return text, 0
    lines = text.split("\n")
    count = _blank_aligned(lines) + _blank_separated(lines) + _blank_series(lines)
    return ("\n".join(lines), count) if count else (text, 0)


def blank_columns_in_code(code: str) -> tuple[str, int]:
    """Blank the cells under a secret's name in the separated text of a multi-line literal or a written file."""
    if "\n" not in code or not ('"""' in code or "'''" in code or code.startswith("%%writefile")):
        return code, 0
    lines = code.split("\n")
    count = _blank_separated(lines, in_code=not code.startswith("%%writefile"))
    return ("\n".join(lines), count) if count else (code, 0)


def _blank_aligned(lines: list[str]) -> int:
    """Blank in a table of aligned columns, as pandas and polars print one."""
    count = 0
    spans: list[tuple[int, int]] = []
    for at, line in enumerate(lines):
        following = lines[at + 1] if at + 1 < len(lines) else ""
        header = [cell.span() for cell in _header_names(line, following)]
        if header or not line.strip():
            spans = header
        elif spans and PLACEHOLDER not in line:
            lines[at], n = _blank_spans(line, spans)
            count += n
    return count


def _header_names(line: str, following: str) -> Iterator[re.Match[str]]:
    if len(line) > 5_000:
        return
    cells = list(_CELL.finditer(line))
    # A header's cells are all names; a sentence is not one, nor is a row, which begins or ends with a number.
    if not 1 <= len(cells) <= 40 or not all(re.fullmatch(r"[\w.()%# -]+", cell[0]) for cell in cells):
        return
    if cells[0][0].isdigit() or (cells[0].start() == 0 and cells[-1][0].isdigit()):
        return
    if len(cells) == 1 and not _is_over_one_column(line, cells[0], following):
        return
    for cell in cells:
        if name_secrecy(cell[0]) == SURE:
            yield cell


def _is_over_one_column(line: str, name: re.Match[str], following: str) -> bool:
    """Tell whether a name alone in its line stands over the only column of a frame."""
    if line[:1] in ("│", "|"):
        return True
    cells = list(_CELL.finditer(following)) if len(following) <= 5_000 else []
    return name.start() > 0 and len(cells) >= 2 and cells[0].start() == 0 and cells[-1].end() == name.end()


def _blank_spans(line: str, spans: Sequence[tuple[int, int]]) -> tuple[str, int]:
    """Blank the cell that ends where a column's name ends, or that begins where it begins."""
    count = 0
    # From the right, so that the places of the cells before it stay true.
    for cell in reversed(list(_CELL.finditer(line))):
        under = any(cell.end() == end or cell.start() == begin for begin, end in spans)
        if under and cell.start() > 0 and cell[0] not in _NO_VALUES:
            line = line[: cell.start()] + PLACEHOLDER + line[cell.end() :]
            count += 1
    return line, count


def _blank_separated(lines: list[str], *, in_code: bool = False) -> int:
    """Blank in lines whose fields a comma, a semicolon or a tab separates, below a line of names."""
    count = 0
    separator, n_fields = "", 0
    secret: list[int] = []
    for at, line in enumerate(lines):
        if secret:
            fields = line.split(separator)
            if len(fields) == n_fields or '"' in line:
                fields = _fields(line, separator)
            if len(fields) == n_fields:
                count += _blank_fields(fields, secret)
                lines[at] = separator.join(fields)
                continue
        separator, names = _header_fields(line, in_code=in_code)
        n_fields = len(names)
        secret = [column for column, name in enumerate(names) if name_secrecy(name.strip('" ')) == SURE]
    return count


def _header_fields(line: str, *, in_code: bool) -> tuple[str, list[str]]:
    if len(line) > 5_000:
        return "", []
    if in_code:
        opened = _TRIPLE.match(line)
        if opened is None:
            return "", []
        line = line[opened.end() :]
    for separator in _SEPARATORS:
        fields = line.strip("\r").split(separator)
        # Prose and code have a blank after a comma, files of separated values have none.
        if len(fields) > 1 and all(_FIELD_NAME.fullmatch(field) for field in fields):
            return separator, fields
    return "", []


def _fields(line: str, separator: str) -> list[str]:
    """Split a line; a separator between quotes separates nothing."""
    if '"' not in line:
        return line.split(separator)
    fields = [""]
    within = False
    for piece in re.split(f'({re.escape(separator)}|")', line):
        if piece == '"':
            within = not within
        if piece == separator and not within:
            fields.append("")
        else:
            fields[-1] += piece
    return fields


def _blank_fields(fields: list[str], secret: Sequence[int]) -> int:
    count = 0
    for column in secret:
        value = fields[column].strip('"\r ')
        if value and PLACEHOLDER not in value and value not in _NO_VALUES:
            fields[column] = fields[column].replace(value, PLACEHOLDER, 1)
            count += 1
    return count


def _blank_series(lines: list[str]) -> int:
    """Blank in a pandas series: all of it by its name, or the item whose label is that of a secret."""
    count = 0
    for at, line in enumerate(lines):
        footer = _FOOTER.match(line) if "dtype: " in line else None
        if footer is None:
            continue
        of_secrets = name_secrecy(footer["name"] or "") == SURE
        for above in range(at - 1, max(-1, at - 1_000), -1):
            cells = list(_CELL.finditer(lines[above])) if len(lines[above]) <= 5_000 else []
            if len(cells) < 2:
                if cells and cells[0][0].strip(".") == "":
                    continue
                break
            label, value = cells[0][0], cells[-1]
            is_secret = of_secrets or name_secrecy(label) == SURE
            if is_secret and value[0] not in _NO_VALUES and not holds_no_secret(value[0]):
                lines[above] = lines[above][: value.start()] + PLACEHOLDER + lines[above][value.end() :]
                count += 1
    return count
