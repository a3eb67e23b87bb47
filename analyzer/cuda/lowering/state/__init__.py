"""The state of lowering one kernel, and steps that every part of it needs: objects and made-up
values, variables in registers or memory, the hook that inlines.
"""
