"""The sections of a report page, one file each: values in, HTML out."""
