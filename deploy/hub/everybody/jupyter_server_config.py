"""Jupyter's server for every account on the hub."""

c = get_config()  # noqa: F821  (Jupyter puts get_config here)

# A kernel's TCP port is open to every account of the machine, and tells whoever listens what runs in it and what that
# prints. Sockets in one's own runtime folder are not.
c.ConnectionFileMixin.transport = "ipc"
