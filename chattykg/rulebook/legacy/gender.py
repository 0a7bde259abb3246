"""Being a man or a woman, which graphs state as a value of "gender" or "sex"."""

from __future__ import annotations

from chattykg.rulebook.legacy.parse import Noun, Parse

_GENDERS = {"women": "female", "woman": "female", "men": "male", "man": "male"}


def of_gender(p: Parse, subject: Noun, *, negative: bool = False) -> bool:
    """Read "women", "a man" behind "is", where the words name nothing in the graph; the cursor moves only then."""
    began = p.reader.place
    p.reader.skip("a")
    atom, following = p.reader.peek(), p.reader.peek(1)
    known = atom.group or atom.vertex or atom.value
    if atom.lower not in _GENDERS or known or following.is_content:
        p.reader.place = began
        return False
    p.reader.take()
    p.draft.relate(subject.end, "gender", _GENDERS[atom.lower], negative=negative)
    return True
