#include <cstdint>
__global__ void reverse(float *data, uint32_t);

void wide(float *data, uint32_t n) { reverse<<<n, 64>>>(data, n); }
