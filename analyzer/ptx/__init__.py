"""PTX: text → statements → Lark parse of each new shape → AST → IR (`read.py`)."""
