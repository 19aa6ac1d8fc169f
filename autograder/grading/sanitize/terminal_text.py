"""Make untrusted text, such as a folder's name or an error, safe for a terminal and for sentences."""


def printable(text: object, limit: int = 80) -> str:
    """Return ``text`` on one line without characters that a terminal interprets.

    Parameters
    ----------
    text : object
        Any object; its ``str`` is used.
    limit : int
        Maximum number of characters.

    Returns
    -------
    str
        Text with question marks in place of control characters, direction marks, invisible characters and
        unusual spaces; a text that is too long ends in three dots.
    """
    line = "".join(mark if mark.isprintable() else "?" for mark in str(text)[: limit + 1])
    return line if len(line) <= limit else line[: limit - 3] + "..."


def printable_lines(text: object, limit: int = 200) -> str:
    """Apply `printable` to each of the last ``limit`` lines of a text, such as a traceback."""
    return "\n".join(printable(line, 400) for line in str(text).splitlines()[-limit:])
