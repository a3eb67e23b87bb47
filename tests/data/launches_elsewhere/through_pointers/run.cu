#include "kernels.cuh"

const int WARP = 32, BLOCK = 256;

void run(float *p, int n, int version)
{
    dim3 narrow(WARP, BLOCK / WARP), wide(2 * WARP, BLOCK / WARP / 2);
    auto kernel = &halve;
    kernel<<<n, narrow, BLOCK * sizeof(float)>>>(p, n);
    kernel = &third;
    kernel<<<n, wide, BLOCK * sizeof(float)>>>(p, n);
    if (cudaGetLastError() != cudaSuccess)
        throw version;
}
