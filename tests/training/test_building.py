from __future__ import annotations

import numpy as np
import pytest
import torch

from protorel.encoders import WORD_KINDS
from protorel.geometry import Prototypes
from protorel.model import Cut, RelationModel, compress_run
from protorel.statements import BadInput, Span, Statement
from protorel.training import build_encoder, load_recipe

TEXTS = ("Ada was born in Lunsk.", "Bela died in Oster.")
STATEMENTS = [Statement(text, Span(0, 3), Span(len(text) - 6, len(text) - 1), "r", id=text) for text in TEXTS]
SIZES = {
    "cnn": {"channels": 6, "window": 5, "position_width": 3, "dropout": 0.1},
    "pcnn": {"channels": 6, "window": 5, "position_width": 3, "dropout": 0.1},
    "rnn": {"hidden": 6, "cell": "gru", "position_width": 3, "dropout": 0.1},
    "self_attention": {"hidden": 6, "heads": 2, "position_width": 3, "dropout": 0.1},
}


@pytest.fixture
def vectors(tmp_path):
    """Four words of the texts, after one that is more frequent and in none of them."""
    path = tmp_path / "mine.vec"
    path.write_text("und 9 9\nada 1 2\nlunsk 3 4\nborn 5 6\ndied 7 8\n")
    return path


@pytest.fixture(params=WORD_KINDS)
def kind(request):
    return request.param


def build(kind, vectors, *overrides, statements=STATEMENTS):
    wanted = [f"{kind}.{name}={value}" for name, value in SIZES[kind].items()]
    recipe = load_recipe("smoke", [f"encoder={kind}", f"{kind}.vectors={vectors}", *wanted, *overrides])
    return build_encoder(recipe, lambda: statements)


def test_a_word_encoder_has_the_sizes_that_the_section_of_its_name_gives(kind, vectors):
    encoder, tokenizer = build(kind, vectors)
    assert encoder.settings.items() >= {"kind": kind, "word_width": 2, **SIZES[kind]}.items()
    assert encoder.settings["words"] == tokenizer.layout.vocabulary_size
    assert (tokenizer.layout.head_markers is not None) == WORD_KINDS[kind].markers


def test_a_word_encoder_starts_from_the_vectors_of_its_words(kind, vectors):
    encoder, tokenizer = build(kind, vectors)
    for word, wanted in (("ada", [1, 2]), ("died", [7, 8]), ("nobody", [5, 29 / 5])):
        number = tokenizer.tokenizer.convert_tokens_to_ids(word)
        assert encoder.word.weight[number].tolist() == pytest.approx(wanted)


def test_the_words_of_the_data_are_known_however_rare_they_are(vectors):
    _, tokenizer = build("cnn", vectors, "cnn.most_frequent_words=1")
    assert {"und", "ada", "lunsk", "born", "died"} <= tokenizer.tokenizer.get_vocab().keys()
    _, tokenizer = build("cnn", vectors, "cnn.most_frequent_words=0", statements=STATEMENTS[:1])
    assert not {"und", "died"} & tokenizer.tokenizer.get_vocab().keys()


def test_equal_seeds_give_equal_weights_and_other_seeds_others(kind, vectors):
    first, again, other = (build(kind, vectors, f"seed={seed}")[0].state_dict() for seed in (3, 3, 4))
    assert all(torch.equal(value, again[name]) for name, value in first.items())
    assert not all(torch.equal(value, other[name]) for name, value in first.items())


def test_data_of_which_one_word_is_known_is_taken(tmp_path):
    path = tmp_path / "few.vec"
    path.write_text("lunsk 1\n")
    assert build("cnn", path)[0].settings["word_width"] == 1


def test_data_of_which_only_the_punctuation_is_known_is_refused(tmp_path):
    path = tmp_path / "marks.vec"
    path.write_text(". 1\n, 2\n")
    with pytest.raises(BadInput, match=r"none of the data's 8 words has a vector in .*marks\.vec"):
        build("cnn", path)


def test_no_data_gives_the_most_frequent_words(vectors):
    encoder, _ = build("cnn", vectors, statements=[])
    assert np.allclose(encoder.word.weight.detach()[3], [9, 9])


@pytest.mark.parametrize(("overrides", "rate"), [((), 0.1), (("dropout=0",), 0.0)])
def test_a_transformer_has_the_dropout_of_its_config_unless_the_recipe_says_otherwise(
    tiny_encoder_folder, overrides, rate
):
    recipe = load_recipe("smoke", [f"encoder={tiny_encoder_folder}", *overrides])
    encoder, _ = build_encoder(recipe, lambda: STATEMENTS)
    assert {module.p for module in encoder.modules() if isinstance(module, torch.nn.Dropout)} == {rate}


def test_a_training_starts_from_a_run_that_is_kept_as_a_difference(
    tiny_encoder, tiny_tokenizer, tiny_encoder_folder, tmp_path
):
    with torch.no_grad():
        for weight in tiny_encoder.backbone.parameters():
            weight.add_(0.02 * torch.randn_like(weight))
    prototypes = Prototypes.none(tiny_encoder.width)
    RelationModel(tiny_encoder, tiny_tokenizer, prototypes, max_length=32).save_pretrained(tmp_path / "run")
    compress_run(tmp_path / "run", tmp_path / "small", base=str(tiny_encoder_folder), cut=Cut(rank=4))
    recipe = load_recipe("smoke", [f"encoder={tmp_path / 'small'}", "max_length=32"])
    encoder, _ = build_encoder(recipe, lambda: STATEMENTS)
    expected = RelationModel.from_pretrained(tmp_path / "small").encoder.backbone.state_dict()
    for name, weight in encoder.backbone.state_dict().items():
        assert torch.equal(weight, expected[name]), name
