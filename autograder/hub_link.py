"""The address that brings a course's pages to a student's desk on a hub, by nbgitpuller."""

import re
from urllib.parse import urlencode, urlsplit


def link(hub: str, repository: str, branch: str = "main", page: str = "") -> str:
    """Make the link that a class gets: it copies a repository into the student's home, or brings the copy up to date.

    Parameters
    ----------
    hub : str
        Address of the hub, such as ``https://hub.example.edu``; below an address of its own, with its path.
    repository : str
        Address that ``git clone`` takes without a password.
    branch : str
    page : str
        What is opened then, within the repository; JupyterLab itself when left out.

    Raises
    ------
    ValueError
        For an address that no browser or no hub could use, with what it should look like.

    Examples
    --------
    >>> link("https://hub.example.edu", "https://git.example.edu/us/pages.git", page="README.md")
    'https://hub.example.edu/hub/user-redirect/git-pull?repo=https%3A%2F%2Fgit.example.edu%2Fus%2Fpages.git&branch=main&urlpath=lab%2Ftree%2Fpages%2FREADME.md'
    """
    where = urlsplit(hub.strip())
    if where.scheme not in ("http", "https") or not where.hostname or where.query or where.fragment:
        raise ValueError(f"{hub!r} is no address of a hub; it begins with https://, as https://hub.example.edu does")
    source = urlsplit(repository.strip())
    if source.scheme not in ("http", "https") or not source.hostname:
        raise ValueError(
            f"{repository!r} cannot be fetched by every student; give the address that begins with https://, not the one for ssh"
        )
    if source.username or source.password:
        raise ValueError("the repository's address holds a name or a password, and a link is seen by all: leave it out")
    folder = source.path.rstrip("/").rpartition("/")[2].removesuffix(".git")
    if not folder:
        raise ValueError(f"{repository!r} names no repository; it ends as in https://git.example.edu/us/pages")
    if not re.fullmatch(r"[\w][\w./-]*", branch):
        raise ValueError(f"{branch!r} is no name of a branch")
    page = page.strip("/")
    if ".." in page.split("/"):
        raise ValueError(f"the page {page!r} leads out of the repository")
    path = where.path.rstrip("/").removesuffix("/hub")
    words = {"repo": repository.strip(), "branch": branch, "urlpath": f"lab/tree/{folder}/{page}".rstrip("/")}
    return f"{where.scheme}://{where.netloc}{path}/hub/user-redirect/git-pull?{urlencode(words)}"
