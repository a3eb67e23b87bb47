// Adds up values block by block; a barrier is missing, and half the lanes of each warp idle:
//     warplint check examples/reduction.cu
#include <cuda_runtime.h>

constexpr int BLOCK = 256;

__global__ void sum(const float *values, float *sums, int n)
{
    __shared__ float part[BLOCK];
    unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    part[threadIdx.x] = i < n ? values[i] : 0.0f;
    __syncthreads();

    for (unsigned stride = 1; stride < BLOCK; stride *= 2) {
        unsigned at = 2 * stride * threadIdx.x;
        if (at < BLOCK)
            part[at] += part[at + stride];
    }
    if (threadIdx.x == 0)
        sums[blockIdx.x] = part[0];
}

void add_up(const float *values, float *sums)
{
    sum<<<4096, BLOCK>>>(values, sums, 4096 * BLOCK);
}
