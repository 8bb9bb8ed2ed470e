"""Query and example read together: every pair like each alone, and who cannot do that."""

import numpy as np
import pytest
import torch
from transformers import BertConfig, BertModel

from protorel.batches import Episodes, draw_episodes, join_pairs, tokenise_all
from protorel.encoders import CNNEncoder, TransformerEncoder, check_reads_pairs, encode_pairs
from protorel.statements import BadInput

ROWS = [np.array([0, 1]), np.array([2, 3]), np.array([4, 5])]


@pytest.fixture
def rows(tiny_tokenizer, some_statements):
    return tokenise_all(some_statements, tiny_tokenizer, max_length=48)


@pytest.fixture
def drawn() -> Episodes:
    return draw_episodes(ROWS, way=3, shot=1, count=2, seed=0)


@torch.no_grad()
@pytest.mark.parametrize("chunks", [1, 4, 100])
def test_each_query_is_read_with_each_example_as_the_backbone_reads_the_two_alone(tiny_encoder, rows, chunks):
    examples = np.array([[[0, 1], [2, 3]], [[4, 5], [1, 0]]])
    drawn = Episodes(np.zeros((2, 2), dtype=np.int64), examples, np.array([[4, 5], [2, 3]]))
    found = encode_pairs(tiny_encoder, rows, drawn, chunks=chunks)
    assert found.shape == (2, 2, 2, 2, 32)
    for episode, place, way, shot in np.ndindex(2, 2, 2, 2):
        query, example = (
            rows.row(int(row)).ids.tolist() for row in (drawn.query[episode, place], examples[episode, way, shot])
        )
        states = tiny_encoder.backbone(
            input_ids=torch.tensor([query + example[1:]]),
            token_type_ids=torch.tensor([[0] * len(query) + [1] * (len(example) - 1)]),
        ).last_hidden_state
        torch.testing.assert_close(found[episode, place, way, shot], states[0, 0], atol=1e-5, rtol=1e-4)


@torch.no_grad()
def test_an_encoder_without_two_segments_is_told_of_none(tiny_tokenizer, rows, drawn):
    config = BertConfig(
        vocab_size=tiny_tokenizer.layout.vocabulary_size, type_vocab_size=1, hidden_size=16, intermediate_size=16,
        num_attention_heads=2, num_hidden_layers=1,
    )  # fmt: skip
    backbone = BertModel(config).eval()
    encoder = TransformerEncoder(backbone, readout="start")
    check_reads_pairs(encoder, tiny_tokenizer.layout, max_length=48)
    batch = join_pairs(rows, np.array([0]), np.array([1]))
    alone = backbone(input_ids=batch.tokens).last_hidden_state[:, 0]
    torch.testing.assert_close(encoder.read_pairs(batch), alone, atol=1e-5, rtol=1e-4)
    assert encode_pairs(encoder, rows, drawn, chunks=2).shape == (2, 3, 3, 1, 16)


def test_gradients_reach_the_encoder_through_every_piece(tiny_encoder, rows, drawn):
    found = encode_pairs(tiny_encoder, rows, drawn, chunks=3, device=torch.device("cpu"))
    whole = encode_pairs(tiny_encoder, rows, drawn, chunks=1)
    word = tiny_encoder.token_embeddings.weight
    in_pieces, at_once = (torch.autograd.grad(states[..., 0].sum(), word)[0] for states in (found, whole))
    torch.testing.assert_close(in_pieces, at_once, atol=1e-4, rtol=1e-3)
    assert in_pieces.abs().sum() > 0


def test_who_cannot_read_two_statements_at_once_is_refused(tiny_encoder, tiny_tokenizer, monkeypatch):
    layout = tiny_tokenizer.layout
    check_reads_pairs(tiny_encoder, layout, max_length=48)  # 95 tokens of 96
    with pytest.raises(
        BadInput, match=r"max_length=49: expected at most 96 tokens .* got 97\. Set max_length=48 or less"
    ):
        check_reads_pairs(tiny_encoder, layout, max_length=49)
    with pytest.raises(BadInput, match="encoder: expected a transformer to read two statements at once, got cnn"):
        check_reads_pairs(CNNEncoder(words=9, word_width=4, channels=3), layout, max_length=8)
    bare = type(layout)(**{name: getattr(layout, name) for name in layout.__slots__} | {"prefix": ()})
    with pytest.raises(BadInput, match="expected a tokenizer that starts a text with a special token"):
        check_reads_pairs(tiny_encoder, bare, max_length=8)
    monkeypatch.setattr(TransformerEncoder, "most_tokens", 95)
    check_reads_pairs(tiny_encoder, layout, max_length=48)  # what stands before a text is read once, so it fits
    monkeypatch.setattr(TransformerEncoder, "most_tokens", 94)
    with pytest.raises(BadInput, match="Set max_length=47 or less"):
        check_reads_pairs(tiny_encoder, layout, max_length=48)
