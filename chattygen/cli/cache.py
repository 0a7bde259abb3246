"""``chattygen cache``: what a cache folder holds, why a reply had to be paid for, and what may go."""

from __future__ import annotations

from chattyshared.commands.cache import cache_of

cache = cache_of("chattygen")
