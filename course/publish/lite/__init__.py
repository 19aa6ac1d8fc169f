"""The lab without a server: JupyterLab, Python and the course in a browser.

`build` makes a JupyterLite site. Its kernel is Pyodide, Python compiled for the
browser, from where its makers serve it, or from a folder for a site that fetches
nothing from afar. Nobody installs anything: the list of packages that Pyodide reads
when it starts (its lock file) names ours, too, so ``import chip2cluster`` in a cell
is enough.
"""

from .site import build

__all__ = ["build"]
