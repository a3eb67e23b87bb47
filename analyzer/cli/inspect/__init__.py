"""`warplint inspect ...`: the options of each view of a kernel; what it shows is in
`report/kernels/`.
"""
