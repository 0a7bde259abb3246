"""vLLM: a server of chat completions that this process starts, queries as an OpenAI server, and ends."""

from __future__ import annotations

import atexit
import http.client
import logging
import os
import re
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from chattyshared.errors import ConfigError, ModelUnavailable
from chattyshared.http_client import HttpClient, ReplyTooLarge
from chattyshared.model import Completion, LanguageModel, Request, close_model
from chattyshared.model.providers import DEFAULT_TIMEOUT
from chattyshared.model.target import ModelTarget
from chattyshared.runs.manifest import install_command

logger = logging.getLogger(__name__)

HOST = "127.0.0.1"
START_TIMEOUT = 1800.0
"""Seconds that a start may take: it may download weights and compile kernels."""
REPORT_INTERVAL = 15.0
EXIT_DELAY = 2.0
"""Seconds that a server may take to exit after its connections are lost."""
_HARDWARE_ERROR = re.compile(
    r"cuda|gpu|no accelerator|device string|driver|out of memory|not enough memory", re.IGNORECASE
)
_ERROR_LINE = re.compile(r"(error|exception)\b", re.IGNORECASE)


class VllmServer:
    """``vllm serve MODEL`` on a free loopback port, with its children; the first call of ``url`` starts it.

    It ends with ``close``, at the end of Python, and when this process is killed (see ``process_guard``). Its output
    goes to the file ``log``. ``on_progress`` is called with the state of the start; by default that is logged.
    """

    def __init__(  # noqa: PLR0913
        self,
        model: str,
        args: Sequence[str] = (),
        *,
        log: Path | None = None,
        on_progress: Callable[[str], None] | None = None,
        executable: Path | None = None,
        start_timeout: float = START_TIMEOUT,
        poll_interval: float = 0.5,
        grace_period: float = 10.0,
    ) -> None:
        """Take the model and options of ``vllm serve``; the server is not started yet.

        ``executable`` is needed if it is not on the path; ``start_timeout``, ``poll_interval`` and ``grace_period``
        (the time to exit before it is killed) are in seconds.
        """
        self._model, self._args, self._executable = model, tuple(args), executable
        self._report = on_progress or logger.info
        self._start_timeout, self._poll_interval, self._grace_period = start_timeout, poll_interval, grace_period
        self.log = log
        self.key = secrets.token_hex(16)
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._url = ""

    def find_executable(self) -> Path:
        """Return the executable: the given one, the one on the path, or the one next to this Python.

        Raises:
            ConfigError: there is no executable.
        """
        local_executable = Path(sys.executable).with_name("vllm")
        executable = self._executable or Path(shutil.which("vllm") or local_executable)
        if not executable.is_file():
            raise ConfigError(
                f"vllm:{self._model} needs vLLM, which is not installed here: {install_command('vllm')}, "
                "on a machine with a GPU; or name a server that is running, with --base-url"
            )
        return executable

    def url(self) -> str:
        """Return the address of the server; the first call starts it and waits until it is healthy.

        Raises:
            ConfigError: vllm is not installed, exited at its start, or was not healthy in time; the message has the
            last line of its log.
        """
        with self._lock:
            if not self._url:
                self._url = self._start_server()
            return self._url

    def exit_message(self, timeout: float = 0) -> str:
        """Return how the server ended, if it has ended or does so within ``timeout`` seconds; else ""."""
        if self._process is None:
            return ""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout)
        if self._process.returncode is None:
            return ""
        return (
            f"vllm ended (exit code {self._process.returncode}): {self._last_log_line()}; all that it said: {self.log}"
        )

    def close(self) -> None:
        """End the server and its children, and wait for them; the next ``url`` starts it again."""
        process, self._process, self._url = self._process, None, ""
        if process is None:
            return
        atexit.unregister(self.close)
        assert process.stdin is not None
        process.stdin.close()
        process.wait()

    def _start_server(self) -> str:
        executable = self.find_executable()
        port = _free_port()
        if self.log is None:
            self.log = Path(tempfile.mkdtemp(prefix="chatty-vllm-")) / "vllm.log"
        command = [sys.executable, "-m", "chattyshared.model.process_guard", str(self._grace_period), str(executable)]
        command += ["serve", self._model, "--host", HOST, "--port", str(port), *self._args]
        self._report(f"starting vllm for {self._model} (what it says: {self.log})")
        try:
            self.log.parent.mkdir(parents=True, exist_ok=True)
            with self.log.open("wb") as log:
                self._process = subprocess.Popen(
                    command, stdin=subprocess.PIPE, stdout=log, stderr=subprocess.STDOUT, start_new_session=True,
                    env={**os.environ, "VLLM_API_KEY": self.key},
                )  # fmt: skip
        except OSError as error:
            raise ConfigError(f"vllm cannot be started ({error.strerror or error}); its log: {self.log}") from error
        atexit.register(self.close)
        is_healthy = False
        try:
            self._wait_until_healthy(port)
            is_healthy = True
        finally:
            if not is_healthy:
                self.close()
        return f"http://{HOST}:{port}/v1"

    def _wait_until_healthy(self, port: int) -> None:
        """Wait until the server is healthy."""
        started_at = reported_at = time.monotonic()
        while not _is_healthy(port):
            now = time.monotonic()
            if exit_message := self.exit_message():
                hint = " (is there a GPU, and is its memory free?)" if _HARDWARE_ERROR.search(exit_message) else ""
                raise ConfigError(f"vllm:{self._model}: at its start {exit_message}{hint}")
            if now - started_at > self._start_timeout:
                raise ConfigError(
                    f"vllm:{self._model}: not ready after {self._start_timeout:g} seconds: {self._last_log_line()}; "
                    f"all that it said: {self.log}"
                )
            if now - reported_at >= REPORT_INTERVAL:
                reported_at = now
                self._report(f"vllm is starting, {now - started_at:.0f} seconds so far: {self._last_log_line()}")
            time.sleep(self._poll_interval)
        self._report(f"vllm is ready after {time.monotonic() - started_at:.0f} seconds")

    def _last_log_line(self) -> str:
        """Return the last line of the log with an error, else the last line."""
        try:
            with (self.log or Path(os.devnull)).open("rb") as log:
                log.seek(max(0, log.seek(0, 2) - 16_384))
                lines = [line.strip() for line in log.read().decode("utf-8", "replace").splitlines() if line.strip()]
        except OSError:
            lines = []
        error_lines = [line for line in lines if _ERROR_LINE.search(line)] or lines
        return error_lines[-1][:300] if error_lines else "it said nothing"


class VllmModel:
    """A model behind a vLLM server that is started for it. (A running server is an ``OpenAIModel``.)"""

    def __init__(
        self, model: str, server: VllmServer, *, timeout: float = DEFAULT_TIMEOUT, reply_tokens: int | None = None
    ) -> None:
        self.name = f"vllm:{model}"
        self._model, self._server = model, server
        self._timeout, self._reply_tokens = timeout, reply_tokens
        self._client: LanguageModel | None = None
        self._lock = threading.Lock()

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The parameters that affect a reply, for cache keys; the port does not."""
        return {"temperature": 0, "reply_tokens": self._reply_tokens}

    def complete(self, request: Request) -> Completion:
        """Complete one request; the first one starts the server.

        Raises:
            ConfigError: the server cannot be started.
            ModelUnavailable: the server has ended; the message says how.
            ModelError: as the model raises it.
        """
        model = self._open_client()
        try:
            return model.complete(request)
        except ModelUnavailable as error:
            # A lost connection is the first sign of a crash.
            exit_message = self._server.exit_message(timeout=EXIT_DELAY if error.reason == "lost" else 0)
            if not exit_message:
                raise
            raise ModelUnavailable(exit_message, model=self.name, reason="closed") from error

    def close(self) -> None:
        """End the server."""
        with self._lock:
            if self._client is not None:
                close_model(self._client)
            self._client = None
            self._server.close()

    def _open_client(self) -> LanguageModel:
        from chattyshared.model.openai import OpenAIModel

        with self._lock:
            if self._client is None:
                self._client = OpenAIModel(
                    self._model, api_key=self._server.key, base_url=self._server.url(), timeout=self._timeout,
                    reply_tokens=self._reply_tokens, name=self.name,
                )  # fmt: skip
            return self._client


def open_provider(target: ModelTarget) -> LanguageModel:
    """Open the model at the target's base URL, or behind a server that the first completion starts.

    Raises:
        ConfigError: there is no base URL and vllm is not installed; or the base URL is not one of HTTP.
    """
    if target.base_url:
        from chattyshared.model import openai

        return openai.open_provider(target)
    options = target.options
    server = VllmServer(target.name, options.vllm_args, log=options.vllm_log, on_progress=options.on_progress)
    server.find_executable()
    return VllmModel(target.name, server, timeout=target.timeout, reply_tokens=options.reply_tokens)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port


def _is_healthy(port: int) -> bool:
    client = HttpClient(timeout=2, use_proxies=False)
    try:
        return client.send("GET", f"http://{HOST}:{port}/health").status == 200
    except (OSError, http.client.HTTPException, ReplyTooLarge):
        return False
    finally:
        client.close()
