from __future__ import annotations

import pytest
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from protorel.encoders.words.rnn import CELLS
from protorel.statements import BadInput


def gru_step(cell, word, state):
    """One step of a GRU as its equations have it."""
    inner_r, inner_z, inner_n = (cell.weight_ih_l0 @ word + cell.bias_ih_l0).chunk(3)
    outer_r, outer_z, outer_n = (cell.weight_hh_l0 @ state + cell.bias_hh_l0).chunk(3)
    reset, update = torch.sigmoid(inner_r + outer_r), torch.sigmoid(inner_z + outer_z)
    return (1 - update) * torch.tanh(inner_n + reset * outer_n) + update * state


def tanh_step(cell, word, state):
    """One step of the paper's plain recurrence."""
    return torch.tanh(cell.weight_ih_l0 @ word + cell.bias_ih_l0 + cell.weight_hh_l0 @ state + cell.bias_hh_l0)


@pytest.mark.parametrize(("cell", "step"), [("gru", gru_step), ("tanh", tanh_step)])
def test_a_vector_equals_plain_loops(small, rows_of, cell, step):
    encoder, rows = small("rnn", cell=cell), rows_of("rnn")
    found = encoder(rows.batch(range(6)))
    for i in range(6):
        words = [encoder.word.weight[word] for word in rows.row(i).ids.tolist()]
        states = torch.zeros(len(words), 10)
        for part, reading, order in ((0, encoder.forwards, 1), (5, encoder.backwards, -1)):
            state = torch.zeros(5)
            for place in range(len(words))[::order]:
                state = step(reading, words[place], state)
                states[place, part : part + 5] = state
        torch.testing.assert_close(found[i], states.amax(0), atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("cell", CELLS)
def test_states_equal_those_of_torch_s_own_reading_in_both_directions(small, rows_of, cell):
    encoder, batch = small("rnn", cell=cell), rows_of("rnn").batch(range(6))
    twin = CELLS[cell](6, 5, batch_first=True, bidirectional=True)
    assert isinstance(twin, nn.RNNBase)
    twin.load_state_dict(
        {
            **encoder.forwards.state_dict(),
            **{f"{name}_reverse": value for name, value in encoder.backwards.state_dict().items()},
        }
    )
    packed = pack_padded_sequence(encoder.word(batch.tokens), batch.lengths, batch_first=True, enforce_sorted=False)
    expected, _ = pad_packed_sequence(twin(packed)[0], batch_first=True)
    where = batch.present[..., None]
    torch.testing.assert_close(encoder.states(batch) * where, expected * where)


def test_the_entities_are_marked_among_the_words(some_statements, tokenizer_of, rows_of):
    row, layout = rows_of("rnn").row(0), tokenizer_of("rnn").layout
    assert [row.ids[place] for place in (row.head[0], row.head[1] - 1)] == list(layout.head_markers)
    assert [row.ids[place] for place in (row.tail[0], row.tail[1] - 1)] == list(layout.tail_markers)


def test_distances_are_read_where_they_are_asked_for(small, rows_of):
    encoder, batch = small("rnn", position_width=3), rows_of("rnn").batch(range(6))
    before = encoder(batch)
    with torch.no_grad():
        encoder.to_tail.weight.add_(1.0)
    assert not torch.allclose(encoder(batch), before)


def test_a_cell_that_is_not_known_is_refused(small):
    with pytest.raises(BadInput, match="cell: expected one of lstm, gru, tanh, got 'lstn'"):
        small("rnn", cell="lstn")
