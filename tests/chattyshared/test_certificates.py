from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from chattyshared.certificates import add_certificate, certificate_from_json, certificate_to_json, digest_of_file
from chattyshared.dialogue import Alternative, BackTranslation, Certificate, ResultDigest, Value
from chattyshared.errors import BenchmarkInvalid
from chattyshared.questions import read_questions

PROOF = Certificate(("blue",), ("color",))
AUDIT = Certificate(
    verdict="ambiguous", reasons=("tie",), fingerprint="f",
    results=(ResultDigest("one 1", "ab"), ResultDigest("two 2", failure="too slow", answers=(Value("x", "literal"),))),
    checked_triples=3, missing_triples=1, alternatives=(Alternative("a", "b", "tie"),),
    back_translation=BackTranslation("Who?", True, "m", "d"), is_audit=True,
)  # fmt: skip


@pytest.mark.parametrize(
    "certificate", [Certificate(), PROOF, AUDIT, replace(PROOF, verdict="certain"), Certificate(verdict="certain")]
)
def test_a_certificate_stays_the_same_as_json(certificate: Certificate) -> None:
    assert certificate_from_json(certificate_to_json(certificate)) == certificate


def test_a_proof_without_words_stays_one_when_it_is_audited() -> None:
    data = certificate_to_json(Certificate(verdict="certain"))
    assert data["words"] == [] and certificate_from_json(data).exclusions == Certificate()


@pytest.mark.parametrize(
    "line",
    [
        '{"id":1,"question":"Who wrote it?",  "answers":["a"]}',
        '{"id": 1, "question": "Who is blue?", "answers": [], "certificate": {"words": ["blue"], "topics": ["color"]}}',
        '{"id": 1, "question": "When was it?", "answers": [], "certificate": {}}',
    ],
)
def test_a_certificate_leaves_the_digest_of_a_line_as_it_is(tmp_path: Path, line: str) -> None:
    path = tmp_path / "q.jsonl"
    path.write_text(f"{line}\n", encoding="utf-8")
    former = read_questions(path)[0].extra.get("certificate")
    proof = AUDIT if former is None else replace(certificate_from_json(former), verdict="certain")
    digest = digest_of_file(path)
    certified = add_certificate(line, certificate_to_json(proof))
    path.write_text(f"{certified}\n", encoding="utf-8")
    assert digest_of_file(path) == digest and '"verdict"' in certified
    assert add_certificate(certified, certificate_to_json(proof)) == certified
    path.write_text(certified.replace("1", "2", 1) + "\n", encoding="utf-8")
    assert digest_of_file(path) != digest


def test_a_certificate_in_a_file_of_questions_is_checked(tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl"
    path.write_text('{"question": "Who?", "certificate": {"verdict": "perhaps"}}', encoding="utf-8")
    with pytest.raises(BenchmarkInvalid, match=r"\$\.certificate\.verdict"):
        read_questions(path)
