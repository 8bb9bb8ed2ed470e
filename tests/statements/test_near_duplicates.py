"""Near-duplicates: MinHash proposes, the exact share of common shingles decides."""

from __future__ import annotations

import random
import unicodedata

import pytest

from protorel.statements import Span, Statement
from protorel.statements.normal_text import composed, normal
from protorel.statements.overlap.near_duplicates import NearDuplicates, NearDuplicateSettings


def said(text: str) -> Statement:
    return Statement(text, Span(0, 3), Span(len(text) - 3, len(text)))


def shingles(text: str) -> set[str]:
    return {normal(text)[start : start + 5] for start in range(len(normal(text)) - 4)}


def index_of(*texts: str, settings: NearDuplicateSettings | None = None) -> NearDuplicates:
    index = NearDuplicates(settings) if settings else NearDuplicates()
    for row, text in enumerate(texts):
        index.add(row, said(text))
    return index


def found(index: NearDuplicates, text: str) -> list[int]:
    match = index.find(said(text))
    return sorted(match[1]) if match else []


WORDS = tuple("the river town of Lunsk was built by Ada Kroll when her brother sailed north with grain".split())  # noqa: SIM905


def sentences(count: int, *, seed: int) -> list[str]:
    """Draw sentences, half of them with a few words changed from the one before."""
    rng = random.Random(seed)
    made = [" ".join(rng.choices(WORDS, k=12))]
    while len(made) < count:
        words = made[-1].split() if len(made) % 2 else rng.choices(WORDS, k=12)
        for place in rng.sample(range(len(words)), k=rng.randint(0, 3)):
            words[place] = rng.choice(WORDS)
        made.append(" ".join(words))
    return made


def test_the_rows_found_are_those_that_a_loop_over_all_pairs_finds():
    tests, trains = sentences(60, seed=1), sentences(60, seed=1)[::-1] + sentences(40, seed=2)
    index = index_of(*tests)
    pairs = 0
    for train in trains:
        one = shingles(train)
        near = [row for row, test in enumerate(tests) if len(one & shingles(test)) / len(one | shingles(test)) >= 0.7]
        assert found(index, train) == near
        pairs += len(near)
    assert pairs > 80


def test_one_changed_word_is_near_and_another_subject_in_the_same_phrase_is_not():
    index = index_of("In the spring of that year Ada Kroll sailed with her brother from Lunsk to the islands of Mere.")
    assert found(
        index, "In the autumn of that year Ada Kroll sailed with her brother from Lunsk to the islands of Mere."
    )
    assert not found(
        index, "In the spring of that year Bela Tarn built a mill with his own hands at the bend of the Osk."
    )
    short = index_of("Lunsk is a village in the district of Mere.")
    assert not found(short, "Oster is a village in the district of Koll.")


def test_the_threshold_itself_counts():
    # Ten shingles each, nine of them common: nine elevenths.
    index = index_of("abcdefghijklmn", settings=NearDuplicateSettings(threshold=9 / 11))
    assert index.likeness(said("abcdefghijklmn"), said("bcdefghijklmno")) == 9 / 11
    assert found(index, "bcdefghijklmno") == [0]
    above = index_of("abcdefghijklmn", settings=NearDuplicateSettings(threshold=9 / 11 + 1e-9))
    assert found(above, "bcdefghijklmno") == []


def test_case_spacing_and_spelling_of_unicode_do_not_count():
    index = index_of("Ada Kroll , of LUNSK ( the ﬁrst ) .")
    assert index.likeness(said("Ada Kroll , of LUNSK ( the ﬁrst ) ."), said("ada kroll, of lunsk (the first).")) == 1


def test_texts_shorter_than_a_shingle_are_compared_whole():
    index = index_of("A Bo")
    assert found(index, "a bO") == [0]
    assert found(index, "A Bu") == []


def test_a_sentence_in_several_rows_is_found_in_all_of_them():
    text = "In Lunsk the mill of Ada Kroll was burned down twice."
    assert found(index_of(text, "Quite another thing.", text), text.replace("twice", "thrice")) == [0, 2]


def test_texts_that_no_encoding_can_hold_are_compared_too():
    assert found(index_of("Ada met \ud800 in Lunsk and Mere"), "Ada met \ud800 in Lunsk and Merx") == [0]


def test_the_caller_s_random_numbers_are_left_alone():
    random.seed(5)
    before = random.getstate()
    found(index_of("Ada Kroll was born in Lunsk."), "Ada Kroll was born in Lunsk!")
    assert random.getstate() == before


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_whatever_the_seed_only_true_near_duplicates_are_found(seed):
    tests = sentences(30, seed=4)
    index = index_of(*tests, settings=NearDuplicateSettings(seed=seed, threshold=0.8))
    for train in sentences(30, seed=4)[::-1]:
        assert all(index.likeness(said(train), said(tests[row])) >= 0.8 for row in found(index, train))
        assert tests.index(train) in found(index, train)


@pytest.mark.parametrize("seed", range(10))
def test_a_long_text_is_composed_as_a_short_one_is(seed):
    parts = ["a", "b c", "é", "e\u0301", "\u1100\u1161\u11a8", "漢", "ﬁ", "A\u030a"]
    text = "".join(random.Random(seed).choices(parts, k=4_000))
    assert composed(text) == unicodedata.normalize("NFKC", text)


def test_marks_without_end_on_one_letter_cost_time_by_their_number():
    # Unicode's ordering of marks alone would take minutes, and longer with every mark.
    assert len(normal("a" + "\u0301\u0327" * 200_000)) > 200_000
