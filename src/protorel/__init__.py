"""protorel."""
