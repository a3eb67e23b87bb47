"""What an expression of host code says by itself: numbers, dimensions and launch configurations,
formulas, pointers, kernels and their template arguments, and what a condition (of an `if`, an
`assert`) says of variables; no statement is run here."""
