"""The kernel IR: types, values, operations, blocks, kernels; its builder, verifier and printer."""
