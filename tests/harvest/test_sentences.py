from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protorel.harvest.mentions.sentences import TOO_LONG, split_sentences
from protorel.harvest.types import Tally


def sentences(text: str) -> list[str]:
    return [span.of(text) for span in split_sentences(text)]


@pytest.mark.parametrize(
    "expected",
    [
        ["Ada Kroll was born in Lunsk.", "She died there."],
        ["Dr. J. R. Kroll met Mr. B. Tarn at St. Mere.", "They talked."],
        ["It cost 3.5 million.", "1.2 of them were lost."],
        ["He works for Kroll Inc. of Lunsk.", "Tarn Ltd. Oster is another."],
        ["He works for Kroll Inc.", "It is in Lunsk."],
        ["She moved to the U.S. Army base.", "He left the U.S.", "The ship sank."],
        ["Take vitamin C.", "The rest is luck."],
        ["He said no.", "She said yes."],
        ["See No. 5 and vol. II of it.", "It is rare."],
        ["Ada (b. 1900. She was the third.) wrote it.", "It sold."],
        ['"Who is it?" he asked.', '"It is Ada."', "He left."],
        ["He knew rivers, hills, etc. and more.", "He knew poets, cooks, etc.", "Nobody knew him."],
        ["Why!", "Really?", "Well...", "Perhaps."],
        ["It opened (in 1900).", "It closed (in 1950.)", "It is gone."],
        ["In approx. 1900 they came, i.e. Ada came, cf. Tarn.", "All left."],
        ["An unclosed ( bracket is here.", "It does not matter."],
        ["Ada (of Lunsk. It is (still) a town.) left.", "She died."],
        [f"Ada ({'very ' * 30}old.", f"She {'really ' * 30}was.) left.", "She died."],
        ["1. The first point.", "2. The second point."],
    ],
)
def test_english_is_split_where_a_reader_would(expected):
    assert sentences(" ".join(expected)) == expected


def test_stops_of_other_scripts_need_no_space():
    assert sentences("これは町です。川もある。") == ["これは町です。", "川もある。"]


def test_a_blank_line_ends_a_sentence_and_a_wrapped_line_does_not():
    wrapped = "Ada Kroll was born in the town of Lunsk by the river Mere\nand never left it."
    assert sentences(f"Lunsk\n\n{wrapped}\nA short line\nanother") == ["Lunsk", wrapped, "A short line", "another"]


def test_a_long_line_that_ends_with_a_mark_was_not_wrapped():
    line = "Ada Kroll was born in one of the towns by the river Mere:"
    assert sentences(f"{line}\nperhaps in Lunsk") == [line, "perhaps in Lunsk"]


def test_a_sentence_that_is_too_long_is_cut_at_a_mark_and_counted():
    text = "Ada saw " + ", ".join(f"thing {number}" for number in range(400)) + "; and that was all."
    tally = Tally()
    spans = split_sentences(text, tally=tally)
    assert all(len(span.of(text)) <= 1000 for span in spans)
    assert all(span.of(text).endswith(",") for span in spans[:-1])
    assert " ".join(span.of(text) for span in spans) == text
    assert tally.noticed == {TOO_LONG: 1}


def test_ten_thousand_characters_without_a_space_are_cut_and_not_lost():
    text = "x" * 10_000
    assert "".join(sentences(text)) == text


@given(st.text(alphabet="aB.!?() \n,;\"'。é\t", max_size=200) | st.text(max_size=80), st.integers(1, 40))
def test_spans_are_in_order_slice_back_and_leave_out_white_space_only(text, longest):
    spans = split_sentences(text, longest=longest)
    place, left = 0, []
    for span in spans:
        assert place <= span.start < span.stop <= len(text)
        assert span.stop - span.start <= longest
        assert span.of(text) == span.of(text).strip()
        left.append(text[place : span.start])
        place = span.stop
    assert not "".join([*left, text[place:]]).strip()


# As they were: what they find is the reference, the time they take on long runs is why they were replaced.
BACKTRACKING = {
    "_BREAK": re.compile(r"[^\S\n]*\n\s*"),
    "_STOP": re.compile(r"[.!?…]+[\"'”’»)\]]*(?=\s)|[。！？｡]+[」』”’）]*"),
}
RUNS = st.lists(
    st.tuples(
        st.sampled_from([*".!?…。！(){}[]\"'”’»」 \n\t\r\u00a0\u2028aB1", "Dr", "e.g", "U.S", "No"]), st.integers(1, 8)
    ),
    max_size=30,
).map(lambda runs: "".join(mark * count for mark, count in runs))


@given(RUNS | st.text(alphabet=".!?…\"')]。」 \n\taB", max_size=60), st.integers(2, 30))
def test_the_linear_patterns_give_the_spans_of_the_backtracking_ones(text, longest):
    found = split_sentences(text, longest=longest)
    with pytest.MonkeyPatch.context() as patch:
        for name, pattern in BACKTRACKING.items():
            patch.setattr(f"protorel.harvest.mentions.sentences.{name}", pattern)
        assert found == split_sentences(text, longest=longest)


@pytest.mark.parametrize("unit", [".", "!?", '."', "...)", " ", " .", "\t ", "(", "1.", "A.", "。", "\n ", "。」"])
def test_a_million_marks_behind_a_sentence_are_split_in_one_pass(unit):
    # A splitter that goes back over a run would not return within hours.
    text = "Ada left Lunsk. It rained" + unit * (1_000_000 // len(unit)) + "x"
    spans = split_sentences(text)
    assert spans[0].of(text) == "Ada left Lunsk."
    assert spans[-1].stop == len(text)
