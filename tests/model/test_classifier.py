from __future__ import annotations

import json

import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from safetensors.torch import load_file

from protorel.model import Classifier
from protorel.statements import BadInput, RelationVocabulary

LABELS = ("born_in", "lives, in (now)", "誕生地", "Cause-Effect(e1,e2)")
VECTORS = torch.randn(7, 5, generator=torch.Generator().manual_seed(0))


def made(**more) -> Classifier:
    return Classifier(RelationVocabulary(LABELS), 5, **more)


def test_without_a_hidden_layer_it_is_the_linear_rule_of_algorithm_1():
    classifier = made().eval()
    weights = classifier.state_dict()
    for vector, logits in zip(VECTORS, classifier(VECTORS), strict=True):
        for label in range(4):
            wanted = sum(weights["outer.weight"][label] * vector) + weights["outer.bias"][label]
            assert logits[label].item() == pytest.approx(wanted.item(), abs=1e-6)


def test_a_hidden_layer_is_tanh_of_its_width():
    classifier = made(hidden=3).eval()
    inside = torch.tanh(F.linear(VECTORS, classifier.inner.weight, classifier.inner.bias))
    assert inside.shape == (7, 3)
    torch.testing.assert_close(classifier(VECTORS), F.linear(inside, classifier.outer.weight, classifier.outer.bias))


def test_the_answer_is_the_label_with_the_highest_logit():
    classifier = made().eval()
    assert classifier.answers(VECTORS) == [LABELS[row] for row in classifier(VECTORS).argmax(1).tolist()]


def test_answers_are_given_with_dropout_off_and_training_goes_on_with_it():
    classifier = made(dropout=0.9).train()
    assert len({tuple(classifier.answers(VECTORS)) for _ in range(9)}) == 1
    assert classifier.training
    assert not torch.equal(classifier(VECTORS), classifier(VECTORS))


def test_weights_are_a_function_of_the_seed_and_leave_the_callers_randomness():
    torch.manual_seed(3)
    before = torch.random.get_rng_state()
    one, same, other = made(seed=1), made(seed=1), made(seed=2)
    assert torch.equal(torch.random.get_rng_state(), before)
    assert torch.equal(one.outer.weight, same.outer.weight)
    assert not torch.equal(one.outer.weight, other.outer.weight)


@pytest.mark.parametrize("hidden", [0, 3])
def test_it_is_read_back_as_it_was_written(tmp_path, hidden):
    classifier = made(hidden=hidden, dropout=0.3, no_relation="誕生地")
    classifier.save(tmp_path)
    again = Classifier.load(tmp_path)
    assert (again.labels.ids, again.no_relation, again.dropout.p) == (LABELS, "誕生地", 0.3)
    assert not again.training
    assert torch.equal(again(VECTORS), classifier.eval()(VECTORS))
    assert all(tensor.isfinite().all() for tensor in load_file(tmp_path / "classifier.safetensors").values())


@pytest.mark.parametrize(
    "change",
    [{"labels": ["a", "b"]}, {"labels": ["a", "a", "b", "c"]}, {"width": 6}, {"hidden": 2}, {"labels": None}, None],
)
def test_labels_that_do_not_fit_the_weights_are_refused_by_name(tmp_path, change):
    made().save(tmp_path)
    whole = json.loads((tmp_path / "classifier.json").read_text())
    (tmp_path / "classifier.json").write_text(json.dumps({**whole, **change} if change else {}))
    wrong_labels = r"json: (labels: expected a list|.*more than once|lacks labels)"
    told = rf"classifier\.(safetensors: .*sizes in classifier\.json|{wrong_labels})"
    with pytest.raises(BadInput, match=told):
        Classifier.load(tmp_path)


def test_weights_that_are_not_finite_are_refused_by_file_and_tensor(tmp_path):
    classifier = made()
    with torch.no_grad():
        classifier.outer.bias[2] = torch.nan
    classifier.save(tmp_path)
    with pytest.raises(BadInput, match=r"classifier\.safetensors: .* in 1 of 4 .*'outer\.bias'"):
        Classifier.load(tmp_path)


def test_a_statement_without_a_likeliest_label_is_not_answered():
    classifier = made()
    with torch.no_grad():
        classifier.outer.weight.fill_(3e38)
    with pytest.raises(BadInput, match=r"^7 of 7 statements: expected finite scores"):
        classifier.answers(VECTORS.abs() + 1)
