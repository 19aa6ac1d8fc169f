"""CSV files exchanged with spreadsheets: read whatever a spreadsheet saves, write cells that are no formulas."""

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path

MAX_FILE_BYTES = 16 << 20
FORMULA_MARKS = tuple("=+-@\t\r＝＋－＠")
_EXCEL_SEPARATOR = re.compile(r'"?sep[ ]*=[ ]*([,;\t|:])"?[,;\t]*', re.IGNORECASE)
_TEXT_FORMULA = re.compile(r'="([^"=]*)"')  # keeps a spreadsheet from taking an id for a number
SEPARATORS = ';"\t'
_CONTROL_CHARACTERS = re.compile(r"[\x00-\x1f\x7f-\x9f]")


def text_cell(value: object) -> str:
    """Return a text cell on one line; an apostrophe in front keeps a spreadsheet from taking it for a formula."""
    joined = _CONTROL_CHARACTERS.sub("", " ".join(str(value or "").split()))
    # A spreadsheet may drop invisible characters or a quotation mark and then see a formula.
    # A number such as "-5" is not a formula.
    visible = "".join(mark for mark in joined if mark.isprintable())
    risky = visible.lstrip(" \"'").startswith(FORMULA_MARKS)
    guarded = _guarded_inside(joined)
    return f"'{guarded}" if risky and not _is_number(joined) else guarded


def _guarded_inside(joined: str) -> str:
    """Put an apostrophe before a formula that follows a semicolon, tab or quotation mark.

    A spreadsheet whose lists are separated by semicolons cuts the row there, and the rest begins a cell.
    """
    parts: list[str] = []
    begins = started = False
    for mark in joined:
        if begins and mark in FORMULA_MARKS:
            parts.append("'")
        if mark in SEPARATORS:
            begins = started or mark != '"'
        elif mark.isprintable() and mark not in " '":
            begins, started = False, True
        parts.append(mark)
    return "".join(parts)


def number_cell(value: float) -> str:
    """Return points with at most four decimals and a decimal point, whatever the locale of the computer."""
    return repr(round(float(value), 4)).removesuffix(".0")


def read_rows(file: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield the non-empty rows of a CSV file with their line numbers; commas, semicolons and tabs separate cells.

    Raises
    ------
    ValueError
        If the file cannot be read as CSV; the message says what to do.
    """
    try:
        with open(file, "rb") as stream:
            data = stream.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise ValueError(f"{file} cannot be read: {error.strerror}") from None
    if len(data) > MAX_FILE_BYTES or data.startswith(b"PK"):
        raise ValueError(f"{file} is not a CSV file; save the list from your spreadsheet as CSV (UTF-8)")
    try:
        text = data.decode("utf-16" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(f"{file} is not in UTF-8; save the list from your spreadsheet as CSV (UTF-8)") from None
    text = text.lstrip("\ufeff")  # a list that was saved twice can begin with two marks
    text, skipped = text.lstrip("\r\n"), text[: len(text) - len(text.lstrip("\r\n"))].count("\n")
    first, _, rest = text.partition("\n")
    if stated := _EXCEL_SEPARATOR.fullmatch(first.strip("\r")):
        # Excel's own first line, which names the separator and is not a row.
        separator, text, skipped = stated[1], rest, skipped + 1
    else:
        separator = max(",;\t", key=first.count)
    _refuse_open_quotation(text, separator, file, skipped)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    try:
        for row in rows:
            if any(cell.strip() for cell in row):
                yield rows.line_num + skipped, [_TEXT_FORMULA.sub(r"\1", cell) for cell in row]
    except csv.Error as problem:
        raise ValueError(f"{file}, line {rows.line_num + skipped}: {problem}") from None


def _refuse_open_quotation(text: str, separator: str, file: Path, skipped: int) -> None:
    """Refuse a quotation mark without its partner: all later rows would be one cell, and their people would be missing."""
    last = 0
    try:
        for _ in (rows := csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)):
            last = rows.line_num
    except csv.Error as problem:
        if "unexpected end" in str(problem):
            raise ValueError(
                f"{file}, line {last + 1 + skipped}: a quotation mark is opened there or below and never closed; remove it"
            ) from None


def _is_number(joined: str) -> bool:
    try:
        float(joined)
    except ValueError:
        return False
    # float() also accepts full-width signs and words such as "-inf".
    return joined.isascii() and not joined.lstrip("+-").lower().startswith(("inf", "nan"))
