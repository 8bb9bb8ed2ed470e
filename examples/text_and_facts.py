"""From facts and raw text to triples: harvest labelled statements, train a small model, extract from new sentences.

    python examples/text_and_facts.py

Everything in facts.tsv, names.tsv and pages.jsonl is invented. Needs the extras `harvest` and `glove`.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

from protorel import (
    DuckDBEngine,
    Extractor,
    HarvestSettings,
    HarvestSources,
    KnowledgeBaseNames,
    finetune,
    harvest_statements,
)
from protorel.harvest import AlignmentRule

HERE = Path(__file__).parent
NEW_SENTENCES = [
    "Emrik Sommel was born in Kesmar and founded Kelvora.",
    "Lindovar is based in Lunsk, the capital of Dravonia.",
    "Optivar hired Dovlin Vossik, who was born in Vardholm.",
]


def main(folder: Path) -> None:
    """Run the three steps, with all files in one folder."""
    # 1. Every sentence that names both entities of a fact becomes a statement; all other pairs are kept as no_relation.
    sources = HarvestSources(facts=HERE / "facts.tsv", aliases=HERE / "names.tsv", text=HERE / "pages.jsonl")
    settings = HarvestSettings(alignment=AlignmentRule(no_relation=1.0))
    manifest = harvest_statements(sources, folder / "harvested", engine=DuckDBEngine(), settings=settings)
    print("statements:", manifest["relations"])

    # 2. A small convolutional encoder on GloVe words, with an independent sigmoid per relation.
    statements = folder / "harvested" / "statements"
    model = finetune("cnn", statements, folder / "run", "extraction", epochs=12, learning_rate=2e-3)

    # 3. Entities are found by their names; the schema says which types a relation connects.
    extractor = Extractor(model, entities=KnowledgeBaseNames(HERE / "names.tsv"), schema=HERE / "schema.yaml")
    for found in extractor.pipe(NEW_SENTENCES):
        print("\n" + found.text)
        for triple in found.triples:
            print("   ", triple)


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        main(Path(folder))
