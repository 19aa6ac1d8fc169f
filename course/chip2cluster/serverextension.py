"""A Jupyter server extension: what a kernel answers travels to the browser at once.

TCP holds a small packet back until the one before it is confirmed (Nagle's
algorithm), which a browser does after 40 ms or more. A kernel answers in several
small packets, so each would wait, and a picture would lag behind the hand. The
extension switches that off for the connections of kernels; it is enabled by
``serverextension.json`` beside it, which is installed into ``etc/jupyter``.
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
