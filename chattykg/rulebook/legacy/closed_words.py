"""The closed classes of English: words that hold a sentence together, and verbs that people ask with."""

from __future__ import annotations

from chattyshared.language.lexicon import word_set
from chattyshared.language.quantities import unit_forms


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


BE = _words("is are was were be been being am")
HAVE = _words("has have had having")
DO = _words("do does did")
MODAL = _words("can could will would shall should may might must")
AUXILIARY = BE | HAVE | DO | MODAL
WH = _words("who whom whose what which where when how why")
DETERMINER = _words(
    "the a an all any some each every both this that these those its their his her my our your such another "
    "either distinct different various unique several certain other own single respective corresponding existing "
    "entire total-of available"
)
PREPOSITION = _words(
    "of in on at by to for from with without within into onto through during before after since until between "
    "among over under above below about as like near inside outside across against around behind beside besides "
    "beyond despite except than toward towards upon via per out off up down along"
)
CONJUNCTION = _words("and or but nor")
PRONOUN = _words(
    "it he she they him them i you we us me there here itself himself herself themselves one ones everyone anyone "
    "someone something anything everything everybody somebody anybody"
)
NEGATION = _words("not never no none neither without")
ADVERB = _words(
    "also currently ever still only just actually really usually often now already together originally mainly "
    "please then too as-well exactly about approximately roughly officially formerly most-recently specifically "
    "in-total himself herself itself themselves altogether overall alone even yet respectively again else "
    "recently previously"
)
FUNCTION = (
    AUXILIARY | WH | DETERMINER | PREPOSITION | CONJUNCTION | PRONOUN | NEGATION | ADVERB
    | _words("if whether so because while many much more most less least few fewer fewest than same")
)  # fmt: skip
COMMAND = _words(
    "list show give tell find name display return get print count provide enumerate output retrieve identify "
    "state fetch select search look want need see know view present report mention pick calculate compute "
    "determine describe include add write"
)
POLITE = _words("please hi hello hey okay ok well so now thanks kindly just then and but also")
GENERIC = _words(
    "thing things one ones item items entity entities object objects people person persons everything everyone "
    "list lists names name titles title label labels someone anyone"
)
"""Nouns that name no kind of thing by themselves."""

NAMING = _words("name names title titles label labels")
BARE_NUMBER = _words("number amount count quantity total")
KINDS = _words("kind kinds type types sort sorts list lists set sets group groups series")

VERBS = word_set("verbs", "common", "questions_only")
"""Verbs by their lemma; a word that is none of them may still be one by its ending."""

IRREGULAR = _words(
    "born made written built sung drawn held led won known bought sold taught spoken found founded set shot cut "
    "put ran run began begun wrote sang drew made became come came took taken given gave grew grown flown flew "
    "wore worn fought lost left met paid read said saw seen sent spent stood sat spoke stole stolen told thought "
    "threw thrown understood won broke broken chose chosen drove driven ate eaten fell fallen felt forgot got "
    "gotten hid hidden hit kept laid lay lent lit meant rode ridden rose risen sank sunk shown slept swam swum "
    "tore torn woke wound"
)
"""Past forms and participles without -ed."""

NOUN_ING = _words(
    "building rating ranking painting meaning spelling ending king ring beginning sibling engineering marketing "
    "manufacturing opening recording offspring wedding housing ceiling string spring wing thing evening morning "
    "nothing anything something everything landing funding listing setting meeting clothing training programming "
    "nursing banking mining farming fishing shipping drawing earning saving consulting accounting viking sterling "
    "pricing billing processing packaging holding gathering crossing dwelling writing boxing racing swimming "
    "cooking sibling lodging"
)
NOUN_VERB = _words(
    "name number rank title list type order date age price cost weight size score share record design result rate "
    "issue report address market state place season service support style stage program project plan position "
    "sign source head capital form model mark house land test trade ship group class plant start end award house "
    "host border head show play work process store match time star book part post cause series species species "
    "face film guide reference cover species fund use study display offer feature release charge tour mine flower "
    "tower bind "
    "bloom block blossom chair challenge claim contract dock document field fish function harvest help honor "
    "honour influence lack license lift limit link load mount pack park partner pass power race register request "
    "rest reverse review ride route scale shelter span spread survey target trace transfer transport trigger "
    "tutor tax value volunteer warn yield"
)
"""Verbs whose form with -s, or without ending, is at least as often a noun."""

MONTHS = {
    name: number
    for number, names in enumerate(
        ("january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug",
         "september sept sep", "october oct", "november nov", "december dec"), 1)
    for name in names.split()
}  # fmt: skip
NUMBERS = {
    word: number
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen twenty".split()
    )
} | {"thirty": 30, "forty": 40, "fifty": 50, "hundred": 100, "thousand": 1000, "dozen": 12, "once": 1, "twice": 2}
ORDINALS = {
    word: number
    for number, word in enumerate(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split(), 1
    )
}
SCALES = {"hundred": 100, "thousand": 1_000, "k": 1_000, "million": 1_000_000, "mio": 1_000_000, "m": 1_000_000,
          "billion": 1_000_000_000, "bn": 1_000_000_000, "trillion": 1_000_000_000_000,
          "thousands": 1_000, "millions": 1_000_000, "billions": 1_000_000_000}  # fmt: skip
UNITS = unit_forms("question")
INFORMATION = _words("information info details data record records facts everything description")
