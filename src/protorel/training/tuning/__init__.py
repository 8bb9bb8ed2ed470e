"""Fine-tuning: a classifier, few-shot episodes, or prototypes for text."""
