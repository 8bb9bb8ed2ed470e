"""protorel: relation encoders and relation prototypes from noisy, distantly labelled text.

>>> import protorel
>>> row = {"text": "Ada Kroll was born in Lunsk.", "head": "Ada Kroll", "tail": "Lunsk", "relation": "born_in"}
>>> [statement] = protorel.as_statements([row])
>>> statement.head_text, statement.relation, statement.tail_text
('Ada Kroll', 'born_in', 'Lunsk')
"""

import sys
from typing import TYPE_CHECKING, Any

from protorel.lazy import lazy_names
from protorel.threads import sleep_while_waiting

if TYPE_CHECKING:
    from protorel.audit import Audit, AuditSettings, WrongShare, audit_labels
    from protorel.corpora import SmallWorldSettings, build_small_world, convert
    from protorel.evaluation import (
        FewShotSettings,
        FuzzyRedSettings,
        Measurement,
        PairSettings,
        evaluate_answers,
        evaluate_classification,
        evaluate_extraction,
        evaluate_few_shot,
        evaluate_fuzzyred,
        evaluate_pairs,
        few_shot_accuracy,
    )
    from protorel.evaluation.deprecated import judge_few_shot as judge_few_shot
    from protorel.extraction import (
        Extraction,
        ExtractionSettings,
        Extractor,
        KnowledgeBaseNames,
        Mention,
        Schema,
        SpacyEntities,
        Triple,
    )
    from protorel.geometry import Prototypes
    from protorel.harvest import DuckDBEngine, HarvestSettings, HarvestSources, SparkEngine, harvest_statements
    from protorel.judging import export_verdicts, read_verdicts
    from protorel.model import Classifier, Evidence, Prediction, RelationModel, RunRecord, average_runs
    from protorel.recipes import FinetuneRecipe, Recipe, load_finetune_recipe, load_recipe, recipe_names
    from protorel.report import MapSettings, report_runs
    from protorel.statements import (
        BadInput,
        DataSet,
        Descriptions,
        Equivalents,
        Interrupted,
        Leakage,
        Relation,
        RelationVocabulary,
        Span,
        Statement,
        WorkFailed,
        as_data_set,
        as_statements,
        find_leakage,
        load_descriptions,
        load_equivalents,
        read_statements,
        write_statements,
    )
    from protorel.training import finetune, pretrain

    __version__: str

__all__ = [
    "Audit",
    "AuditSettings",
    "BadInput",
    "Classifier",
    "DataSet",
    "Descriptions",
    "DuckDBEngine",
    "Equivalents",
    "Evidence",
    "Extraction",
    "ExtractionSettings",
    "Extractor",
    "FewShotSettings",
    "FinetuneRecipe",
    "FuzzyRedSettings",
    "HarvestSettings",
    "HarvestSources",
    "Interrupted",
    "KnowledgeBaseNames",
    "Leakage",
    "MapSettings",
    "Measurement",
    "Mention",
    "PairSettings",
    "Prediction",
    "Prototypes",
    "Recipe",
    "Relation",
    "RelationModel",
    "RelationVocabulary",
    "RunRecord",
    "Schema",
    "SmallWorldSettings",
    "SpacyEntities",
    "Span",
    "SparkEngine",
    "Statement",
    "Triple",
    "WorkFailed",
    "WrongShare",
    "__version__",
    "as_data_set",
    "as_statements",
    "audit_labels",
    "average_runs",
    "build_small_world",
    "convert",
    "evaluate_answers",
    "evaluate_classification",
    "evaluate_extraction",
    "evaluate_few_shot",
    "evaluate_fuzzyred",
    "evaluate_pairs",
    "export_verdicts",
    "few_shot_accuracy",
    "find_leakage",
    "finetune",
    "harvest_statements",
    "load_descriptions",
    "load_equivalents",
    "load_finetune_recipe",
    "load_recipe",
    "pretrain",
    "read_statements",
    "read_verdicts",
    "recipe_names",
    "report_runs",
    "write_statements",
]

if sys.platform == "win32":
    raise ImportError("protorel runs on Linux and macOS, where a file can be locked by fcntl. On Windows, use WSL.")

sleep_while_waiting()
_lazy_name = lazy_names(
    __name__, renamed={"judge_classify": "evaluate_classification", "judge_few_shot": "evaluate_few_shot"}
)


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used; the version is that of the installed package."""
    if name == "__version__":
        from importlib.metadata import version

        return version("protorel")
    return _lazy_name(name)


def __dir__() -> list[str]:
    """List the public names, whether they have been used or not."""
    return sorted(__all__)
