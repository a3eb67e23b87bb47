"""What accesses and atomics cost: banks, sectors, wavefronts; cheaper ways to the same; indices too
narrow for them.
"""
