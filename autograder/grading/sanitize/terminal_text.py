"""Words that came from a student, such as a folder's name or an error, on their way to a console or into a sentence."""


def printable(text: object, most: int = 80) -> str:
    """Write ``text`` so that it is one line and no terminal obeys it.

    Parameters
    ----------
    text : object
        Its ``str`` is taken.
    most : int
        Characters that are kept.

    Returns
    -------
    str
        Control characters, marks that turn the direction of text, invisible ones and all spaces
        but the plain one are question marks; what is too long ends in three dots.
    """
    line = "".join(mark if mark.isprintable() else "?" for mark in str(text)[: most + 1])
    return line if len(line) <= most else line[: most - 3] + "..."


def printable_lines(text: object, most: int = 200) -> str:
    """Write a text of several lines, such as a traceback, with `printable`; only its last ``most`` lines."""
    return "\n".join(printable(line, 400) for line in str(text).splitlines()[-most:])
