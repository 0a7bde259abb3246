"""vLLM: a server of chat completions that is started here, asked through the OpenAI provider, and ended with us."""

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
from chattyshared.model.providers import DEFAULT_TIMEOUT, ModelTarget
from chattyshared.runs.manifest import install_command

logger = logging.getLogger(__name__)

HOST = "127.0.0.1"
START = 1800.0
"""Seconds that a start may take: weights may have to be fetched, and kernels compiled."""
TOLD_EVERY = 15.0
SETTLES = 2.0
"""Seconds that a server may take to end after its connections."""
_HINT = re.compile(r"cuda|gpu|no accelerator|device string|driver|out of memory|not enough memory", re.IGNORECASE)
_ERROR = re.compile(r"(error|exception)\b", re.IGNORECASE)


class VllmServer:
    """``vllm serve MODEL`` on a free loopback port, with its children; started at the first ``url``, once.

    It ends with ``close``, at the end of Python, and when this process is killed (see ``keeper``). What it prints goes
    to the file ``log``. ``tell`` hears how the start goes on; without it that is logged.
    """

    def __init__(  # noqa: PLR0913
        self,
        model: str,
        args: Sequence[str] = (),
        *,
        log: Path | None = None,
        on_progress: Callable[[str], None] | None = None,
        executable: Path | None = None,
        start_timeout: float = START,
        poll_interval: float = 0.5,
        grace_period: float = 10.0,
    ) -> None:
        """Name the model and further options of ``vllm serve``; nothing is started yet.

        ``program`` is the executable where it is not on the path; ``start`` are the seconds a start may take,
        ``pause`` those between two looks at it, ``grace`` those that it has to end by itself.
        """
        self._model, self._args, self._program = model, tuple(args), executable
        self._tell = on_progress or logger.info
        self._start, self._pause, self._grace = start_timeout, poll_interval, grace_period
        self.log = log
        self.key = secrets.token_hex(16)
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._url = ""

    def find_executable(self) -> Path:
        """Return the executable: the one that was named, on the path, or beside this Python.

        Raises:
            ConfigError: there is none.
        """
        beside = Path(sys.executable).with_name("vllm")
        found = self._program or Path(shutil.which("vllm") or beside)
        if not found.is_file():
            raise ConfigError(
                f"vllm:{self._model} needs vLLM, which is not installed here: {install_command('vllm')}, "
                "on a machine with a GPU; or name a server that is running, with --base-url"
            )
        return found

    def url(self) -> str:
        """Return the address of the server; the first call starts it and waits until it is well.

        Raises:
            ConfigError: there is no vllm; or it ended at its start, or was not well in time: with its last word.
        """
        with self._lock:
            if not self._url:
                self._url = self._started()
            return self._url

    def exit_message(self, timeout: float = 0) -> str:
        """Return how the server ended, if it has, or does so within some seconds; else nothing."""
        if self._process is None:
            return ""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout)
        if self._process.returncode is None:
            return ""
        return f"vllm ended (exit code {self._process.returncode}): {self._last_word()}; all that it said: {self.log}"

    def close(self) -> None:
        """End the server and its children, and wait until they are gone; asking again starts it anew."""
        process, self._process, self._url = self._process, None, ""
        if process is None:
            return
        atexit.unregister(self.close)
        assert process.stdin is not None
        process.stdin.close()
        process.wait()

    def _started(self) -> str:
        program = self.find_executable()
        port = _free_port()
        if self.log is None:
            self.log = Path(tempfile.mkdtemp(prefix="chatty-vllm-")) / "vllm.log"
        command = [sys.executable, "-m", "chattyshared.model.process_guard", str(self._grace), str(program)]
        command += ["serve", self._model, "--host", HOST, "--port", str(port), *self._args]
        self._tell(f"starting vllm for {self._model} (what it says: {self.log})")
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
        well = False
        try:
            self._wait(port)
            well = True
        finally:
            if not well:
                self.close()
        return f"http://{HOST}:{port}/v1"

    def _wait(self, port: int) -> None:
        """Wait until the server says that it is well."""
        began = told = time.monotonic()
        while not _is_well(port):
            now = time.monotonic()
            if ended := self.exit_message():
                hint = " (is there a GPU, and is its memory free?)" if _HINT.search(ended) else ""
                raise ConfigError(f"vllm:{self._model}: at its start {ended}{hint}")
            if now - began > self._start:
                raise ConfigError(
                    f"vllm:{self._model}: not ready after {self._start:g} seconds: {self._last_word()}; "
                    f"all that it said: {self.log}"
                )
            if now - told >= TOLD_EVERY:
                told = now
                self._tell(f"vllm is starting, {now - began:.0f} seconds so far: {self._last_word()}")
            time.sleep(self._pause)
        self._tell(f"vllm is ready after {time.monotonic() - began:.0f} seconds")

    def _last_word(self) -> str:
        """Return the last line of the log that tells of an error, else the last one."""
        try:
            with (self.log or Path(os.devnull)).open("rb") as log:
                log.seek(max(0, log.seek(0, 2) - 16_384))
                lines = [line.strip() for line in log.read().decode("utf-8", "replace").splitlines() if line.strip()]
        except OSError:
            lines = []
        telling = [line for line in lines if _ERROR.search(line)] or lines
        return telling[-1][:300] if telling else "it said nothing"


class VllmModel:
    """A model behind a vLLM server that is started for it. (One that runs is an ``OpenAIModel`` at its address.)"""

    def __init__(
        self, model: str, server: VllmServer, *, timeout: float = DEFAULT_TIMEOUT, reply_tokens: int | None = None
    ) -> None:
        self.name = f"vllm:{model}"
        self._model, self._served = model, server
        self._timeout, self._reply_tokens = timeout, reply_tokens
        self._asked: LanguageModel | None = None
        self._lock = threading.Lock()

    @property
    def parameters(self) -> Mapping[str, Any]:
        """What besides a request decides a reply, for a cache's key; the port does not."""
        return {"temperature": 0, "reply_tokens": self._reply_tokens}

    def complete(self, request: Request) -> Completion:
        """Complete one request; the first one starts the server.

        Raises:
            ConfigError: the server cannot be started.
            ModelUnavailable: the server is gone; says how it ended.
            ModelError: as one of its kinds.
        """
        model = self._open()
        try:
            return model.complete(request)
        except ModelUnavailable as error:
            # A connection that is lost is the first sign of a crash.
            ended = self._served.exit_message(timeout=SETTLES if error.reason == "lost" else 0)
            if not ended:
                raise
            raise ModelUnavailable(ended, model=self.name, reason="closed") from error

    def close(self) -> None:
        """End the server."""
        with self._lock:
            if self._asked is not None:
                close_model(self._asked)
            self._asked = None
            self._served.close()

    def _open(self) -> LanguageModel:
        from chattyshared.model.openai import OpenAIModel

        with self._lock:
            if self._asked is None:
                self._asked = OpenAIModel(
                    self._model, api_key=self._served.key, base_url=self._served.url(), timeout=self._timeout,
                    reply_tokens=self._reply_tokens, name=self.name,
                )  # fmt: skip
            return self._asked


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


def _is_well(port: int) -> bool:
    client = HttpClient(timeout=2, use_proxies=False)
    try:
        return client.send("GET", f"http://{HOST}:{port}/health").status == 200
    except (OSError, http.client.HTTPException, ReplyTooLarge):
        return False
    finally:
        client.close()
