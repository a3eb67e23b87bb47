"""Tables of what a translation unit declares, by name: functions, classes, constants, device
variables; as far as the text alone says.
"""
