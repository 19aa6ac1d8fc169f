"""Jupyter's server for every account on the hub."""

c = get_config()  # noqa: F821  (Jupyter puts get_config here)

# A kernel's TCP port is open to every account of the machine, and shows any listener the code that runs in it and its
# output. Sockets in one's own runtime folder are not.
c.ConnectionFileMixin.transport = "ipc"
