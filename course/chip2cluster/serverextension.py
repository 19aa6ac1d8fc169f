"""Jupyter server extension that disables Nagle's algorithm for kernel connections.

TCP delays a small packet until the previous one is acknowledged (Nagle's algorithm), which a browser does after 40 ms
or more. A kernel answers in several small packets, so interactive pictures would lag. The extension is enabled by
``serverextension.json`` next to it, which is installed into ``etc/jupyter``.
"""


def _jupyter_server_extension_points():
    return [{"module": __name__}]


def _load_jupyter_server_extension(server):
    settings = server.web_app.settings
    known = settings["kernel_websocket_connection_class"]

    class Prompt(known):
        def connect(self):
            self.websocket_handler.set_nodelay(True)
            return super().connect()

    settings["kernel_websocket_connection_class"] = Prompt
