"""``chattykg cache``: what a cache folder holds, why a reply had to be paid for, and what may go."""

from __future__ import annotations

from chattyshared.commands.cache import make_cache_command

cache = make_cache_command("chattykg")
