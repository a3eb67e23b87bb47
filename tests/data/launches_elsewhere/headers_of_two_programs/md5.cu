#include "md5.cuh"

__global__ void crack(unsigned *digest, const char *words, int length)
{
    __shared__ unsigned state[64];
    state[threadIdx.x] = words[threadIdx.x];
    digest[threadIdx.x] = state[63 - threadIdx.x];  // expect: SYN002
}
