"""Invented names for the entities of the small world, put together from syllables."""

from __future__ import annotations

from protorel.corpora.small_world.chance import Chance
from protorel.statements import WorkFailed

ENTITY_TYPES: tuple[str, ...] = (
    "person", "city", "country", "company", "book", "river", "university", "team", "product",
    "region", "mountain", "band", "film",
)  # fmt: skip
"""The types of entities; those in the second line hold no relation and only pass by in a sentence."""

_ONSETS = ("b", "br", "d", "dr", "f", "g", "gr", "h", "j", "k", "kl", "l", "m", "n", "p", "pr", "r", "s", "sk", "sm",
           "st", "t", "tr", "v", "vr", "w", "y", "z", "zw", "th", "qu", "fl", "")  # fmt: skip
_VOWELS = ("a", "e", "i", "o", "u", "ae", "ou", "ei", "y")
_CODAS = ("l", "r", "n", "m", "sk", "rn", "lt", "v", "x", "nd", "rth", "lm", "s", "t", "k", "rv", "mb", "")

_ENDINGS: dict[str, tuple[str, ...]] = {
    "woman": ("ena", "iva", "isse", "wyn", "olla", "une"),
    "man": ("ok", "urd", "emm", "ost", "ivar", "uld"),
    "family": ("ack", "ender", "iski", "oum", "quist", "ardy", "ovek", "umble", "etsch"),
    "city": ("sk", "holm", "wick", "by", "gard", "mouth", "ona", "eth", "ford"),
    "country": ("ovia", "mark", "uria", "essia", "undi", "istra", "anth"),
    "river": ("e", "a", "eld", "ush", "oon", "ith"),
    "thing": ("ix", "o", "ano", "eon", "ula", "ark"),
    "place": ("ane", "il", "our", "oth", "esh", "um"),
}

_PATTERNS: dict[str, tuple[str, ...]] = {
    "woman": ("{woman} {family}", "{woman} {family}", "{woman} {woman} {family}", "{woman} van {family}"),
    "man": ("{man} {family}", "{man} {family}", "{man} {man} {family}", "{man} van {family}"),
    "city": ("{city}", "{city}", "{city}", "Port {place}", "Upper {place}", "{place} Harbour", "Old {place}"),
    "country": ("{country}", "{country}", "North {country}", "Greater {country}", "Inner {country}"),
    "company": ("{thing} Optics", "{family} Foundries", "{thing} Shipping", "{family} Mills", "{thing} Instruments",
                "{family} and Sons", "{family} Brewing", "{thing} Rail Works", "{thing}", "{family} Textiles"),
    "book": ("The Orchards of {place}", "{place} at Dusk", "A Short History of {place}", "My Years with {woman}",
             "The {family} Letters", "Nine Keys for {man}", "{woman} and the Clockmaker", "Salt from {place}"),
    "river": ("{river}", "{river}", "{river}", "Little {river}", "White {river}"),
    "university": ("{place} University", "{place} College", "{family} Polytechnic", "{family} School of Mines"),
    "team": ("{place} Rovers", "{place} Harriers", "{place} Falcons", "{place} Wanderers", "{place} Oarsmen"),
    "product": ("{thing}", "{thing} Duo", "{thing} Compact", "{thing} K4", "{thing} 300", "{thing} Junior"),
    "region": ("Lower {place}", "{place} County", "Outer {place}"),
    "mountain": ("Mount {place}", "{place} Peak", "{place} Horn"),
    "band": ("{woman} and the Lanterns", "The {place} Four", "{thing} Parade"),
    "film": ("Goodbye {place}", "Midnight in {place}", "Letters from {woman}", "The Last Tram to {place}"),
}  # fmt: skip


class Names:
    """A source of names that are all different, none of which stands inside another one as a run of words."""

    def __init__(self, chance: Chance) -> None:
        self._chance = chance
        self._whole: set[tuple[str, ...]] = set()
        self._runs: set[tuple[str, ...]] = set()

    def next(self, kind: str) -> str:
        """Return a new name for a type of entity; `woman` and `man` stand for the type person."""
        for _ in range(1000):
            name = self._invent(kind)
            words = tuple(name.split())
            runs = {words[i:j] for i in range(len(words)) for j in range(i + 1, len(words) + 1)}
            if words not in self._runs and not runs & self._whole:
                self._whole.add(words)
                self._runs |= runs
                return name
        raise WorkFailed(f"no new name for a {kind} is left after {len(self._whole)} names; ask for a smaller world")

    def _invent(self, kind: str) -> str:
        pattern = self._chance.pick(_PATTERNS[kind])
        for part in _ENDINGS:
            while "{" + part + "}" in pattern:
                pattern = pattern.replace("{" + part + "}", self._word(part), 1)
        return pattern

    def _word(self, part: str) -> str:
        stem = self._chance.pick(_ONSETS) + self._chance.pick(_VOWELS) + self._chance.pick(_CODAS)
        ending = self._chance.pick(_ENDINGS[part])
        if ending[0] in "aeiou" and stem[-1] in "aeiouy":
            # two vowels in a row read badly
            stem += self._chance.pick(("l", "n", "r", "t", "v"))
        if len(stem) < 4:
            stem = self._chance.pick(("b", "d", "g", "k", "l", "m", "p", "t", "v")) + self._chance.pick("aeiou") + stem
        return (stem + ending).capitalize()
