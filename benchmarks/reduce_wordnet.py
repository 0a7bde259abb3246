"""Reduce WordNet 3.0 to the words that questions and vocabularies use: one sorted text file of at most 3 MB.

    python benchmarks/reduce_wordnet.py /usr/share/wordnet data/chattydata/english/wordnet.txt

The folder is that of Debian's package wordnet-base or the folder ``dict`` of Princeton's archive. The file has one line
for each word and part of speech. A word is common if annotators tagged it (``cntlist.rev``) or if definitions of other
words use it. Rare words and senses, names, archaic and offensive words are left out. The licence notice (the head of
``data.noun``) goes beside the file as NAME_license.txt. Equal inputs give equal bytes.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

FILES = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
"""WordNet's file for each part of speech."""
MAX_SENSES = {"n": 6, "v": 8, "a": 6, "r": 2}
"""Senses of a word that are kept, by part of speech."""
UNTAGGED_SENSES = 3
"""A sense that no annotator tagged is kept if it is among the first three of its word."""
MIN_TAG_SHARE = 0.01
"""Smallest share of a sense in its word's tags, from 0 to 1, unless the sense is among the first three."""
MIN_MENTIONS = {"single": 2, "verb": 1, "person": 1, "taxon": 4, "compound": 4}
"""Definitions of other synsets that use an untagged word, at least: by part of speech and kind of its first sense."""
MIN_PARTNER_MENTIONS = 1
"""The same for a word that is only a synonym or a related form."""
MAX_SYNONYMS, MAX_RELATED, MAX_ADJECTIVES, MAX_FRAMES = 6, 10, 5, 12
"""Synonyms of one sense; related forms, adjectives (similar, antonyms, of one measure) and frames of one word."""
MIN_DEPTH = 4
"""Hypernyms nearer to the root than this number of levels, except "person", say nothing: entity, object."""
PERSON, LOCATION = "person", "location"
BANNED_USAGES = frozenset({
    "archaism", "ethnic_slur", "disparagement", "obscenity", "slang", "trade_name", "trademark", "dialect",
    "combining_form", "Yiddish", "regionalism", "African_American_Vernacular_English", "street_name", "comparative",
    "superlative",
})  # fmt: skip
"""Topics of usage whose words are left out."""
BANNED_NOTES = re.compile(
    r"^\((?:archaic|obsolete|slang|ethnic slur|offensive|trademark|Yiddish|dialect)\b|\barchaic\b"
)
"""Definitions whose words are left out."""
TAXA = frozenset({"animal", "plant"})
NAMED_KINDS = frozenset({"animal", "plant", "act", "artifact", "substance", "food", "body"})
"""Kinds of nouns whose capitalized words are names of taxa, events and products."""
KINDS = dict(
    enumerate(
        "top act animal artifact attribute body cognition communication event feeling food group location motive "
        "object person phenomenon plant possession process quantity relation shape state substance time".split(),
        start=3,
    )
)
"""The name of each lexicographer file of nouns."""
FRAMES = (
    "t p it t+prep tt+complement t+complement p+complement pt pp tp tt t+to p+on ppt pt+to pt+from pp+with pp+of pt+on "
    "pp+prep pt+prep p+prep p pp+inf pp+bare p+that p+to p+inf p+whether pp+gerund pt+with p+bare p+gerund "
    "it+that t+bare"
).split()
"""The code of each generic sentence frame, in WordNet's order: subject, objects, complement."""
UNREADABLE = re.compile(r"[^A-Za-z0-9 .'-]|^[^A-Za-z0-9]|^.$|^[^A-Za-z]+$")
"""Words with other characters (the format uses them), of one letter, or without letters are left out."""
SPELLINGS = (
    ("is", "iz"),
    ("ys", "yz"),
    ("our", "or"),
    ("tre", "ter"),
    ("ll", "l"),
    ("ogue", "og"),
    ("ce", "se"),
    ("-", ""),
)
"""British and American spellings: words of one synset that are equal after these replacements are variants."""
_TOKEN = re.compile(r"[A-Za-z0-9'-]+")
HEADER = """\
# WordNet 3.0, reduced by benchmarks/reduce_wordnet.py. Copyright 2006 by Princeton University. Notice: {notice}.
# A line: word, part of speech (n noun, v verb, a adjective, r adverb), fields; tabs between them; sorted by bytes.
# sense= senses, the commonest first, "|" between them: KIND:SYNONYMS<HYPERNYM#N<HYPERNYM#N (KIND of nouns only; sense N
# of the hypernym's line, 1 if not told)   rel= derivationally related forms WORD/PART (p: a noun for a person)
# frame= sentence frames of a verb: subject (p person, t thing, it), objects, +complement   anto= antonyms
# attr= nouns of what an adjective measures   sim= similar adjectives   loc= place of a demonym
"""

Pointer = tuple[str, int, str, int, int]
"""Symbol, offset and part of speech of the target, number of the source word and of the target word (0: the synset)."""


@dataclass(slots=True)
class Synset:
    """One synset: its words in WordNet's order, its pointers, and for verbs its frames (frame, word number)."""

    offset: int
    part: str
    kind: str
    is_satellite: bool
    words: list[str]
    pointers: list[Pointer]
    frames: list[tuple[int, int]]
    gloss: str
    tokens: Counter[str] = field(default_factory=Counter)

    @property
    def key(self) -> tuple[str, int]:
        """Return what identifies the synset: part of speech and offset."""
        return self.part, self.offset


def parse_synset(line: str, part: str) -> Synset:
    """Return the synset of one line of a data file."""
    data, _, gloss = line.partition("|")
    fields = data.split()
    count = int(fields[3], 16)
    words = [re.sub(r"\(\w+\)$", "", word).replace("_", " ") for word in fields[4 : 4 + 2 * count : 2]]
    at = 4 + 2 * count
    pointers: list[Pointer] = []
    for start in range(at + 1, at + 1 + 4 * int(fields[at]), 4):
        symbol, target, target_part, numbers = fields[start : start + 4]
        target_part = target_part.replace("s", "a")
        pointers.append((symbol, int(target), target_part, int(numbers[:2], 16), int(numbers[2:], 16)))
    rest = fields[at + 1 + 4 * int(fields[at]) :]
    frames = [(int(rest[at + 1]), int(rest[at + 2], 16)) for at in range(1, len(rest), 3)] if part == "v" else []
    kind = KINDS.get(int(fields[1]), "") if part == "n" else ""
    if kind == "top":
        kind = words[0] if words[0] in KINDS.values() else kind
    return Synset(int(fields[0]), part, kind, fields[2] == "s", words, pointers, frames, gloss.strip())


def spelling(word: str) -> str:
    """Return what the British and the American spelling of a word have in common."""
    for british, american in SPELLINGS:
        word = word.replace(british, american)
    return word


class WordNet:
    """The data files in memory, with the counts that tell how common a word and a sense are."""

    def __init__(self, folder: Path) -> None:
        self.synsets: dict[tuple[str, int], Synset] = {}
        for part, name in FILES.items():
            for line in (folder / f"data.{name}").read_text(encoding="latin-1").splitlines():
                if not line.startswith(" "):
                    synset = parse_synset(line, part)
                    self.synsets[synset.key] = synset
        self.senses: dict[tuple[str, str], list[Synset]] = {}
        for part, name in FILES.items():
            for line in (folder / f"index.{name}").read_text(encoding="latin-1").splitlines():
                if not line.startswith(" "):
                    fields = line.split()
                    offsets = fields[-int(fields[2]) :]
                    self.senses[fields[0].replace("_", " "), part] = [self.synsets[part, int(at)] for at in offsets]
        self.tags = self._count_tags(folder / "cntlist.rev")
        self.mentions = self._count_mentions()
        self.banned = {key for key, synset in self.synsets.items() if self._is_banned(synset)}
        self.common = {key for key in self.senses if not UNREADABLE.search(key[0]) and self.is_common(*key)}
        self.depths: dict[tuple[str, int], int] = {}

    def _count_tags(self, path: Path) -> Counter[tuple[str, str, int]]:
        tags: Counter[tuple[str, str, int]] = Counter()
        for line in path.read_text(encoding="latin-1").splitlines():
            sense_key, number, count = line.split()
            lemma, _, rest = sense_key.partition("%")
            part = "nvara"[int(rest[0]) - 1]
            word = lemma.replace("_", " ")
            senses = self.senses.get((word, part), [])
            if int(number) <= len(senses):
                tags[word, part, senses[int(number) - 1].offset] += int(count)
        return tags

    def _count_mentions(self) -> Counter[str]:
        """Count the synsets whose definition uses a word: words as they stand, plurals in -s, and compounds."""
        compounds = {word for word, _ in self.senses if " " in word}
        mentions: Counter[str] = Counter()
        for synset in self.synsets.values():
            tokens = _TOKEN.findall(synset.gloss.lower())
            seen = set(tokens) | {token[:-1] for token in tokens if token.endswith("s")}
            for size in (2, 3):
                phrases = (" ".join(tokens[at : at + size]) for at in range(len(tokens) - size + 1))
                seen.update(phrase for phrase in phrases if phrase in compounds)
            mentions.update(seen - {word.lower() for word in synset.words})
        return mentions

    def _is_banned(self, synset: Synset) -> bool:
        usages = {
            self.synsets[part, target].words[0].replace(" ", "_")
            for symbol, target, part, _, _ in synset.pointers
            if symbol == ";u"
        }
        return bool(usages & BANNED_USAGES) or bool(BANNED_NOTES.search(synset.gloss))

    def is_name(self, word: str, synset: Synset) -> bool:
        """Tell whether a word of a synset is a proper name."""
        if word == word.lower():
            return False
        return any(pointer[0] == "@i" for pointer in synset.pointers) or synset.kind in NAMED_KINDS

    def is_partner(self, word: str, synset: Synset) -> bool:
        """Tell whether a word may stand in the line of another word."""
        if UNREADABLE.search(word) or synset.key in self.banned or self.is_name(word, synset):
            return False
        return (word.lower(), synset.part) in self.common or self.mentions[word.lower()] >= MIN_PARTNER_MENTIONS

    def is_common(self, word: str, part: str) -> bool:
        """Tell whether a word has a line of its own."""
        senses = self.senses[word, part]
        spelled = next(each for each in senses[0].words if each.lower() == word)
        if all(synset.key in self.banned or self.is_name(spelled, synset) for synset in senses):
            return False
        if self._is_tagged(word, part) or any(self._is_variant(word, synset) for synset in senses):
            return True
        is_single = " " not in word
        if is_single and (part == "v" or senses[0].kind == PERSON) and self._is_derived(spelled, senses[0]):
            return True
        category = "compound" if not is_single else "taxon" if senses[0].kind in TAXA else FILES[part]
        category = PERSON if category == "noun" and senses[0].kind == PERSON else category
        return self.mentions[word] >= MIN_MENTIONS.get(category, MIN_MENTIONS["single"])

    def _is_tagged(self, word: str, part: str) -> bool:
        return any(self.tags[word, part, synset.offset] for synset in self.senses[word, part])

    def _is_variant(self, word: str, synset: Synset) -> bool:
        others = [each for each in synset.words if each != word and each == each.lower()]
        return any(spelling(each) == spelling(word) and self._is_tagged(each, synset.part) for each in others)

    def _is_derived(self, word: str, synset: Synset) -> bool:
        """Tell whether a derivationally related form of a word was tagged: narrator by narrate."""
        number = synset.words.index(word) + 1
        for symbol, at, part, source, target in synset.pointers:
            if symbol == "+" and source == number:
                related = self.synsets[part, at].words[target - 1].lower()
                if self._is_tagged(related, part) or self.mentions[related] >= MIN_MENTIONS["single"]:
                    return True
        return False

    def depth(self, synset: Synset) -> int:
        """Return the shortest way to the root: 0 for the root."""
        if synset.key not in self.depths:
            above = self.hypernyms(synset)
            self.depths[synset.key] = min(self.depth(each) for each in above) + 1 if above else 0
        return self.depths[synset.key]

    def targets(self, synset: Synset, symbol: str) -> list[Synset]:
        """Return the synsets to which a symbol points."""
        return [self.synsets[part, at] for name, at, part, _, _ in synset.pointers if name == symbol]

    def hypernyms(self, synset: Synset) -> list[Synset]:
        """Return the direct hypernyms of a synset; those of an instance, too."""
        return self.targets(synset, "@") + self.targets(synset, "@i")

    def commonest(self, synset: Synset, limit: int, without: Iterable[str] = ()) -> list[str]:
        """Return the words of a synset that are common, the likeliest for this synset first."""
        words = [word for word in synset.words if word not in without and self.is_partner(word, synset)]
        return sorted(words, key=lambda word: -self.tags[word.lower(), synset.part, synset.offset])[:limit]


def kept_senses(net: WordNet, word: str, part: str) -> list[Synset]:
    """Return the senses of a word that are kept, the commonest first."""
    total = sum(net.tags[word, part, each.offset] for each in net.senses[word, part])
    kept = []
    for rank, synset in enumerate(net.senses[word, part]):
        spelled = next(each for each in synset.words if each.lower() == word)
        share = net.tags[word, part, synset.offset] / total if total else 0.0
        is_rare = rank >= UNTAGGED_SENSES and share <= MIN_TAG_SHARE
        if not is_rare and synset.key not in net.banned and not net.is_name(spelled, synset):
            kept.append(synset)
    return kept[: MAX_SENSES[part]]


@dataclass(slots=True)
class Taxonomy:
    """The senses that the file holds: those of common words, and all senses above them."""

    net: WordNet
    lines: dict[tuple[str, str], list[Synset]]
    kept: dict[tuple[str, str], list[Synset]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.kept = {key: list(senses) for key, senses in self.lines.items()}
        waiting = [synset for senses in self.lines.values() for synset in senses]
        seen = set()
        while waiting:
            for above in self.parents(waiting.pop()):
                if above.key not in seen:
                    seen.add(above.key)
                    waiting.append(above)
                    senses = self.lines.setdefault((self.representative(above), above.part), [])
                    if above not in senses:
                        senses.append(above)
        for (word, part), senses in self.lines.items():
            senses.sort(key=self.net.senses[word, part].index)

    def parents(self, synset: Synset) -> list[Synset]:
        """Return the nearest hypernyms that have a representative and say something."""
        found = []
        for above in self.net.hypernyms(synset):
            is_person = above.words[0] == PERSON
            if synset.words[0] == PERSON or (synset.kind == PERSON != above.kind and not is_person):
                continue
            if above.part == "n" and self.net.depth(above) < MIN_DEPTH and not is_person:
                continue
            found += [above] if self.representative(above) else self.parents(above)
        return found

    def representative(self, synset: Synset) -> str:
        """Return the word in whose line a synset stands, that of which it is the commonest sense; else ""."""
        words = [word.lower() for word in synset.words if not UNREADABLE.search(word)]
        if synset.key in self.net.banned:
            return ""

        def rank(word: str) -> tuple[bool, int, int]:
            key = (word, synset.part)
            tags = self.net.tags[word, synset.part, synset.offset]
            return synset not in self.kept.get(key, ()), self.net.senses[key].index(synset), -tags

        return min(words, key=rank, default="")

    def reference(self, synset: Synset) -> str:
        """Return the reference to a synset: a word, and the number of the sense unless it is the first."""
        word = self.representative(synset)
        number = self.lines[word, synset.part].index(synset) + 1
        return word if number == 1 else f"{word}#{number}"

    def sense_field(self, word: str, part: str) -> str:
        """Return the senses of a word: kind, synonyms, references to the hypernyms."""
        senses = []
        for synset in self.lines[word, part]:
            synonyms = self.net.commonest(synset, MAX_SYNONYMS, [each for each in synset.words if each.lower() == word])
            above = "".join(f"<{self.reference(each)}" for each in self.parents(synset))
            text = f"{synset.kind}:{','.join(synonyms)}{above}".removeprefix(":")
            if text or part != "a":
                senses.append(text)
        return "|".join(senses)


def lexical_targets(net: WordNet, word: str, part: str, symbols: Sequence[str]) -> Iterator[tuple[str, Synset]]:
    """Yield the words (and their synsets) to which the word itself or its synsets point, sense by sense."""
    for synset in net.senses[word, part]:
        if synset.key in net.banned:
            continue
        number = 1 + next(at for at, each in enumerate(synset.words) if each.lower() == word)
        for symbol, at, target_part, source, target in synset.pointers:
            if symbol in symbols and source in (0, number):
                other = net.synsets[target_part, at]
                words = [other.words[target - 1]] if target else net.commonest(other, MAX_SYNONYMS)
                yield from ((each, other) for each in words if net.is_partner(each, other))


def related_field(net: WordNet, word: str, part: str) -> str:
    """Return the derivationally related forms with their parts of speech; ``p`` marks a noun for a person."""
    forms: dict[str, int] = {}
    persons = set()
    for other, synset in lexical_targets(net, word, part, ("+", "<")):
        form = f"{other}/{synset.part}"
        forms[form] = forms.get(form, 0) + 1 + net.tags[other.lower(), synset.part, synset.offset]
        if synset.kind == PERSON:
            persons.add(form)
    ranked = sorted(forms, key=lambda form: -forms[form])
    return ",".join(f"{form[:-1]}p" if form in persons else form for form in ranked[:MAX_RELATED])


def participle_field(net: WordNet, word: str) -> str:
    """Return the verb of an adjective that is a regular participle (located: locate), as a related form."""
    stems = [word[:-1], word[:-2], word[:-3]] if word.endswith("ed") else []
    verbs = [stem for stem in stems if (stem, "v") in net.common]
    return f"{verbs[0]}/v" if verbs else ""


def frame_field(net: WordNet, word: str) -> str:
    """Return the codes of a verb's sentence frames, those of common senses first."""
    codes = []
    for synset in kept_senses(net, word, "v"):
        number = 1 + next(at for at, each in enumerate(synset.words) if each.lower() == word)
        codes += [FRAMES[frame - 1] for frame, source in synset.frames if source in (0, number)]
    return ",".join(list(dict.fromkeys(codes))[:MAX_FRAMES])


def attribute_field(net: WordNet, word: str) -> str:
    """Return the nouns of what an adjective measures.

    An adjective without such a pointer has the hypernyms of the nouns derived from it (expensiveness is a price),
    unless it only is similar to another one.
    """
    words = [other for other, _ in lexical_targets(net, word, "a", ("=",))]
    if not words:
        for synset in kept_senses(net, word, "a")[:1]:
            targets = [] if synset.is_satellite else net.targets(synset, "+")
            derived = [each for each in targets if each.kind == "attribute"]
            words += [each for noun in derived for above in net.targets(noun, "@") for each in net.commonest(above, 3)]
    return ",".join(list(dict.fromkeys(words))[:MAX_ADJECTIVES])


def similar_field(net: WordNet, word: str) -> str:
    """Return the similar adjectives, those of common senses first."""
    words = [
        other
        for synset in kept_senses(net, word, "a")
        for each in net.targets(synset, "&")
        for other in net.commonest(each, 1)
        if other.lower() != word
    ]
    return ",".join(list(dict.fromkeys(words))[:MAX_ADJECTIVES])


def place_names(place: Synset, number: int) -> list[str]:
    """Return the names of a place, its usual one first: word ``number`` of its synset."""
    names = [place.words[number - 1]] if number else []
    names += [name for name in place.words if name not in names and "." not in name]
    return [name for name in names if not UNREADABLE.search(name)]


def find_demonyms(net: WordNet) -> dict[tuple[str, str], list[str]]:
    """Return the places of the adjectives that pertain to them (Danish) and of the nouns for inhabitants (Dane)."""
    found: dict[tuple[str, str], list[str]] = defaultdict(list)
    for synset in net.synsets.values():
        for symbol, at, part, source, target in synset.pointers:
            place = net.synsets[part, at]
            is_demonym = symbol == "\\" or (symbol == "#m" and synset.kind == PERSON)
            if is_demonym and place.kind in (LOCATION, "object") and synset.key not in net.banned:
                words = [synset.words[source - 1]] if source else synset.words
                for word in words:
                    if word != word.lower() and not UNREADABLE.search(word):
                        found[word.lower(), synset.part] += place_names(place, target)
    return found


def fields_of(net: WordNet, word: str, part: str) -> dict[str, str]:
    """Return the fields of a common word that come from its synsets, without the senses."""
    fields = {"rel": related_field(net, word, part)}
    if part == "a" and not fields["rel"]:
        fields["rel"] = participle_field(net, word)
    if part == "v":
        fields["frame"] = frame_field(net, word)
    if part == "a":
        fields["attr"] = attribute_field(net, word)
    antonyms = dict.fromkeys(other for other, _ in lexical_targets(net, word, part, ("!",)))
    fields["anto"] = ",".join(list(antonyms)[:MAX_ADJECTIVES])
    if part == "a":
        fields["sim"] = similar_field(net, word)
    return fields


def reduce_wordnet(folder: Path) -> Iterator[str]:
    """Yield the lines of the reduced file without the header, sorted by bytes."""
    net = WordNet(folder)
    demonyms = find_demonyms(net)
    taxonomy = Taxonomy(net, {key: kept_senses(net, *key) for key in sorted(net.common) if key[1] != "r"})
    lines = []
    for word, part in net.common | set(taxonomy.lines) | set(demonyms):
        fields = {"sense": taxonomy.sense_field(word, part) if (word, part) in taxonomy.lines else ""}
        fields |= fields_of(net, word, part) if (word, part) in net.common else {}
        fields["loc"] = ",".join(dict.fromkeys(demonyms.get((word, part), ())))
        is_numbered = part in "nv" and (word, part) in taxonomy.lines
        texts = [f"{name}={value}" for name, value in fields.items() if value or (is_numbered and name == "sense")]
        if texts:
            lines.append("\t".join((word, part, *texts)))
    yield from sorted(lines, key=lambda line: line.encode())


def licence_notice(folder: Path) -> str:
    """Return the notice with which Princeton's data files begin, without their line numbers."""
    lines = (folder / "data.noun").read_text(encoding="latin-1").splitlines()
    return "".join(f"{line.strip().lstrip('0123456789').strip()}\n" for line in lines if line.startswith(" "))


def main() -> None:
    """Write the reduced file and the notice beside it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="the folder with data.noun, index.noun, noun.exc, cntlist.rev ...")
    parser.add_argument("output", type=Path, help="the file to write")
    arguments = parser.parse_args()
    notice = arguments.output.with_name(f"{arguments.output.stem}_license.txt")
    header = HEADER.format(notice=notice.name)
    text = header + "".join(f"{line}\n" for line in reduce_wordnet(arguments.folder))
    arguments.output.write_text(text, encoding="utf-8", newline="\n")
    notice.write_text(licence_notice(arguments.folder), encoding="utf-8", newline="\n")
    print(f"{arguments.output}: {text.count(chr(10))} lines, {len(text.encode()):,} bytes")


if __name__ == "__main__":
    main()
