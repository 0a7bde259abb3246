"""``chattygen settings``: the settings of the commands."""

from __future__ import annotations

from chattyshared.commands.settings import make_settings_command

settings = make_settings_command("chattygen", "generate")
