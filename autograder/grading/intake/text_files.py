"""Prose in text files and scripts beside a notebook: a written answer may be there and nowhere in the notebook."""

import io
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

from .documents import is_programmers_file
from .extra_files import MAX_FILE_BYTES
from .notebook_candidates import MAX_ZIPS, is_zip, read_file, read_member, regular_files, zip_names, zip_parts
from .prose import code_prose, is_prose

SCRIPTS, TEXTS = (".py", ".ipy", ".pyw"), (".txt", ".md")
MAX_TEXT_FILES = 20


def prose_by_file(folder: str | Path, files: Mapping[str, bytes]) -> dict[str, str]:
    """Return the prose of scripts and text files in a submission, by path.

    Parameters
    ----------
    folder : path
        The submitted folder; it may contain anything.
    files : mapping of str to bytes
        Extra files of the submission, see `extra_files.read_extra_files`; files in its zips are read here.

    Returns
    -------
    dict of str to str
        Comments and long strings of a script, and whole text files that contain sentences, at most `MAX_TEXT_FILES`. A
        file in a zip has the path of the zip in front, as in ``lab.zip/essay.py``. Nothing is run.
    """
    found: dict[str, str] = {}
    for name, data in (*files.items(), *_in_zips(Path(folder))):
        if len(found) == MAX_TEXT_FILES:
            break
        if prose := _prose(name, data):
            found[name] = prose
    return found


def _prose(name: str, data: bytes) -> str:
    suffix = PurePosixPath(name.lower()).suffix
    if suffix not in (*SCRIPTS, *TEXTS) or is_programmers_file(name):
        return ""
    text = data.decode("utf-16" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig", "replace")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if suffix in SCRIPTS:
        return "\n\n".join(code_prose(text))
    return text if is_prose(text) else ""


def _in_zips(folder: Path) -> Iterator[tuple[str, bytes]]:
    for path in _zips(folder):
        try:
            # zipfile raises many types of exceptions for untrusted bytes; the reader of the notebook reports them.
            names = zip_names(folder / path)
            with zipfile.ZipFile(io.BytesIO(read_file(folder / path))) as archive:
                for name in names:
                    place = "/".join([path, *zip_parts(name)])
                    # Messages quote these paths.
                    if name.lower().endswith((*SCRIPTS, *TEXTS)) and place.isprintable() and "`" not in place:
                        yield place, read_member(archive, archive.getinfo(name), place, MAX_FILE_BYTES)
        except Exception:
            continue


def _zips(folder: Path) -> list[str]:
    try:
        return [] if folder.is_symlink() else [path for path in regular_files(folder) if is_zip(path)][:MAX_ZIPS]
    except OSError:
        return []
