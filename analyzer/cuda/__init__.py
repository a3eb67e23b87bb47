"""CUDA C++: text → tokens → Lark parse → AST (`nodes.py`) → IR (`lowering/`)."""
