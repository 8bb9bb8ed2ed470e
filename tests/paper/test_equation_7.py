from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from pydantic import ValidationError

from protorel.geometry import ScaledCosine
from protorel.objectives import (
    TERMS,
    HiddenTokens,
    ObjectiveInput,
    ObjectiveSettings,
    WeightedSum,
    cross_entropy,
    masked_language,
    prototype_classification,
    prototype_softmax,
    prototype_statements,
    prototype_statements_over_pairs,
    statement_contrast,
    statement_prototypes,
    statement_prototypes_over_pairs,
)
from protorel.statements import BadInput

ALL = ObjectiveSettings.model_validate(
    {
        "s2s": {"weight": 1.0, "scale": 10.0},
        "s2z": {"weight": 0.5, "scale": 12.0, "bias": -3.0},
        "s2z_prime": {"weight": 0.25, "scale": 14.0, "bias": -4.0},
        "cls": {"weight": 0.125},
        "mlm": {"weight": 2.0},
        "softmax": {"weight": 3.0, "scale": 16.0},
        "ce": {"weight": 4.0},
    }
)


def sum_of(settings, *, vocabulary=(11, 6), seed=0) -> WeightedSum:
    generator = torch.Generator().manual_seed(seed)
    return WeightedSum(settings, relations=4, width=5, vocabulary=vocabulary, generator=generator).double()


def only(**terms) -> ObjectiveSettings:
    return ObjectiveSettings.model_validate({name: {"weight": weight} for name, weight in terms.items()})


@pytest.fixture
def told(batch_of):
    batch = batch_of([0, 0, 1, 1, 2, 2], also=[(0, 3)], count=4)
    return batch.embeddings, batch.relations, batch.labels


@pytest.fixture
def hidden():
    generator = torch.Generator().manual_seed(5)
    states = torch.randn(3, 6, generator=generator, dtype=torch.double)
    return HiddenTokens(states, torch.tensor([1, 10, 4]), torch.randn(11, 6, generator=generator, dtype=torch.double))


def test_the_total_is_the_weighted_sum_of_the_terms(told, hidden):
    objective = sum_of(ALL)
    loss = objective(*told, hidden)
    assert set(loss.terms) == {"s2s", "s2z", "s2z_prime", "cls", "mlm", "softmax", "ce"}
    expected = sum(getattr(ALL, name).weight * term for name, term in loss.terms.items())
    torch.testing.assert_close(loss.total, expected)


def test_each_term_is_its_own_equation_with_its_own_scale(told, hidden):
    objective = sum_of(ALL)
    given = ObjectiveInput(*told, objective.prototypes)
    weight, bias = objective.classifier.weight, objective.classifier.bias
    expected = {
        "s2s": statement_contrast(given, similarity=ScaledCosine(10.0)),
        "s2z": prototype_statements(given, similarity=ScaledCosine(12.0, -3.0)),
        "s2z_prime": statement_prototypes(given, similarity=ScaledCosine(14.0, -4.0)),
        "cls": prototype_classification(objective.prototypes, weight, bias),
        "mlm": masked_language(objective.language(hidden.states, hidden.embeddings), hidden.original),
        "softmax": prototype_softmax(given, similarity=ScaledCosine(16.0)),
        "ce": cross_entropy(given, weight, bias),
    }
    terms = objective(*told, hidden).terms
    for name, value in expected.items():
        torch.testing.assert_close(terms[name], value)


@pytest.mark.parametrize(
    ("term", "printed"),
    [("s2z", prototype_statements_over_pairs), ("s2z_prime", statement_prototypes_over_pairs)],
)
def test_over_pairs_chooses_the_printed_form_of_equations_4_and_5(told, term, printed):
    settings = ObjectiveSettings.model_validate({term: {"weight": 1.0, "over_pairs": True}})
    objective = sum_of(settings)
    given = ObjectiveInput(*told, objective.prototypes)
    scaled = getattr(settings, term)
    expected = printed(given, similarity=ScaledCosine(scaled.scale, scaled.bias))
    torch.testing.assert_close(objective(*told).terms[term], expected)


def test_a_term_of_weight_0_is_not_computed(told, monkeypatch):
    def never(*_, **__):
        raise AssertionError("a term of weight 0 was computed")

    for key, term in TERMS.items():
        if key != ("s2s", None):
            monkeypatch.setitem(TERMS, key, replace(term, equation=never))
    loss = sum_of(only(s2s=0.5))(*told)
    assert set(loss.terms) == {"s2s"}
    torch.testing.assert_close(loss.total, 0.5 * loss.terms["s2s"])


def test_parts_that_no_term_uses_do_not_exist():
    objective = sum_of(only(s2s=1))
    assert objective.classifier is None
    assert objective.language is None
    assert not objective.hides_tokens


@pytest.mark.parametrize("settings", [ObjectiveSettings(), only(s2s=0, mlm=0)])
def test_an_objective_whose_terms_all_have_weight_0_is_refused(settings):
    with pytest.raises(BadInput, match="every weight is 0"):
        sum_of(settings)


def test_the_masked_language_term_alone_is_an_objective(told, hidden):
    objective = sum_of(only(mlm=0.5))
    assert objective.hides_tokens
    loss = objective(*told, hidden)
    torch.testing.assert_close(loss.total, 0.5 * loss.terms["mlm"])


def test_an_encoder_without_word_embeddings_drops_the_masked_language_term(told):
    objective = sum_of(only(s2s=1, mlm=1), vocabulary=None)
    assert not objective.hides_tokens
    assert set(objective(*told).terms) == {"s2s"}


@pytest.mark.parametrize("term", ["s2z", "s2z_prime", "cls", "softmax", "uniformity"])
def test_terms_over_prototypes_learn_the_prototypes(term):
    objective = sum_of(only(**{term: 1, "ce": 1}))
    torch.testing.assert_close(objective.learned_prototypes(), objective.prototypes.detach())


def test_plain_cross_entropy_has_the_rows_of_its_classifier_for_prototypes():
    objective = sum_of(only(ce=1, s2s=1))
    torch.testing.assert_close(objective.learned_prototypes(), objective.classifier.weight.detach())


@pytest.mark.parametrize("terms", [{"s2s": 1}, {"mlm": 1}, {"s2s": 1, "mlm": 1}])
def test_terms_between_statements_or_words_learn_no_prototypes(terms):
    assert sum_of(only(**terms)).learned_prototypes() is None


@pytest.mark.parametrize("terms", [{"s2s": 1}, {"mlm": 1}])
def test_what_has_no_learned_prototypes_moves_none(told, hidden, terms):
    objective = sum_of(only(**terms))
    loss = objective(told[0].requires_grad_(), *told[1:], hidden)
    loss.total.backward()
    assert objective.prototypes.grad is None


def test_the_same_generator_starts_from_the_same_numbers_and_leaves_the_global_state_alone():
    before = torch.random.get_rng_state()
    first, second, other = sum_of(ALL, seed=1), sum_of(ALL, seed=1), sum_of(ALL, seed=2)
    assert torch.equal(torch.random.get_rng_state(), before)
    for name, value in first.state_dict().items():
        assert torch.equal(value, second.state_dict()[name])
    assert not torch.equal(first.prototypes, other.prototypes)
    assert not torch.equal(first.classifier.weight, other.classifier.weight)


def test_loading_weights_into_the_sum_is_seen_by_its_terms(told):
    one, two = sum_of(only(cls=1, ce=1), seed=1), sum_of(only(cls=1, ce=1), seed=2)
    two.load_state_dict(one.state_dict())
    torch.testing.assert_close(one(*told).total, two(*told).total)


@pytest.mark.parametrize(
    "settings",
    [{"s2s": {"weight": -1}}, {"s2s": {"scale": 0}}, {"s2t": {}}, {"mlm": {"rate": 1.0}}, {"ce": {"weight": "nan"}}],
)
def test_settings_that_make_no_sense_are_refused(settings):
    with pytest.raises(ValidationError):
        ObjectiveSettings.model_validate(settings)
