"""``chattykg cache``: statistics, explanations and pruning of a cache folder."""

from __future__ import annotations

from chattyshared.commands.cache import make_cache_command

cache = make_cache_command("chattykg")
