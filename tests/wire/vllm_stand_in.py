"""Stands in for the program ``vllm`` where there is no GPU: ``vllm serve MODEL --host H --port P ...``.

It keeps the contract: ``/health`` answers 503 until the model is loaded and 200 then, chat completions want the key
of VLLM_API_KEY and the model's name, what it says goes to its output, and it has a child process. Options beyond the
contract make it behave: ``--slow SECONDS``, ``--crash start | later``, ``--stubborn`` (ignores a polite signal),
``--pids FILE`` (writes its own number and its child's).
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

TRACEBACK = """Traceback (most recent call last):
  File "engine.py", line 1, in <module>
RuntimeError: Failed to infer device type: no GPU was found
INFO shutting down"""


def main() -> None:
    given, rest = read()
    sys.stderr.write(f"INFO vLLM API server (stand-in), options {rest}\n")
    if given.crash == "start":
        sys.stderr.write(f"{TRACEBACK}\n")
        sys.exit(1)
    sleeper = "import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\ntime.sleep(60)"
    child = subprocess.Popen([sys.executable, "-c", sleeper])
    if given.stubborn:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    else:
        signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    if given.pids:
        Path(given.pids).write_text(f"{os.getpid()} {child.pid}")
    server = ThreadingHTTPServer((given.host, given.port), Handler)
    server.given, server.well_from = given, time.monotonic() + given.slow
    threading.Thread(target=server.serve_forever, daemon=True).start()
    while True:
        time.sleep(60)


def read() -> tuple[argparse.Namespace, list[str]]:
    parser = argparse.ArgumentParser()
    parser.add_argument("command", choices=["serve"])
    parser.add_argument("model")
    parser.add_argument("--host", required=True)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--slow", type=float, default=0)
    parser.add_argument("--crash", choices=["start", "later"])
    parser.add_argument("--stubborn", action="store_true")
    parser.add_argument("--pids")
    return parser.parse_known_args()


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        ready = time.monotonic() >= self.server.well_from
        self.send(200 if ready and self.path == "/health" else 503, {})

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.headers.get("Authorization") != f"Bearer {os.environ['VLLM_API_KEY']}":
            self.send(401, {"error": "Unauthorized"})
        elif asked["model"] != self.server.given.model:
            self.send(404, {"error": {"message": f"The model `{asked['model']}` does not exist.", "code": 404}})
        elif self.server.given.crash == "later":
            sys.stderr.write("ERROR EngineDeadError: the engine is dead\n")
            os._exit(7)
        else:
            message = {"role": "assistant", "content": '{"a": "b"}', "reasoning_content": None}
            self.send(200, {
                "id": "c", "object": "chat.completion", "created": 1, "model": asked["model"],
                "choices": [{"index": 0, "message": message, "finish_reason": "stop", "stop_reason": None}],
                "usage": {"prompt_tokens": 5, "completion_tokens": 4, "total_tokens": 9},
            })  # fmt: skip

    def send(self, status: int, body: object) -> None:
        said = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def log_message(self, *_: object) -> None:
        pass


if __name__ == "__main__":
    main()
