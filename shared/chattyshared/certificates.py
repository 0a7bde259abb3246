"""Certificates of turns as JSON, and the digest of a file of questions, which does not depend on audits.

A certificate states what an unanswerable question excludes (``words``, ``topics``, ``names``), and what an audit found.
Only the audit changes a finished file: what it writes is left out of the digest, so that answers still belong to it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

from chattyshared.dialogue import Alternative, BackTranslation, Certificate, CertificateVerdict, ResultDigest, Value
from chattyshared.formats.box import open_jsonl
from chattyshared.jsonlines import parse_json, to_json_line

KEY = "certificate"
"""The key of a certificate in a turn, or in the line of a question."""
EXCLUSIONS = ("words", "topics", "names")
"""What the graph must not contain for a question to be unanswerable."""


def certificate_from_json(value: Mapping[str, Any]) -> Certificate:
    """Return the certificate of a valid JSON object."""
    witness, translation = value.get("witness", {}), value.get("back_translation")
    words, topics, names = (tuple(value.get(name, ())) for name in EXCLUSIONS)
    return Certificate(
        words,
        topics,
        names,
        verdict=value.get("verdict", ""),
        reasons=tuple(value.get("reasons", ())),
        fingerprint=value.get("fingerprint", ""),
        gold_digest=value.get("gold", ""),
        results=tuple(_result_from_json(each) for each in value.get("results", ())),
        checked_triples=witness.get("checked", 0),
        missing_triples=witness.get("missing", 0),
        alternatives=tuple(Alternative(**each) for each in value.get("alternatives", ())),
        back_translation=None if translation is None else _translation_from_json(translation),
        is_audit="verdict" in value and not value.keys() & set(EXCLUSIONS),
    )


def certificate_to_json(certificate: Certificate) -> dict[str, Any]:
    """Return the JSON object of a certificate, without what is empty; of an audit, verdict and reasons always."""
    lists = {name: list(getattr(certificate, name)) for name in EXCLUSIONS}
    data: dict[str, Any] = {name: texts for name, texts in lists.items() if texts}
    if not certificate.verdict:
        return data
    if not certificate.is_audit:
        data = data or {"words": []}  # an empty certificate stays one, without the audit
    data |= {"verdict": certificate.verdict, "reasons": list(certificate.reasons)}
    data |= {"fingerprint": certificate.fingerprint, "gold": certificate.gold_digest}
    data |= {"results": [_result_to_json(r) for r in certificate.results]}
    if certificate.checked_triples:
        data["witness"] = {"checked": certificate.checked_triples, "missing": certificate.missing_triples}
    if certificate.alternatives:
        data["alternatives"] = [
            {"answer": each.answer, "value": each.value, "reason": each.reason} for each in certificate.alternatives
        ]
    if translation := certificate.back_translation:
        data["back_translation"] = {
            "question": translation.question, "same": translation.is_same, "model": translation.model,
            "digest": translation.digest,
        }  # fmt: skip
    return data


def describe_verdict(certificate: Certificate) -> str:
    """Return the verdict of an audit with its reasons; empty without an audit."""
    return certificate.verdict + (f" ({', '.join(certificate.reasons)})" if certificate.reasons else "")


def describe_alternatives(certificate: Certificate) -> list[str]:
    """Return the answers that an audit accepts in place of others, each with the reason."""
    return [f"{each.value} in place of {each.answer} ({each.reason})" for each in certificate.alternatives]


def digest_of_gold(sparql: str, answers: Iterable[str]) -> str:
    """Return the digest of a query and its answers, to which a certificate belongs."""
    return hashlib.sha256(to_json_line([sparql, *answers]).encode(errors="backslashreplace")).hexdigest()[:16]


def verdict_on(
    certificate: Certificate, fingerprint: str, sparql: str, answers: Iterable[str]
) -> CertificateVerdict | Literal[""]:
    """Return the verdict of a certificate; empty if it was made on another graph ("": unknown), query or answers."""
    is_same = certificate.gold_digest in ("", digest_of_gold(sparql, answers))
    return certificate.verdict if is_same and fingerprint in ("", certificate.fingerprint) else ""


def value_to_json(value: Value) -> dict[str, str]:
    """Return the JSON object of a value; empty datatype, language and label are omitted."""
    optional = {"datatype": value.datatype, "lang": value.lang, "label": value.label}
    return {"value": value.value, "kind": value.kind, **{key: text for key, text in optional.items() if text}}


def digest_of_file(path: Path) -> str:
    """Return the digest of a file of questions that a manifest holds: of its bytes without what an audit certified; of
    a box, that of its benchmark."""
    with open_jsonl(path) as file:
        return digest_of_lines(file)


def digest_of_lines(lines: Iterable[bytes]) -> str:
    """Return the digest of the lines of a file of questions, with their line ends."""
    return hashlib.sha256(b"".join(map(_without_audit, lines))).hexdigest()[:16]


def add_certificate(line: str, certificate: Mapping[str, Any]) -> str:
    """Return the line of a question with a certificate behind its other keys, which stay as they are written."""
    line = _without_audit(line.encode(errors="surrogatepass")).decode(errors="surrogatepass")
    value = parse_json(line)
    if KEY in value:
        return to_json_line({**value, KEY: certificate})
    return f"{line.rstrip()[:-1].rstrip()}{_suffix(certificate)}"


def _suffix(certificate: Mapping[str, Any]) -> str:
    return f", {json.dumps(KEY)}: {to_json_line(certificate)}}}"


def _without_audit(line: bytes) -> bytes:
    """Return a line without what an audit certified; a line without that, as it is."""
    if b'"verdict"' not in line or f'"{KEY}"'.encode() not in line:
        return line
    try:
        value = parse_json(line)
    except ValueError:
        return line
    text, end = line.decode(errors="replace").rstrip("\r\n"), b"\n" if line.endswith(b"\n") else b""
    own = value.get(KEY) if isinstance(value, dict) else None
    if isinstance(own, dict) and "verdict" in own and text.endswith(_suffix(own)) and not own.keys() & set(EXCLUSIONS):
        return (text.removesuffix(_suffix(own)) + "}").encode() + end
    stripped = _strip(value)
    return line if stripped == value else to_json_line(stripped).encode(errors="backslashreplace") + end


def _strip(value: Any) -> Any:
    """Return the value of a line without the audits in its certificates."""
    if isinstance(value, dict) and isinstance(value.get("turns"), list):
        return {**value, "turns": [_strip(turn) for turn in value["turns"]]}
    own = value.get(KEY) if isinstance(value, dict) else None
    if not isinstance(own, dict) or "verdict" not in own:
        return value
    rest, exclusions = {k: v for k, v in value.items() if k != KEY}, {k: own[k] for k in EXCLUSIONS if k in own}
    return {**rest, KEY: {k: texts for k, texts in exclusions.items() if texts}} if exclusions else rest


def _result_from_json(value: Mapping[str, Any]) -> ResultDigest:
    return ResultDigest(**{**value, "answers": tuple(Value(**answer) for answer in value.get("answers", ()))})


def _result_to_json(result: ResultDigest) -> dict[str, Any]:
    texts = {"engine": result.engine, "digest": result.digest, "failure": result.failure}
    answers = [value_to_json(value) for value in result.answers]
    return {**{key: text for key, text in texts.items() if text}, **({"answers": answers} if answers else {})}


def _translation_from_json(value: Mapping[str, Any]) -> BackTranslation:
    return BackTranslation(value["question"], value["same"], value["model"], value["digest"])
