#include "sha.cuh"

__global__ void crack(unsigned *digest, const char *words, int length)
{
    __shared__ unsigned state[32];
    state[threadIdx.x] = words[threadIdx.x];  // expect-not: SHM006 its blocks have 32 threads
    __syncwarp();
    digest[threadIdx.x] = state[31 - threadIdx.x];
}
