"""What a model replies where a query is asked for: a query in JSON, in a fence or by itself, or that there is none."""

from __future__ import annotations

import re
from typing import Any

from chattyshared.model.reply_values import find_json_values
from chattyshared.sparql.rewriting import closing_bracket

_FENCE = re.compile(r"```\w*\n?(.*?)(?:```|\Z)", re.DOTALL)
_START = re.compile(r"\b(?:PREFIX\s+[\w.-]*:\s*<|SELECT\b(?=[^{}]*\{)|ASK\b(?=\s*(?:WHERE\s*)?\{))", re.IGNORECASE)
_MODIFIERS = re.compile(r"(?:\s*\b(?:(?:GROUP|ORDER)\s+BY|HAVING|LIMIT|OFFSET)\b[^\n]*)*", re.IGNORECASE)
_TEXT = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|<[^<>\s]*>")
_NOTE = re.compile(r"(\"(?:[^\"\\\n]|\\.)*\"|<[^<>\s]*>)|(?<=\s)#\s[^{}\n]*")
"""A note behind a pattern of the prompt, which a model copied into the middle of its line."""
_NONE = re.compile(r"\W*none\b", re.IGNORECASE)
_ASK = re.compile(r"(?:(?:PREFIX|BASE)\s+(?:[\w.-]*:\s*)?<[^<>]*>\s*)*ASK\b", re.IGNORECASE)
_SELECT_CLAUSE = re.compile(r"\bSELECT\b([^{]*)", re.IGNORECASE)


def read_reply(text: str) -> dict[str, Any] | None:
    """Return the reply that a text stands for which is not the JSON that was asked for; None if it is no reply.

    A query counts wherever it stands; what else was said around it is a hint at most.
    """
    values = [value for value in find_json_values(text) if isinstance(value, dict)]
    texts = [part for value in values for part in value.values() if isinstance(part, str)]
    for part in (*texts, *_FENCE.findall(text), text):
        if query := find_written_query(part):
            return read_bare_query(query)
    return {"shape": "none", "sparql": ""} if _NONE.match(text) else None


def read_bare_query(sparql: str) -> dict[str, Any]:
    """Return the reply that a query stands for which a model wrote without the JSON around it."""
    clause = _SELECT_CLAUSE.search(sparql)
    columns = clause[1] if clause else ""
    if is_ask(sparql):
        shape = "boolean"
    elif "count(" in columns.lower().replace(" ", ""):
        shape = "count"
    else:
        shape = "table" if len(re.findall(r"[?$]\w", columns)) > 1 else "list"
    return {"shape": shape, "sparql": sparql}


def is_ask(sparql: str) -> bool:
    """Tell whether a query is an ASK."""
    return _ASK.match(sparql) is not None


def find_written_query(text: str) -> str:
    """Return the first query in a text, with its solution modifiers and without the prose around it; "" for none.

    A query whose last brackets are missing gets them.
    """
    start = _START.search(text)
    if start is None:
        return ""
    query = _NOTE.sub(lambda match: match[1] or "", text[start.start() :])
    masked = _TEXT.sub(lambda match: "_" * len(match[0]), query)
    end = closing_bracket(masked, masked.find("{"), "{}") if "{" in masked else None
    if end is None:
        return query.strip() + " }" * (masked.count("{") - masked.count("}"))
    modifiers = _MODIFIERS.match(masked, end)
    return query[: modifiers.end() if modifiers else end].strip()
