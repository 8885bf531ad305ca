"""A browser without a window, by chromedriver and the WebDriver protocol, in the standard library.

Reference: https://www.w3.org/TR/webdriver2."""

import base64
import json
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


def missing():
    """Why there is no browser, or None."""
    for program in ("chromedriver", "chromium"):
        if shutil.which(program) is None:
            return f"{program} is not installed (Debian: scripts/prepare.sh browser)"
    return None


class Browser:
    def __init__(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.driver = subprocess.Popen(["chromedriver", f"--port={port}"],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.base = f"http://127.0.0.1:{port}"
        for _ in range(600):
            try:
                if self.call("GET", "/status")["ready"]:
                    break
            except (urllib.error.URLError, ConnectionError):
                time.sleep(0.1)
        options = {"args": ["--headless=new", "--no-sandbox", "--disable-gpu",
                            "--disable-dev-shm-usage", "--window-size=1200,900"]}
        wanted = {"browserName": "chrome", "goog:chromeOptions": options,
                  "goog:loggingPrefs": {"browser": "ALL"}}
        made = self.call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self.base += "/session/" + made["sessionId"]

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"},
                                         method=method)
        try:
            with urllib.request.urlopen(request, timeout=300) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(error.read().decode()) from error

    def open(self, page):
        self.call("POST", "/url", {"url": f"file://{page}"})

    def run(self, script, *arguments):
        """What the JavaScript returns."""
        return self.call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def wait(self, script, seconds=60):
        """Until it returns something true, which is returned."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if found := self.run(script):
                return found
            time.sleep(0.1)
        raise AssertionError(f"never true: {script}")

    def find(self, selector):
        return self.call("POST", "/element", {"using": "css selector", "value": selector})[ELEMENT]

    def click(self, selector):
        self.call("POST", f"/element/{self.find(selector)}/click", {})

    def type(self, selector, keys):
        self.call("POST", f"/element/{self.find(selector)}/value", {"text": keys})

    def press(self, keys):
        """Of whatever has the focus."""
        self.call("POST", "/actions", {"actions": [{
            "type": "key", "id": "keys",
            "actions": [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]}]})

    def point_at(self, selector):
        where = {ELEMENT: self.find(selector)}
        self.call("POST", "/actions", {"actions": [{
            "type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"},
            "actions": [{"type": "pointerMove", "duration": 50, "x": 0, "y": 0, "origin": where},
                        {"type": "pointerMove", "duration": 50, "x": 1, "y": 0, "origin": where}]}]})

    def tell(self, command, **parameters):
        """A command of Chrome's own protocol."""
        return self.call("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def errors(self):
        return [entry["message"] for entry in self.call("POST", "/se/log", {"type": "browser"})
                if entry["level"] == "SEVERE"]

    def picture(self, file):
        with open(file, "wb") as image:
            image.write(base64.b64decode(self.call("GET", "/screenshot")))

    def close(self):
        try:
            self.call("DELETE", "")
        except (RuntimeError, OSError):
            pass
        self.driver.terminate()
        self.driver.wait()
