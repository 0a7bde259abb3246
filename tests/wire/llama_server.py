"""llama.cpp's own server with a model of random weights: an OpenAI-compatible peer that nobody here wrote.

By hand, or in CI: ``PYTHONPATH=tests python -m wire.llama_server`` builds it once, from the sources that the PyPI
package llama-cpp-python carries, in ``~/.cache/chatty-peers`` (``CHATTY_PEERS`` names another folder); that takes
some six minutes on two cores and wants cmake and a C++ compiler. ``LLAMA_SERVER`` names one that lies elsewhere. With
``--serve PORT`` it runs, and ``--model openai:any --base-url http://127.0.0.1:PORT/v1`` talks to it.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import struct
import subprocess
import sys
import tarfile
import tempfile
from array import array
from collections.abc import Mapping, Sequence
from pathlib import Path

from wire.program_server import ProgramServer, serve

VERSION = "0.3.36"
TOOLS = ("cmake", "c++", "make")
ROOM = Path(os.environ.get("CHATTY_PEERS") or Path.home() / ".cache" / "chatty-peers") / f"llama-server-{VERSION}"
CONTEXT = 1024
_FLAGS = ("LLAMA_CURL=OFF", "LLAMA_OPENSSL=OFF", "GGML_NATIVE=OFF", "BUILD_SHARED_LIBS=OFF", "LLAMA_BUILD_TESTS=OFF",
          "LLAMA_BUILD_EXAMPLES=OFF", "LLAMA_BUILD_APP=OFF", "CMAKE_BUILD_TYPE=Release")  # fmt: skip
_TEMPLATE = "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}assistant: "
_WIDE, _INNER, _HEADS, _LAYERS = 64, 128, 2, 2


def program() -> Path | None:
    """Return the server, if it is built."""
    path = Path(os.environ.get("LLAMA_SERVER") or ROOM / "llama-server")
    return path if path.exists() else None


def build() -> Path:
    """Build the server, if it is not there yet.

    Raises:
        CalledProcessError, OSError: that is not possible.
    """
    found = program()
    if found is not None:
        return found
    lacking = [tool for tool in TOOLS if shutil.which(tool) is None]
    if lacking:
        raise OSError(f"not installed: {', '.join(lacking)}")
    ROOM.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="llama-build-") as room:
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
        source = [*pip, "--no-binary", "llama-cpp-python", f"llama-cpp-python=={VERSION}", "-d", room]
        subprocess.run(source, check=True)
        with tarfile.open(next(Path(room).glob("*.tar.gz"))) as packed:
            packed.extractall(room, filter="data")
        sources = next(Path(room).glob("llama_cpp_python-*/vendor/llama.cpp"))
        made = Path(room) / "build"
        flags = [f"-D{flag}" for flag in _FLAGS]
        quiet = {"check": True, "stdout": subprocess.DEVNULL}
        subprocess.run(["cmake", "-S", sources, "-B", made, *flags], **quiet)
        jobs = str(os.cpu_count() or 1)
        subprocess.run(["cmake", "--build", made, "--target", "llama-server", "--parallel", jobs], **quiet)
        shutil.copy(made / "bin" / "llama-server", ROOM / "half")
        os.replace(ROOM / "half", ROOM / "llama-server")
    return ROOM / "llama-server"


def random_model(path: Path, *, seed: int = 1) -> None:
    """Write a model of half a megabyte in GGUF: two layers of the Llama kind, a token per byte, random weights."""
    tokens = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256))]
    facts: dict[str, object] = {
        "general.architecture": "llama",
        "general.name": "noise",
        "llama.context_length": 8 * CONTEXT,
        "llama.embedding_length": _WIDE,
        "llama.block_count": _LAYERS,
        "llama.feed_forward_length": _INNER,
        "llama.attention.head_count": _HEADS,
        "llama.attention.head_count_kv": _HEADS,
        "llama.rope.dimension_count": _WIDE // _HEADS,
        "llama.attention.layer_norm_rms_epsilon": 1e-5,
        "llama.vocab_size": len(tokens),
        "tokenizer.ggml.model": "llama",
        "tokenizer.ggml.tokens": tokens,
        "tokenizer.ggml.scores": [0.0] * len(tokens),
        "tokenizer.ggml.token_type": [2, 3, 3, *[6] * 256],
        "tokenizer.ggml.bos_token_id": 1,
        "tokenizer.ggml.eos_token_id": 2,
        "tokenizer.ggml.unknown_token_id": 0,
        "tokenizer.chat_template": _TEMPLATE,
    }
    shapes = {
        "token_embd.weight": (_WIDE, len(tokens)),
        "output.weight": (_WIDE, len(tokens)),
        "output_norm.weight": (_WIDE,),
    }
    for layer in range(_LAYERS):
        square = dict.fromkeys(("attn_q", "attn_k", "attn_v", "attn_output"), (_WIDE, _WIDE))
        wide = {"ffn_gate": (_WIDE, _INNER), "ffn_up": (_WIDE, _INNER), "ffn_down": (_INNER, _WIDE)}
        norms = dict.fromkeys(("attn_norm", "ffn_norm"), (_WIDE,))
        shapes |= {f"blk.{layer}.{name}.weight": shape for name, shape in {**square, **wide, **norms}.items()}
    _write_gguf(path, facts, shapes, random.Random(seed))


def _write_gguf(
    path: Path, facts: Mapping[str, object], shapes: Mapping[str, tuple[int, ...]], chance: random.Random
) -> None:
    """Write key-value pairs and tensors of 32-bit floats; norms are ones, the rest is small noise."""
    head = struct.pack("<4sIQQ", b"GGUF", 3, len(shapes), len(facts))
    head += b"".join(_text(key) + _value(value) for key, value in facts.items())
    data = b""
    for name, shape in shapes.items():
        size = _product(shape)
        weights = array("f", [1.0] * size if len(shape) == 1 else [chance.gauss(0, 0.1) for _ in range(size)])
        head += _text(name) + struct.pack("<I", len(shape)) + struct.pack(f"<{len(shape)}Q", *shape)
        head += struct.pack("<IQ", 0, len(data))
        data += weights.tobytes()
        data += bytes(-len(data) % 32)
    path.write_bytes(head + bytes(-len(head) % 32) + data)


def _text(text: str) -> bytes:
    raw = text.encode()
    return struct.pack("<Q", len(raw)) + raw


def _value(value: object) -> bytes:
    """Write a value behind its type: 4 (unsigned), 5 (signed), 6 (float), 8 (text), 9 (array)."""
    if isinstance(value, str):
        return struct.pack("<I", 8) + _text(value)
    if isinstance(value, int):
        return struct.pack("<II", 4, value)
    if isinstance(value, float):
        return struct.pack("<If", 6, value)
    assert isinstance(value, list)
    kind = {str: 8, int: 5, float: 6}[type(value[0])]
    parts = [_text(v) if kind == 8 else struct.pack("<i" if kind == 5 else "<f", v) for v in value]
    return struct.pack("<IIQ", 9, kind, len(value)) + b"".join(parts)


def _product(shape: Sequence[int]) -> int:
    size = 1
    for side in shape:
        size *= side
    return size


class LlamaServer(ProgramServer):
    """The server with a fresh random model; ``url`` ends in ``/v1``."""

    title = "llama-server"
    ready = "/health"

    def __init__(self, *, port: int = 0, key: str = "") -> None:
        super().__init__(port)
        self._key = key

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.port}/v1"

    def command(self, room: Path) -> list[str]:
        """Return the command that serves the model."""
        built = program()
        assert built is not None, "not built"
        random_model(room / "noise.gguf")
        command = [str(built), "--model", str(room / "noise.gguf"), "--host", "127.0.0.1", "--port", str(self.port)]
        command += ["--ctx-size", str(CONTEXT), "--parallel", "1", "--threads", "1", "--no-warmup"]
        return [*command, *(["--api-key", self._key] if self._key else [])]


def main() -> None:
    """Build the server; with a port, run it until interrupted."""
    parser = argparse.ArgumentParser(description="Build llama-server, and run it over a random model.")
    parser.add_argument("--serve", type=int, metavar="PORT")
    chosen = parser.parse_args()
    try:
        sys.stdout.write(f"{build()}\n")
    except (subprocess.CalledProcessError, OSError) as error:
        sys.exit(f"llama-server cannot be built: {error}")
    if chosen.serve:
        serve(LlamaServer(port=chosen.serve))


if __name__ == "__main__":
    main()
