"""Similarity by meaning beside the words: a fake encoder, and a tiny one of random weights where numpy is installed."""

from __future__ import annotations

import importlib.util
import json
import math
import sqlite3
from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from chattyshared.errors import ConfigError

from chattykg.linking import embedding_similarity as module
from chattykg.linking.embedding_similarity import EmbeddingSimilarity, open_similarity
from chattykg.linking.sentence_encoder import REQUIRED_PACKAGES, SentenceEncoder
from chattykg.linking.similarity import LexicalSimilarity

INSTALLED = all(importlib.util.find_spec(name) for name in REQUIRED_PACKAGES)
with_numpy = pytest.mark.skipif(not INSTALLED, reason="the extra [embeddings] is not installed")


class Vector(array):  # type: ignore[type-arg]
    """A vector without numpy."""

    def __matmul__(self, other: Vector) -> float:
        return sum(a * b for a, b in zip(self, other, strict=True))


class Angles:
    """An encoder by hand: each text lies at an angle (degrees)."""

    name = "angles"

    def __init__(self, **angles: float) -> None:
        self.angles, self.read = angles, list[str]()

    def encode(self, texts: Sequence[str]) -> Any:
        self.read += texts
        angles = (math.radians(self.angles.get(text.replace(" ", "_"), 90)) for text in texts)
        return [Vector("d", [math.cos(angle), math.sin(angle)]) for angle in angles]

    def decode_vector(self, kept: bytes) -> Any:
        vector = Vector("d")
        vector.frombytes(kept)
        return vector


def test_meaning_counts_where_words_say_nothing() -> None:
    similarity = EmbeddingSimilarity(Angles(gizmo=0, widget=20, cargo=88), LexicalSimilarity())
    widget, cargo, same = similarity("gizmo", ["widget", "cargo", "gizmo"])
    assert widget == pytest.approx(module.EMBEDDING_WEIGHT, abs=0.05)
    assert (cargo, same) == (0.0, 1.0)


def test_words_count_where_they_say_more() -> None:
    similarity = EmbeddingSimilarity(Angles(**{"home_harbor": 0, "harbor": 89}), LexicalSimilarity())
    assert similarity("home harbor", ["harbor"]) == LexicalSimilarity()("home harbor", ["harbor"])


def test_nothing_is_read_of_empty_texts() -> None:
    encoder = Angles()
    similarity = EmbeddingSimilarity(encoder, LexicalSimilarity())
    assert (similarity("", ["widget"]), similarity("gizmo", []), similarity("gizmo", [" "])) == ([0.0], [], [0.0])
    assert encoder.read == []


def test_each_text_is_read_once_and_kept_between_runs(tmp_path: Path) -> None:
    first, second = Angles(gizmo=0, widget=20), Angles()
    similarity = EmbeddingSimilarity(first, LexicalSimilarity(), tmp_path / "cache")
    scores = [similarity("gizmo", ["widget", "widget"]) for _ in range(2)]
    assert first.read == ["gizmo", "widget"]
    assert (
        EmbeddingSimilarity(second, LexicalSimilarity(), tmp_path / "cache")("gizmo", ["widget", "widget"])
        == scores[0]
        == scores[1]
    )
    assert second.read == []


def test_another_encoder_has_vectors_of_its_own(tmp_path: Path) -> None:
    EmbeddingSimilarity(Angles(gizmo=0, widget=0), LexicalSimilarity(), tmp_path)("gizmo", ["widget"])
    other = Angles(gizmo=0, widget=90)
    other.name = "other"
    assert EmbeddingSimilarity(other, LexicalSimilarity(), tmp_path)("gizmo", ["widget"]) == [0.0]


def test_of_very_many_texts_the_nearest_by_words_are_read() -> None:
    encoder = Angles()
    many = [f"thing {n}" for n in range(2 * module.MAX_ENCODED_TEXTS)]
    scores = EmbeddingSimilarity(encoder, LexicalSimilarity())("widget of the ship", [*many, "ship widget"])
    assert len(encoder.read) == module.MAX_ENCODED_TEXTS + 1 and "ship widget" in encoder.read
    assert len(scores) == len(many) + 1


def test_long_texts_are_cut() -> None:
    encoder = Angles()
    EmbeddingSimilarity(encoder, LexicalSimilarity())("x" * 9_000, ["y" * 9_000])
    assert {len(text) for text in encoder.read} == {module.MAX_TEXT_CHARACTERS}


def test_a_file_that_another_holds_does_not_stop_the_answer(tmp_path: Path, caplog: Any) -> None:
    similarity = EmbeddingSimilarity(Angles(gizmo=0, widget=0), LexicalSimilarity(), tmp_path)
    similarity._base.execute("PRAGMA busy_timeout = 10")
    with sqlite3.connect(tmp_path / "embeddings.sqlite", isolation_level=None) as other:
        other.execute("BEGIN EXCLUSIVE")
        assert similarity("gizmo", ["widget"])[0] == pytest.approx(module.EMBEDDING_WEIGHT)
    other.close()
    assert "vectors could not be" in caplog.text


def test_off_is_lexical_and_what_is_no_encoder_is_said(tmp_path: Path) -> None:
    similarity, name = open_similarity("off")
    assert (type(similarity), name) == (LexicalSimilarity, "off")
    with pytest.raises(ConfigError, match="holds no sentence encoder|pip install"):
        open_similarity(str(tmp_path))


WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "ship", "captain", "the", "of"]


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a BERT of two layers, two heads and eight dimensions with random weights."""
    import numpy
    import safetensors.numpy
    import tokenizers

    folder = tmp_path_factory.mktemp("encoders") / "tiny"
    folder.mkdir()
    chance = numpy.random.default_rng(7)

    def linear(rows: int, columns: int) -> dict[str, Any]:
        weight = chance.normal(size=(rows, columns)).astype(numpy.float32)
        return {"weight": weight, "bias": chance.normal(size=rows).astype(numpy.float32)}

    def norm() -> dict[str, Any]:
        return {"weight": numpy.ones(8, numpy.float32), "bias": numpy.zeros(8, numpy.float32)}

    parts = {"embeddings.LayerNorm": norm()}
    for layer in ("encoder.layer.0.", "encoder.layer.1."):
        parts |= {f"{layer}attention.self.{part}": linear(8, 8) for part in ("query", "key", "value")}
        parts |= {f"{layer}attention.output.dense": linear(8, 8), f"{layer}attention.output.LayerNorm": norm()}
        parts |= {f"{layer}intermediate.dense": linear(16, 8), f"{layer}output.dense": linear(8, 16)}
        parts[f"{layer}output.LayerNorm"] = norm()
    weights = {f"{name}.{kind}": value for name, both in parts.items() for kind, value in both.items()}
    for kind, size in (("word", len(WORDS)), ("position", 16), ("token_type", 2)):
        weights[f"embeddings.{kind}_embeddings.weight"] = chance.normal(size=(size, 8)).astype(numpy.float32)
    safetensors.numpy.save_file(weights, folder / "model.safetensors")
    config = {"num_hidden_layers": 2, "num_attention_heads": 2, "max_position_embeddings": 16}
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    vocabulary = {word: place for place, word in enumerate(WORDS)}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer.post_processor = tokenizers.processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder


@with_numpy
def test_vectors_have_length_one_and_do_not_depend_on_their_company(tiny: Path) -> None:
    import numpy

    encoder = SentenceEncoder(tiny)
    texts = ["ship", "the captain of the ship", "captain", "", "ship " * 400]
    together = encoder.encode(texts)
    assert together.shape == (5, 8) and together.dtype == numpy.float32
    assert numpy.allclose(numpy.linalg.norm(together, axis=1), 1)
    alone = numpy.concatenate([encoder.encode([text]) for text in texts])
    assert numpy.allclose(together, alone, atol=1e-5)
    assert (encoder.decode_vector(together[0].tobytes()) == together[0]).all()
    assert not numpy.allclose(together[0], together[2], atol=0.01)


@with_numpy
def test_an_encoder_is_known_by_its_weights(tiny: Path, tmp_path: Path) -> None:
    name = SentenceEncoder(tiny).name
    assert name.startswith(f"{tiny.parent.name}/tiny ") and len(name.split()[-1]) == 12
    (similarity, said) = open_similarity(str(tiny), tmp_path)
    assert said == name
    assert similarity("captain", ["captain", "ship"])[0] == 1.0


@with_numpy
@pytest.mark.parametrize("spoilt", ["config.json", "tokenizer.json", "model.safetensors"])
def test_a_folder_that_is_not_whole_is_refused(tiny: Path, tmp_path: Path, spoilt: str) -> None:
    for file in tiny.iterdir():
        (tmp_path / file.name).write_bytes(b"{}" if file.name == spoilt else file.read_bytes())
    with pytest.raises(ConfigError, match="holds no sentence encoder of the BERT kind"):
        SentenceEncoder(tmp_path)
