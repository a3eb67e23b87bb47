// Launched in a file whose formatter tore the brackets apart, by one warp alone.
__global__ void turned(float *p)
{
    __shared__ float s[64];
    s[threadIdx.x] = p[threadIdx.x];
    p[threadIdx.x] = s[31 - threadIdx.x];  // expect: WRP001
}
