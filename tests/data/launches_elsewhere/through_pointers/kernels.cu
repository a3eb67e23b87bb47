#include "kernels.cuh"

// Launched through a pointer, with 32 threads for each row: a row is a warp.
__global__ void halve(float *p, int n)
{
    extern __shared__ float s[];
    int i = threadIdx.y * blockDim.x + threadIdx.x;
    int partner = threadIdx.y * blockDim.x + (threadIdx.x ^ blockDim.x / 2);
    s[i] = p[i];
    __syncwarp();
    p[i] = s[partner];
}

// The same, with 64 threads for each row.
__global__ void third(float *p, int n)
{
    extern __shared__ float s[];
    int i = threadIdx.y * blockDim.x + threadIdx.x;
    int partner = threadIdx.y * blockDim.x + (threadIdx.x ^ blockDim.x / 2);
    s[i] = p[i];
    __syncwarp();
    p[i] = s[partner];  // expect: SYN002
}

// The same, which no pointer of the run may hold: rows may be made for warps.
__global__ void lonely(float *p, int n)
{
    extern __shared__ float s[];
    int i = threadIdx.y * blockDim.x + threadIdx.x;
    int partner = threadIdx.y * blockDim.x + (threadIdx.x ^ blockDim.x / 2);
    s[i] = p[i];
    __syncwarp();
    p[i] = s[partner];
}
