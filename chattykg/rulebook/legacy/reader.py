"""A place in a question, moving on."""

from __future__ import annotations

from chattykg.rulebook.legacy.atoms import Atom

_END = Atom("", "", "end", 0, 0)


class Reader:
    """Atoms with a cursor; beyond the end stands an atom of kind ``end``."""

    def __init__(self, atoms: tuple[Atom, ...]) -> None:
        self.atoms = atoms
        self.place = 0

    def peek(self, ahead: int = 0) -> Atom:
        """Return the atom at the cursor, or so many after it."""
        place = self.place + ahead
        return self.atoms[place] if 0 <= place < len(self.atoms) else _END

    def take(self) -> Atom:
        """Return the atom at the cursor and move on."""
        atom = self.peek()
        self.place += 1
        return atom

    def at(self, *words: str, ahead: int = 0) -> bool:
        """Tell whether the atom at the cursor is one of the words."""
        return self.peek(ahead).lower in words

    def at_sequence(self, *words: str) -> bool:
        """Tell whether these words stand at the cursor, in order."""
        return all(self.peek(ahead).lower == word for ahead, word in enumerate(words))

    def skip(self, *words: str) -> bool:
        """Move past any number of these words; tell whether there was one."""
        began = self.place
        while not self.done and self.peek().lower in words:
            self.place += 1
        return self.place > began

    def skip_sequence(self, *words: str) -> bool:
        """Move past these words if all stand at the cursor; tell whether they did."""
        if self.at_sequence(*words):
            self.place += len(words)
            return True
        return False

    @property
    def done(self) -> bool:
        """Tell whether nothing but closing marks is left."""
        return all(atom.is_mark and atom.lower != "," or atom.lower == "," for atom in self.atoms[self.place :])
