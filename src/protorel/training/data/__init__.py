"""The data of a training: which statements are used, decontamination, batches and episodes that fit small data."""
