"""PTX: text → statements, one parse for each new shape → tree → IR (`read.py`)."""
