"""Invented names for the entities of the small world, built from syllables."""

from __future__ import annotations

from protorel.corpora.small_world.chance import Chance
from protorel.statements import WorkFailed

ENTITY_TYPES: tuple[str, ...] = (
    "person", "city", "country", "company", "book", "river", "university", "team", "product",
    "region", "mountain", "band", "film",
)  # fmt: skip
"""The types of entities; those in the second line have no relations and only occur in asides."""

_ONSETS = ("b", "br", "d", "dr", "f", "fl", "g", "gr", "h", "j", "k", "kl", "l", "m", "n", "p", "r", "s", "st",
           "t", "tr", "v", "w", "z")  # fmt: skip
_VOWELS = ("a", "e", "i", "o", "u")
_CODAS = ("l", "r", "n", "m", "s", "t", "k", "v", "d", "rn", "lm", "nd", "rv", "b")

_ENDINGS: dict[str, tuple[str, ...]] = {
    "woman": ("ena", "iva", "isse", "olla", "une", "ewa"),
    "man": ("ok", "urd", "emm", "ost", "ivar", "uld"),
    "family": ("ack", "ender", "iski", "oum", "ardy", "ovek", "umble", "eth", "olt"),
    "city": ("usk", "eholm", "ewick", "by", "agard", "imouth", "ona", "eford"),
    "country": ("ovia", "emark", "uria", "essia", "undi", "istra", "anth"),
    "river": ("amme", "eld", "ush", "oon", "ith", "uwa"),
    "thing": ("ix", "exo", "ano", "eon", "ula", "ark"),
    "place": ("ane", "il", "our", "oth", "esh", "um"),
}

_PATTERNS: dict[str, tuple[str, ...]] = {
    "woman": (*["{woman} {family}"] * 8, "{woman} {woman} {family}", "{woman} van {family}"),
    "man": (*["{man} {family}"] * 8, "{man} {man} {family}", "{man} van {family}"),
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
    """A source of distinct names; none occurs inside another as a run of words."""

    def __init__(self, chance: Chance) -> None:
        self._chance = chance
        self._whole: set[tuple[str, ...]] = set()
        self._runs: set[tuple[str, ...]] = set()

    def next(self, kind: str) -> str:
        """Return a new name for a type of entity; for a person, `kind` is `woman` or `man`."""
        for _ in range(1000):
            name = self._invent(kind)
            words = tuple(name.split())
            runs = {words[i:j] for i in range(len(words)) for j in range(i + 1, len(words) + 1)}
            if words not in self._runs and not runs & self._whole:
                self._whole.add(words)
                self._runs |= runs
                return name
        raise WorkFailed(
            f"small_world: no new name for a {kind} is left after {len(self._whole)} names; build a smaller world"
        )

    def _invent(self, kind: str) -> str:
        pattern = self._chance.pick(_PATTERNS[kind])
        for part in _ENDINGS:
            while "{" + part + "}" in pattern:
                pattern = pattern.replace("{" + part + "}", self._word(part), 1)
        return pattern

    def _word(self, part: str) -> str:
        # One syllable before the ending reads best; some have two, so that a large world does not run out of names.
        syllables = 2 if self._chance.coin(0.15) else 1
        stem = "".join(self._chance.pick(_ONSETS) + self._chance.pick(_VOWELS) for _ in range(syllables))
        return (stem + self._chance.pick(_CODAS) + self._chance.pick(_ENDINGS[part])).capitalize()
