"""Right answers of episodes, packed into a line of text."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from protorel.statements import BadInput
from protorel_paper.tables.summary.paired import packed, unpacked


@given(arrays.arrays(bool, st.tuples(st.integers(0, 40), st.integers(1, 20))))
def test_what_is_packed_is_the_count_of_each_episode(right):
    assert unpacked(packed(right)).tolist() == [sum(episode) for episode in right.tolist()]


def test_ten_thousand_episodes_are_a_few_thousand_letters():
    right = np.random.default_rng(0).random((10_000, 10)) < 0.8
    assert len(packed(right)) < 6_000


@pytest.mark.parametrize("text", ["no base64!", "AAAA", packed(np.ones((50, 5), dtype=bool))[:-8]])
def test_damage_is_refused_in_one_line(text):
    with pytest.raises(BadInput, match="cannot be unpacked"):
        unpacked(text)
