"""One person's server on a hub, as JupyterLab in their browser talks to it."""

import json
import uuid


class Desk:
    """One person's server, as JupyterLab in their browser talks to it."""

    def __init__(self, hub, name, token):
        self.hub, self.name, self.token, self.at = hub, name, token, f"/user/{name}"

    def get(self, path):
        """Ask their server."""
        return self.hub.ask("GET", self.at + path, self.token)

    def post(self, path, body=None):
        """Tell their server."""
        return self.hub.ask("POST", self.at + path, self.token, body or {})

    def notebook(self, path):
        """Open a notebook."""
        return self.get(f"/api/contents/{path}?content=1")["content"]

    def save(self, path, notebook):
        """Save one."""
        body = {"type": "notebook", "content": notebook}
        return self.hub.ask("PUT", f"{self.at}/api/contents/{path}", self.token, body)

    def assignments(self, verb="", lab="", course="chip2cluster"):
        """What the page *Assignments* shows, after a click on one of its buttons."""
        if not verb:
            answer = self.get(f"/assignments?course_id={course}")
        else:
            answer = self.post(f"/assignments/{verb}", {"course_id": course, "assignment_id": lab})
        assert answer["success"], answer
        return {one["status"]: one for one in answer["value"] if one["assignment_id"] == lab or not lab}

    def execute(self, code, folder=""):
        """Run code in a kernel of theirs and return what it printed."""
        from tornado.ioloop import IOLoop

        kernel = self.post("/api/kernels", {"path": folder})["id"]
        try:
            return IOLoop(make_current=False).run_sync(lambda: self._executed(kernel, code), timeout=120)
        finally:
            self.hub.ask("DELETE", f"{self.at}/api/kernels/{kernel}", self.token)

    async def _executed(self, kernel, code):
        from tornado.httpclient import HTTPRequest
        from tornado.websocket import websocket_connect

        address = f"{self.hub.address.replace('http', 'ws', 1)}{self.at}/api/kernels/{kernel}/channels"
        line = await websocket_connect(HTTPRequest(address, headers={"Authorization": f"token {self.token}"}))
        number = uuid.uuid4().hex
        header = {"msg_id": number, "msg_type": "execute_request", "username": "", "session": number, "version": "5.3"}
        content = {"code": code, "silent": False, "allow_stdin": False, "store_history": False}
        message = {"header": header, "parent_header": {}, "metadata": {}, "content": content, "channel": "shell"}
        await line.write_message(json.dumps(message))
        said = ""
        while (text := await line.read_message()) is not None:
            answer = json.loads(text)
            if answer["parent_header"].get("msg_id") != number:
                continue
            content = answer["content"]
            if answer["msg_type"] == "stream":
                said += content["text"]
            elif answer["msg_type"] == "error":
                said += "\n".join(content["traceback"])
            elif answer["msg_type"] == "status" and content["execution_state"] == "idle":
                break
        line.close()
        return said
