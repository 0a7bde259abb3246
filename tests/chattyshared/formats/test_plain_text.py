"""Plain text with a question a line: what is taken for it, what is left to other formats, what is refused."""

import pytest
from chattyshared.errors import BenchmarkInvalid
from chattyshared.formats import plain_text


def read(tmp_path, content: bytes | str):
    path = tmp_path / "questions.txt"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    found = plain_text.read_plain_text(path)
    return found if found is None else [(question.id, question.question) for question in found]


@pytest.mark.parametrize(
    ("content", "questions"),
    [
        ("Who spun it?", [(1, "Who spun it?")]),
        ("\n  # looms\n Who spun it? \n\nWhere?\n", [(3, "Who spun it?"), (5, "Where?")]),
        (b"\xef\xbb\xbfWho?\r\nWhere?\r\n", [(1, "Who?"), (2, "Where?")]),
        ("Who?\rWhere?", [(1, "Who?"), (2, "Where?")]),
        ("Tell me: who spun it?\nIs it 'J', #2?", [(1, "Tell me: who spun it?"), (2, "Is it 'J', #2?")]),
        ('"Jenny" was spun by whom?\u2028Really?', [(1, '"Jenny" was spun by whom?\u2028Really?')]),
        ("Ask who spun it?\nSelect all looms.", [(1, "Ask who spun it?"), (2, "Select all looms.")]),
    ],
)  # fmt: skip
def test_each_line_is_a_question_whose_id_is_its_number(tmp_path, content, questions):
    assert read(tmp_path, content) == questions


@pytest.mark.parametrize(
    "content",
    [
        "", " \n\n", "# only a comment\n", '{"question": "Who?"', '[{"question": "Who?"}]', '["Who?"', '"Who?"', "3",
        "dataset:\n  id: urn:x\nquestions:\n", "---\nquestions: []", "# by hand\nquestions:\n", "- question: Who?",
        "a: [b", "@prefix : <urn:x> .\n", "PREFIX x: <urn:x>\nASK {}", "<urn:a> <urn:b> <urn:c> .", "<html>",
        "SELECT ?x WHERE { ?x ?p ?o }", "ask { <urn:a> ?p ?o }", "id,question\n1,Who?", "Question\tAnswer\nWho?\tAda",
    ],
)  # fmt: skip
def test_other_formats_are_left_to_their_readers(tmp_path, content):
    assert read(tmp_path, content) is None


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\x7fELF\x02\x00\x01", "is a binary file, no text in UTF-8"),
        ("Who?".encode("utf-16"), "is a binary file"),
        (b"Who spun J\xe4nny?", r"not UTF-8 \(byte 11\)"),
        ("Who?\n" + "x" * 2_001, "line 2: longer than 2,000 characters"),
        ("Who?\n\nWhere?\tHere", "line 3: a text of questions has one question a line, nothing else"),
        ('Who?\n{"question": "Where?"}', "line 2: a text of questions has one question a line"),
        ("Who?\nWhere\x1b[31m?", "line 2: holds control characters"),
    ],
)
def test_what_is_no_question_is_refused_in_one_line(tmp_path, content, message):
    with pytest.raises(BenchmarkInvalid, match=message) as raised:
        read(tmp_path, content)
    assert "\n" not in str(raised.value) and "questions.txt" in str(raised.value)


def test_a_file_that_is_too_large_is_refused(tmp_path):
    path = tmp_path / "large.txt"
    with path.open("wb") as file:
        file.write(b"Who spun it?\n" * 10_000)
        file.truncate(plain_text.MAX_FILE_BYTES + (1 << 20))
    with pytest.raises(BenchmarkInvalid, match="is larger than 64 MB"):
        plain_text.read_plain_text(path)
