"""A copy of each lab for the student to work in, never overwritten."""

import shutil
from pathlib import Path


def start(labs, workplace, names=None):
    """Copy labs into a student's own folder and return what was done.

    Parameters
    ----------
    labs : path
        The released labs, one folder each.
    workplace : path
        The student's folder; made when missing.
    names : list of str, optional
        Which labs; all when left out.

    Returns
    -------
    list of (path, str)
        Each file with "new" or "kept": a file that exists is left as it is.

    Raises
    ------
    ValueError
        For a lab that does not exist; the message names those that do.
    """
    labs, workplace = Path(labs), Path(workplace)
    known = sorted(folder.name for folder in labs.iterdir() if folder.is_dir())
    for name in names or ():
        if name not in known:
            raise ValueError(f"no lab is called {name!r}; there are {', '.join(known)}")
    done = []
    for name in names or known:
        for source in sorted(file for file in (labs / name).rglob("*") if file.is_file()):
            target = workplace / source.relative_to(labs)
            target.parent.mkdir(parents=True, exist_ok=True)
            try:
                # "x" refuses to open a file that exists, whoever made it in the meantime.
                with open(target, "xb") as stream:
                    shutil.copyfileobj(source.open("rb"), stream)
                done.append((target, "new"))
            except FileExistsError:
                done.append((target, "kept"))
    return done
