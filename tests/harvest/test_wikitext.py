from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protorel.harvest.wikitext.link_targets import LinkTargets, clean_title
from protorel.harvest.wikitext.plain_text import plain_text
from protorel.harvest.wikitext.repair import MAX_DEPTH, repaired


def links_of(given: str, targets: LinkTargets | None = None) -> list[tuple[str, str]]:
    plain = plain_text(given, targets)
    return [(plain.text[link.start : link.stop], link.target) for link in plain.links]


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ("'''Ada''' ''Kroll'' &amp; co", "Ada Kroll & co"),
        ("Ada<ref>Tarn, [[Lunsk]]</ref> left<!-- no -->.", "Ada left."),
        ("{{Infobox|name=[[Ada]]}}\nAda left.", "Ada left."),
        ("Ada\n{| class=x\n| [[cell]]\n|}\nleft.", "Ada\n\nleft."),
        ("[[File:a.jpg|thumb|A [[caption]].]] Ada left. [[Category:Poets]] [[fr:Ada]]", "Ada left."),
        ("Ada ({{IPA|x}}; born 1900; {{age}}) left {{x}} , then came.", "Ada (born 1900) left, then came."),
        ("Ada ({{IPA|x}}) left.", "Ada left."),
        (
            "It is {{convert|5|km|mi}} off, {{lang|de|im ''Tal''}}{{snd}}{{nowrap|far off}}.",
            "It is 5 km off, im Tal – far off.",
        ),
        ("One\nparagraph.\n\nAnother.\n* a\n* b", "One paragraph.\n\nAnother.\n\na\n\nb"),
        (
            "== Life ==\nShe lived.\n== References ==\nx\n=== More ===\ny\n== Work ==\nShe wrote.",
            "She lived.\n\nShe wrote.",
        ),
        ("A [http://x.y page] and [http://x.z] H<sub>2</sub>O<br>end __NOTOC__", "A page and H2O\n\nend"),
        ("<nowiki>a ''b''</nowiki> <math>x^2</math>c", "a b c"),
        ("a&nbsp;b &lt;c&gt; &#3;", "a b"),
        ("<div>Ada</div>left", "Ada\n\nleft"),
        ("Born {{circa|1900}} in the {{lang-de|Tal}}.", "Born c. 1900 in the Tal."),
    ],
)
def test_markup_becomes_the_text_that_a_reader_sees(given, text):
    assert plain_text(given).text == text


def test_links_keep_their_words_and_lead_to_clean_titles():
    given = (
        "[[Poet|writer]] of [[river]]s by [[lunsk_town#History|Lunsk]], ''[[Mill: A Tale|The Mill]]'', [[#Life|here]]"
    )
    assert links_of(given) == [
        ("writer", "Poet"),
        ("rivers", "River"),
        ("Lunsk", "Lunsk town"),
        ("The Mill", "Mill: A Tale"),
    ]


def test_of_a_link_inside_a_link_the_inner_one_is_kept():
    given = "[[Ada|the [[Lunsk]] poet]] left."
    assert plain_text(given).text == "the Lunsk poet left."
    assert links_of(given) == [("Lunsk", "Lunsk")]


@pytest.mark.parametrize(
    ("given", "text"), [("Ada [http://x.y page]] left.", "Ada page] left."), ("Ada<math/> left.", "Ada left.")]
)
def test_what_is_closed_in_an_odd_way_is_not_unclosed(given, text):
    plain = plain_text(given)
    assert (plain.text, plain.unclosed) == (text, 0)


def test_links_that_lead_elsewhere_keep_their_words_only():
    given = "[[:Category:Poets|poets]] [[wikt:mill|mill]] [[Help:Contents]] [[:fr:Lunsk|Lunsk]] [[CSI: Lunsk]]"
    plain = plain_text(given)
    assert plain.text == "poets mill Help:Contents Lunsk CSI: Lunsk"
    assert links_of(given) == [("CSI: Lunsk", "CSI: Lunsk")]


def test_a_wiki_may_have_its_own_names_for_namespaces():
    given = "[[Datei:a.jpg|x]][[Hilfe:Seite|Seite]] [[Ada]]"
    assert links_of(given, LinkTargets({"Datei": 6, "Hilfe": 12, "": 0})) == [("Ada", "Ada")]
    assert plain_text(given, LinkTargets({"Datei": 6, "Hilfe": 12})).text == "Seite Ada"


@pytest.mark.parametrize(
    ("given", "title"), [(" ada_kroll ", "Ada kroll"), ("A%20b#c", "A b"), ("", ""), ("é&amp;", "É&")]
)
def test_titles_are_written_as_the_dump_writes_them(given, title):
    assert clean_title(given) == title


def test_what_is_well_formed_is_not_touched():
    given = "{{a|{{b}} [[c|d]]}} <ref name=x>y</ref><br> [http://x y]\n{|\n|a\n|}\n<math>{{<</math> <!-- [[ -->"
    assert repaired(given).text == given
    assert (repaired(given).unclosed, repaired(given).too_deep) == (0, 0)


@pytest.mark.parametrize("opening", ["{{a|", "[[b|", "{|\n", "<div>", "<ref>", "<math>", "<!--", "[http://c ", "<("])
def test_openings_without_end_are_dropped_and_do_not_take_the_text_with_them(opening):
    plain = plain_text(f"Ada left.\n{opening * 3} Tarn stayed in [[Lunsk]].")
    assert plain.text.startswith("Ada left.")
    assert plain.text.endswith("Tarn stayed in Lunsk.")
    assert [link.target for link in plain.links] == ["Lunsk"]
    assert plain.unclosed == (0 if opening == "<(" else 3)


@pytest.mark.parametrize(
    "motif", ["{{", "[[", "{|\n", "<b>", "{{a|[[b|", "<( ", "{{{a|}}", "\n", " ", "; ,", "(", "'''", "{|\n[["]
)
def test_a_page_of_nothing_but_markup_comes_to_an_end(motif):
    assert len(plain_text(motif * (20_000 // len(motif))).text) <= 40_000


def test_deep_nesting_is_dropped_from_a_stated_depth_on():
    def nested(depth: int) -> str:
        return "<div>" * depth + "Ada" + "</div>" * depth + " left."

    assert plain_text(nested(MAX_DEPTH)).text.split() == ["Ada", "left."]
    assert plain_text(nested(MAX_DEPTH + 1)).text == "left."
    assert plain_text(nested(5_000)).too_deep == 1


def test_a_page_that_is_too_long_is_cut_where_a_paragraph_ends(monkeypatch):
    monkeypatch.setattr("protorel.harvest.wikitext.plain_text.MAX_WIKITEXT", 30)
    plain = plain_text("Ada left.\n\nTarn stayed.\n\nNobody else was there.")
    assert (plain.text, plain.cut) == ("Ada left.\n\nTarn stayed.", 24)


MARKS = [
    "[[",
    "]]",
    "{{",
    "}}",
    "{|",
    "|}",
    "|",
    "\n",
    "<b>",
    "</b>",
    "<ref>",
    "</ref>",
    "<",
    ">",
    "''",
    "==",
    "* ",
    "&amp;",
]


@settings(max_examples=200)
@given(
    st.lists(
        st.sampled_from([*MARKS, "Ada", " ", "(", ")", ";", "File:", "[http://a", "]", "\x02", "\x03"]), max_size=30
    )
)
def test_links_always_slice_to_words_of_the_text(pieces):
    plain = plain_text("".join(pieces))
    place = 0
    for link in plain.links:
        words = plain.text[link.start : link.stop]
        assert words == words.strip() != ""
        assert link.start >= place
        assert link.target == clean_title(link.target) != ""
        place = link.stop
    assert not set(plain.text) & {"\x02", "\x03"}
    assert plain.text == plain.text.strip()


@given(st.text(max_size=200))
def test_any_text_is_taken_for_wikitext_without_an_error(given):
    plain_text(given)
