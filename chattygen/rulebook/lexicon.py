"""English words that the surface forms rest on: general vocabulary, none of any knowledge graph."""

from __future__ import annotations

PERSONS = frozenset(
    """person people human individual man woman agent actor actress artist author writer poet novelist playwright
    screenwriter journalist editor director producer composer musician singer songwriter guitarist drummer pianist
    conductor painter sculptor photographer designer architect engineer scientist physicist chemist mathematician
    biologist astronomer philosopher historian economist politician president minister chancellor mayor governor senator
    king queen emperor monarch prince princess pope bishop saint soldier officer general admiral astronaut pilot athlete
    player footballer cricketer swimmer runner boxer coach trainer referee manager employee worker colleague boss chief
    leader founder owner entrepreneur investor lawyer judge doctor physician nurse surgeon dentist patient teacher
    professor lecturer student pupil researcher scholar academic librarian customer client user member friend parent
    father mother child son daughter brother sister sibling spouse husband wife uncle aunt cousin ancestor relative
    character hero inventor explorer criminal victim witness murderer killer speaker narrator presenter host guest
    candidate contestant winner performer dancer comedian model chef farmer sailor translator illustrator animator
    cinematographer creator contributor maintainer reviewer supervisor advisor adviser mentor tutor assistant secretary
    chairman chairperson ceo partner resident citizen inhabitant successor predecessor deputy head report
    commander captain curator administrator treasurer rector dean ambassador lieutenant colonel marshal duke baron
    sultan tenor soprano bassist vocalist keyboardist librettist lyricist arranger instructor coordinator organizer
    inspector detective mathematician baker brewer rider skipper goalkeeper striker midfielder bowler batsman umpire
    archaeologist explorer discoverer vicar abbot monk nun knight warrior pirate sheriff senator delegate
    consultant analyst programmer developer technician mechanic electrician clerk accountant auditor driver
    """.split()
)
PLACES = frozenset(
    """place location city town village municipality settlement country nation state province region county district
    continent island mountain river lake sea ocean valley desert forest park street square building site area territory
    venue stadium airport station port harbor harbour museum church castle palace campus neighborhood suburb capital
    locality address headquarters birthplace hometown cemetery planet university school hospital""".split()
)
PLACE_NOUNS = frozenset(
    "place location city town village settlement country state region county district locality".split()
)
COUNTRY_NOUNS = frozenset("country nation continent state province county region".split())
"""Places too wide for a plain "where": one asks in which country."""

SINGULARS_IN_S = ("ss", "us", "is", "series", "species", "news", "means", "headquarters")
INVARIANT = ("series", "species", "means", "headquarters")

PREPOSITIONS = frozenset(
    "by in at on for to with from through into under near after before as about against within of onto over".split()
)
STATIVE_VERBS = frozenset(
    """located based situated used known called connected related married affiliated associated owned headquartered
    composed made included contained involved dedicated devoted linked attached compared suited intended required
    needed derived adapted inspired engaged interested certified licensed opposed equipped covered powered employed
    managed led supplied distributed operated controlled governed bounded bordered conferred presented
    displayed exhibited stored kept housed stationed registered enrolled assigned installed mounted taught
    spoken looked cared""".split()
)
"""Participles that tell how things are, not what happened once."""

IRREGULAR_VERBS = {
    "be": ("was", "been"), "become": ("became", "become"), "begin": ("began", "begun"), "break": ("broke", "broken"),
    "bring": ("brought", "brought"), "build": ("built", "built"), "buy": ("bought", "bought"),
    "catch": ("caught", "caught"), "choose": ("chose", "chosen"), "come": ("came", "come"), "cut": ("cut", "cut"),
    "do": ("did", "done"), "draw": ("drew", "drawn"), "drive": ("drove", "driven"), "eat": ("ate", "eaten"),
    "fall": ("fell", "fallen"), "feed": ("fed", "fed"), "fight": ("fought", "fought"), "find": ("found", "found"),
    "fly": ("flew", "flown"), "get": ("got", "got"), "give": ("gave", "given"), "go": ("went", "gone"),
    "grow": ("grew", "grown"), "have": ("had", "had"), "hear": ("heard", "heard"), "hold": ("held", "held"),
    "keep": ("kept", "kept"), "know": ("knew", "known"), "lead": ("led", "led"), "leave": ("left", "left"),
    "lend": ("lent", "lent"), "lose": ("lost", "lost"), "make": ("made", "made"), "meet": ("met", "met"),
    "oversee": ("oversaw", "overseen"), "overcome": ("overcame", "overcome"), "pay": ("paid", "paid"),
    "put": ("put", "put"), "read": ("read", "read"), "ride": ("rode", "ridden"), "rise": ("rose", "risen"),
    "run": ("ran", "run"), "say": ("said", "said"), "see": ("saw", "seen"), "sell": ("sold", "sold"),
    "send": ("sent", "sent"), "set": ("set", "set"), "show": ("showed", "shown"), "shoot": ("shot", "shot"),
    "sing": ("sang", "sung"), "speak": ("spoke", "spoken"), "spend": ("spent", "spent"), "stand": ("stood", "stood"),
    "steal": ("stole", "stolen"), "swim": ("swam", "swum"), "take": ("took", "taken"), "teach": ("taught", "taught"),
    "tell": ("told", "told"), "think": ("thought", "thought"), "throw": ("threw", "thrown"),
    "undergo": ("underwent", "undergone"), "understand": ("understood", "understood"), "wear": ("wore", "worn"),
    "win": ("won", "won"), "sow": ("sowed", "sown"),
    "broadcast": ("broadcast", "broadcast"), "referee": ("refereed", "refereed"),
    "write": ("wrote", "written"), "lie": ("lay", "lain"), "bear": ("bore", "born"),
    "found": ("founded", "founded"), "bind": ("bound", "bound"), "star": ("starred", "starred"),
    "refer": ("referred", "referred"), "occur": ("occurred", "occurred"), "confer": ("conferred", "conferred"),
    "edit": ("edited", "edited"), "travel": ("traveled", "traveled"), "control": ("controlled", "controlled"),
    "map": ("mapped", "mapped"), "ship": ("shipped", "shipped"), "equip": ("equipped", "equipped"),
}  # fmt: skip

VERBS = frozenset(
    """acquire act advise affect appear apply attend award belong border bring build buy call carry cause chair cite
    coach collaborate come command compete compose concern conduct connect consist contain contribute control cover
    create cross cure deliver depend depict describe design develop direct discover distribute drain drive eat edit
    employ enable enter establish exist express extend fall feature fight finance flow follow found fund give go govern
    graduate guide handle have head hold host implement import include influence inform inhabit inherit inspire
    interact invent invest involve join keep know lead leave lie link live locate maintain make manage manufacture marry
    meet mention merge move need neighbor observe occur occupy offer operate orbit originate oversee own participate
    pass perform play portray possess precede preside prevent produce promote provide publish purchase read receive
    recommend refer regulate relate release replace report represent require research reside run sell serve share ship
    show sing speak specialize sponsor star start stock study succeed supervise supply support surround swim take teach
    tour train translate transport treat use visit want win work worship write""".split()
)
VERBS_ONLY = frozenset(
    """acquire belong consist contain contribute create depict describe discover employ enable include inhabit inherit
    inspire invent involve know maintain manufacture occupy operate originate oversee own participate possess precede
    provide publish receive relate replace represent require reside sell specialize succeed supervise write
    borders shares supplies produces influences speaks teaches leads manages knows follows replaces governs""".split()
)
"""Verbs whose base form is no noun either: a predicate of that name is meant as a verb."""
THIRD_PERSONS = frozenset(
    """crosses carries covers hosts treats causes serves feeds eats visits joins exhibits houses displays trains coaches
    drives sells buys grows mentions cites attends contains requires supervises mentors advises reviews approves affects
    orbits prevents cures follows precedes describes depicts powers feeds pairs competes beats defeats""".split()
)
"""Forms that are meant as verbs where a predicate of that name leads to things."""
NOUNS_IN_ING = frozenset(
    """building painting rating spelling meaning ranking setting recording housing beginning opening ending mapping
    engineering publishing king ring string spring wing thing sibling offspring ceiling clothing training meeting
    drawing heading listing rating engineering timing""".split()
)
NOUNS_IN_EED = frozenset("seed breed speed feed need bed red reed deed weed".split())

AGENT_NOUNS: dict[str, tuple[str, str]] = {
    "director": ("direct", "past"), "author": ("write", "past"), "writer": ("write", "past"),
    "composer": ("compose", "past"), "producer": ("produce", "past"), "painter": ("paint", "past"),
    "creator": ("create", "past"), "founder": ("found", "past"), "designer": ("design", "past"),
    "developer": ("develop", "past"), "inventor": ("invent", "past"), "architect": ("design", "past"),
    "discoverer": ("discover", "past"), "translator": ("translate", "past"), "illustrator": ("illustrate", "past"),
    "sculptor": ("sculpt", "past"), "builder": ("build", "past"), "editor": ("edit", "past"),
    "publisher": ("publish", "past"), "songwriter": ("write", "past"), "arranger": ("arrange", "past"),
    "killer": ("kill", "past"), "winner": ("win", "past"), "performer": ("perform", "past"),
    "photographer": ("photograph", "past"), "choreographer": ("choreograph", "past"),
    "owner": ("own", "present"), "employer": ("employ", "present"), "supplier": ("supply", "present"),
    "manufacturer": ("manufacture", "present"), "maker": ("make", "present"), "vendor": ("sell", "present"),
    "distributor": ("distribute", "present"), "operator": ("operate", "present"), "maintainer": ("maintain", "present"),
    "sponsor": ("sponsor", "present"), "organizer": ("organize", "present"), "organiser": ("organise", "present"),
    "provider": ("provide", "present"), "narrator": ("narrate", "past"), "presenter": ("present", "present"),
    "conductor": ("conduct", "past"), "referee": ("referee", "past"), "broadcaster": ("broadcast", "past"),
    "sower": ("sow", "past"),
}  # fmt: skip
"""Nouns for the one who does it, where English has the plain verb, and the tense in which one asks."""

EVENT_VERBS: dict[str, tuple[str, str, str]] = {
    "birth": ("be", "born", "past"), "death": ("die", "", "past"), "burial": ("be", "buried", "past"),
    "release": ("be", "released", "past"), "publication": ("be", "published", "past"),
    "founding": ("be", "founded", "past"), "foundation": ("be", "founded", "past"),
    "formation": ("be", "formed", "past"), "establishment": ("be", "established", "past"),
    "opening": ("be", "opened", "past"), "launch": ("be", "launched", "past"), "creation": ("be", "created", "past"),
    "completion": ("be", "completed", "past"), "construction": ("be", "built", "past"),
    "discovery": ("be", "discovered", "past"), "inauguration": ("be", "inaugurated", "past"),
    "introduction": ("be", "introduced", "past"), "invention": ("be", "invented", "past"),
    "dissolution": ("be", "dissolved", "past"), "inception": ("be", "founded", "past"),
    "premiere": ("premiere", "", "past"), "start": ("start", "", "past"), "beginning": ("begin", "", "past"),
    "end": ("end", "", "past"), "marriage": ("marry", "", "past"), "retirement": ("retire", "", "past"),
    "closing": ("be", "closed", "past"), "closure": ("be", "closed", "past"), "issue": ("be", "issued", "past"),
    "composition": ("be", "composed", "past"), "recording": ("be", "recorded", "past"),
    "hiring": ("be", "hired", "past"), "hire": ("be", "hired", "past"), "arrival": ("arrive", "", "past"),
    "departure": ("depart", "", "past"), "submission": ("be", "submitted", "past"),
    "delivery": ("be", "delivered", "past"),
    "manufacture": ("be", "manufactured", "past"), "production": ("be", "produced", "past"),
    "filming": ("be", "filmed", "past"),
    "baptism": ("be", "baptized", "past"), "coronation": ("be", "crowned", "past"),
    "graduation": ("graduate", "", "past"),
    "admission": ("be", "admitted", "past"), "discharge": ("be", "discharged", "past"),
    "appointment": ("be", "appointed", "past"), "election": ("be", "elected", "past"),
    "registration": ("be", "registered", "past"), "enrollment": ("be", "enrolled", "past"),
    "purchase": ("be", "purchased", "past"), "installation": ("be", "installed", "past"),
    "demolition": ("be", "demolished", "past"), "renovation": ("be", "renovated", "past"),
    "commissioning": ("be", "commissioned", "past"), "signing": ("be", "signed", "past"),
    "planting": ("be", "planted", "past"), "sowing": ("be", "sown", "past"), "flowering": ("flower", "", "present"),
    "expiry": ("expire", "", "present"), "air": ("air", "", "past"), "landing": ("land", "", "past"),
    "debut": ("debut", "", "past"), "harvest": ("be", "harvested", "past"),
    "acquisition": ("be", "acquired", "past"), "origin": ("come", "", "present"),
}  # fmt: skip
"""What happens, by the noun for it: the verb (or be and a participle), and the tense."""

EVENT_NOUNS = frozenset(EVENT_VERBS) | frozenset(
    "flight performance appearance broadcast visit meeting battle ascent match concert election wedding".split()
)
"""Nouns for what happens: one asks when it was."""
MEASURE_ADJECTIVES = {
    "height": "tall", "depth": "deep", "width": "wide", "length": "long", "breadth": "wide", "age": "old",
    "thickness": "thick", "running time": "long", "runtime": "long", "duration": "long", "elevation": "high",
    "altitude": "high", "weight": "heavy", "mass": "heavy", "area": "large", "surface area": "large",
    "total area": "large", "playing time": "long", "speed": "fast", "temperature": "hot",
}  # fmt: skip
UNITS = {
    "mm": "millimeters", "cm": "centimeters", "m": "meters", "km": "kilometers", "g": "grams", "kg": "kilograms",
    "t": "tons", "s": "seconds", "sec": "seconds", "min": "minutes", "h": "hours", "km2": "square kilometers",
    "km²": "square kilometers", "m2": "square meters", "m²": "square meters", "l": "liters", "ml": "milliliters",
    "%": "percent", "eur": "euros", "usd": "US dollars", "€": "euros", "$": "dollars", "km/h": "kilometers per hour",
    "millions": "millions", "million": "millions", "thousands": "thousands", "years": "years", "days": "days",
    "minutes": "minutes", "hours": "hours", "seconds": "seconds", "months": "months", "weeks": "weeks",
    "meters": "meters", "metres": "meters", "kilometers": "kilometers", "kilometres": "kilometers",
    "°c": "degrees Celsius", "kwh": "kilowatt hours", "kw": "kilowatts", "w": "watts", "v": "volts", "a": "amperes",
}  # fmt: skip
FULL_NOUNS = {"email": "email address", "e-mail": "email address", "phone": "phone number", "telephone": "phone number"}
GROUP_KINDS = frozenset(
    """band group ensemble duo trio quartet quintet team club orchestra choir troupe act artist musician performer
    singers""".split()
)
"""Kinds whose names, where they are plurals, take a verb in the plural."""
MUSIC_GROUP_NOUNS = frozenset("band duo trio quartet quintet boyband".split())
"""Groups that one calls ``they``."""
MEMBERSHIP_NOUNS = frozenset("category genre class family order genus phylum subfamily range chain collection".split())
"""Heads of nouns for what a thing belongs to."""
OCCUPATION_NOUNS = frozenset("occupation profession job trade vocation".split())
"""Nouns whose values say what somebody works as."""
LANGUAGE_NOUNS = frozenset(("native language", "mother tongue", "first language", "second language"))
WORK_KINDS = frozenset(
    """album song single track recording painting sculpture drawing artwork work photograph print mural ep release
    mixtape remix""".split()
)
"""Kinds of works that are *by* an artist."""
FOUNDED_KINDS = frozenset(
    """organization organisation company institution group band team club museum university school institute agency
    garden city town village fund foundation society association state country party church house""".split()
)
"""Kinds of things whose inception is their founding."""
OBJECTS_BY_VERB = {"speak": "language", "translate into": "language", "write in": "language", "sing in": "language",
           "breed in": "place", "live in": "place", "occur in": "place", "grow in": "place", "nest in": "place",
           "native to": "place"}  # fmt: skip
"""What a verb leaves open, where the KG says no class of it."""
BARE_OBJECTS = frozenset("place part care shape effect charge root office notice leave".split())
"""Nouns that stand without an article behind *take*."""
MASS_NOUNS = frozenset(
    "hardware software equipment staff furniture information music literature money material personnel".split()
)
NOT_HAD_NOUNS = PLACE_NOUNS | frozenset(
    "date year name result time day title place location status type kind nationality age".split()
)
"""Heads of nouns that one does not ask who *has*: what is its date, not what date does it have."""
FRACTIONAL_DATATYPES = frozenset("decimal double float".split())
"""Datatypes of what is no number of pieces."""
SINGULARS_IN_MEN = ("specimen", "abdomen", "omen", "regimen", "stamen", "lumen", "bitumen", "acumen", "hymen", "ramen")
"""Singulars that end like the plural of *man*."""
PLURAL_ONLY = frozenset(
    "hours lyrics coordinates credits outskirts surroundings premises remains scissors arms".split()
)
"""Nouns that, as predicates have them (opening hours, a coat of arms), are said in the plural."""
AMOUNT_NOUNS_IN_S = frozenset("sales earnings proceeds savings assets funds goods odds".split())
UNIQUE_MODIFIERS = frozenset(
    """highest lowest largest biggest smallest longest shortest first last main original native best most oldest
    youngest next current former principal chief deepest total primary""".split()
)
"""Words after which one asks for *the* thing, not which one somebody has."""
ARTICLE_KINDS = PLACES | frozenset(
    """award prize medal organization organisation institution company agency event war battle festival competition
    museum library orchestra union league newspaper magazine ship bridge tower building""".split()
)
ALWAYS_ARTICLE_KINDS = frozenset("river sea ocean desert canal strait gulf orchestra".split())
ARTICLE_LAST_WORDS = frozenset(
    """Museum Ocean Sea River Canal Orchestra Republic Kingdom Empire Union Islands Mountains Alps Andes States
    Netherlands Philippines Academy Institute Foundation Library Emirates Award Prize Medal Desert Bridge Times Channel
    Gallery Games Festival Olympics Cup War League Sahara Bahamas""".split()
)
ARTICLE_FIRST_WORDS = frozenset(["United", "Soviet", "European", "Czech", "Dominican", "Nobel"])
ARTICLE_WORDS_BEFORE_OF = frozenset(
    """University Museum Academy Battle Republic Kingdom Bank Institute Award Prize Medal Order House Duchy Gulf Bay
    Strait Cape Isle Library Council Ministry Department Federation Union Treaty""".split()
)
SHARED_ROLES = frozenset(
    """member part component ingredient employee student child son daughter brother sister sibling friend partner track
    song topic supporter user player neighbor chapter section subsidiary branch citizen element participant""".split()
)
"""Roles that a thing usually shares with others: one is *a* member, *a* part."""
TABLE_NOUNS = frozenset("name names data info information details record records entry entries".split())
"""What tables are called by, beside what is in them: ``car names`` holds cars."""
DEMONYMS = frozenset(
    """american african asian european english british french german spanish italian portuguese dutch belgian swiss
    austrian danish swedish norwegian finnish icelandic polish czech slovak hungarian romanian bulgarian greek turkish
    russian ukrainian serbian croatian latin roman irish scottish welsh chinese japanese korean indian iranian persian
    arab arabic egyptian israeli mexican brazilian canadian australian""".split()
)
ADVERBS = frozenset("first last originally formerly previously also co now newly officially mainly mostly".split())
PAST_ADVERBS = frozenset("first last originally formerly previously".split())
MEMBER_NOUNS = {
    "citizenship": "citizen", "country of citizenship": "citizen", "membership": "member",
}  # fmt: skip
"""Nouns for belonging, and what the one is called who belongs."""

MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
