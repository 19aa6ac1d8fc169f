"""Link that copies a course's notebooks into a student's home on JupyterHub, with nbgitpuller."""

import re
from urllib.parse import urlencode, urlsplit


def link(hub: str, repository: str, branch: str = "main", page: str = "") -> str:
    """Return the link for a class: it copies a repository into the student's home, or updates the copy.

    Parameters
    ----------
    hub : str
        Address of the hub, such as ``https://hub.example.edu``, with its path if it has one.
    repository : str
        Address that ``git clone`` accepts without a password.
    branch : str
        Branch of the repository.
    page : str
        File of the repository to open; JupyterLab itself by default.

    Raises
    ------
    ValueError
        If an address cannot work; the message says what it should look like.

    Examples
    --------
    >>> link("https://hub.example.edu", "https://git.example.edu/us/pages.git", page="README.md")
    'https://hub.example.edu/hub/user-redirect/git-pull?repo=https%3A%2F%2Fgit.example.edu%2Fus%2Fpages.git&branch=main&urlpath=lab%2Ftree%2Fpages%2FREADME.md'
    """
    where = urlsplit(hub.strip())
    if where.scheme not in ("http", "https") or not where.hostname or where.query or where.fragment:
        raise ValueError(
            f"{hub!r} is not the address of a hub; it must begin with https://, as in https://hub.example.edu"
        )
    source = urlsplit(repository.strip())
    if source.scheme not in ("http", "https") or not source.hostname:
        raise ValueError(
            f"{repository!r} cannot be fetched by every student; give the address that begins with https://, not the one for ssh"
        )
    if source.username or source.password:
        raise ValueError("the repository's address holds a name or a password, and a link is seen by all: leave it out")
    folder = source.path.rstrip("/").rpartition("/")[2].removesuffix(".git")
    if not folder:
        raise ValueError(f"{repository!r} names no repository; it must end as in https://git.example.edu/us/pages")
    if not re.fullmatch(r"[\w][\w./-]*", branch):
        raise ValueError(f"{branch!r} is not a valid branch name")
    page = page.strip("/")
    if ".." in page.split("/"):
        raise ValueError(f"the page {page!r} is outside the repository")
    path = where.path.rstrip("/").removesuffix("/hub")
    words = {"repo": repository.strip(), "branch": branch, "urlpath": f"lab/tree/{folder}/{page}".rstrip("/")}
    return f"{where.scheme}://{where.netloc}{path}/hub/user-redirect/git-pull?{urlencode(words)}"
