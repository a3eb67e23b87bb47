"""ASM: PTX as text: what ptxas refuses, modules made for a debugger."""
