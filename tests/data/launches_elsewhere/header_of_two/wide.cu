#include "reverse.cuh"

void wide(float *data) { reverse<<<100, 64>>>(data); }
