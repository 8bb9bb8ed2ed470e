from __future__ import annotations

import pytest
import torch

from protorel.statements import BadInput


def test_a_vector_equals_plain_loops(small, rows_of):
    encoder, rows = small("cnn"), rows_of("cnn")
    found = encoder(rows.batch(range(6)))
    weight, bias = encoder.convolution.weight, encoder.convolution.bias
    for i in range(6):
        row = rows.row(i)
        words = []
        for place, word in enumerate(row.ids.tolist()):
            to_head, to_tail = (max(-40, min(40, place - start)) + 40 for start in (row.head[0], row.tail[0]))
            words.append(
                torch.cat([encoder.word.weight[word], encoder.to_head.weight[to_head], encoder.to_tail.weight[to_tail]])
            )
        nothing = torch.zeros(10)
        padded = [nothing, *words, nothing]
        features = [
            torch.relu(sum(weight[:, :, k] @ padded[place + k] for k in range(3)) + bias) for place in range(len(words))
        ]
        torch.testing.assert_close(found[i], torch.stack(features).amax(0), atol=1e-5, rtol=1e-4)


def test_an_even_window_has_no_middle_and_is_refused(small):
    with pytest.raises(BadInput, match="window=4"):
        small("cnn", window=4)
