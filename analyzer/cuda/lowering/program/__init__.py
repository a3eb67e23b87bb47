"""Tables of what a translation unit declares, by name: functions, classes, constants, device
variables; and what a syntax node says by itself: parameters, callees, effects.
"""
