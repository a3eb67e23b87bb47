"""PTX as text: what ptxas refuses, debug modules (ASM)."""
