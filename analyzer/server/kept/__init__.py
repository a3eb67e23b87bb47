"""What an editor's process keeps between two versions of a text: names of classes, bodies, host
code, kernels, results.
"""
