"""From what a user says of embeddings to a similarity."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from chattyshared.errors import ConfigError

from chattykg.linking.similarity import Lexical, Similarity

OFF, AUTO = "off", "auto"


def open_similarity(wanted: str = OFF, cache_dir: Path | None = None) -> tuple[Similarity, str]:
    """Open the similarity of names and phrases, with the name of its sentence encoder (``off`` without one).

    ``wanted`` is a folder with an encoder; ``auto`` (the one that is installed, if any), or ``off``. ``cache_dir``
    keeps vectors between runs.

    Raises:
        ConfigError: the folder holds no encoder, what reads it is not installed, or the cache cannot be written.
    """
    if wanted == OFF:
        return Lexical(), OFF
    from chattykg.linking.meaning import Meaning
    from chattykg.linking.sentence_encoder import SentenceEncoder, installed

    folder = installed() if wanted == AUTO else Path(wanted)
    if folder is None:
        return Lexical(), OFF
    encoder = SentenceEncoder(folder)
    try:
        return Meaning(encoder, Lexical(), cache_dir), encoder.name
    except (OSError, sqlite3.Error) as error:
        raise ConfigError(f"{cache_dir}: vectors cannot be kept there ({error})") from error
