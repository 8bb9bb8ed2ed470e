"""Words that tell where an English sentence does not end; in other languages they do no harm. Case matters."""

from __future__ import annotations

_NEVER_ENDS_WORDS = (
    "Mr Mrs Ms Mx Dr Drs Prof St Sts Ste Messrs Mme Mlle Fr Gen Col Lt Capt Cpt Cmdr Cdr Sgt Maj Brig Adm Rev Hon "
    "Gov Sen Rep Pres Supt Insp Det Hr Frau Mt Ft Pt Univ Dept approx c ca cca cf viz vs v al e.g i.e eg ie b d fl "
    "r est Est nee née ibid resp incl trans transl lit Lit Gr Lat abbr pron var orig"
)
NEVER_ENDS = frozenset(_NEVER_ENDS_WORDS.split())
"""Abbreviations that something of the same sentence follows."""

_BEFORE_NUMBERS_WORDS = (
    "No no Nos nos Nr nr Vol vol Vols vols Fig fig Figs figs pp p Ch ch Chap chap Sec sec Art art Cap cap Eq eq op "
    "Op Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec"
)
BEFORE_NUMBERS = frozenset(_BEFORE_NUMBERS_WORDS.split())
"""Abbreviations where a number follows, and words as any other where none does."""

_ENDS_WORDS = (
    "Inc Ltd Co Corp Bros Jr Sr Esq PhD Ph.D ed eds Ed Eds Rd Ave Blvd Sq km cm mm kg lb lbs ft oz mi hrs hr "
    "mins BC AD BCE CE Calif Conn Mass Penn Tenn Va Fla Ariz Ala Ark Colo Ill Ind Kan Ky La Md Mich Minn Miss Mo "
    "Mont Neb Nev Okla Ore Tex Wash Wis Wyo"
)
ENDS = frozenset(_ENDS_WORDS.split())
"""Abbreviations that may be the last word of a sentence."""

_STARTERS_WORDS = (
    "The A An This That These Those He She It They We I You His Her Its Their Our My There Here In On At By For "
    "From With Of To As After Before During Since Until When While Where Although Though Because If Unless However "
    "But And Or Yet So Then Thus Therefore Later Also Both Each Every Some Many Most Several All Other Another One "
    "Two Three No Not What Who Which Why How According Despite Under Over Between Among Through Within Without "
    "Following Instead Meanwhile Nevertheless Moreover Furthermore Additionally Today Currently Finally First "
    "Second Third Once"
)
STARTERS = frozenset(_STARTERS_WORDS.split())
"""Words that, written with a capital after an abbreviation, begin a sentence."""
