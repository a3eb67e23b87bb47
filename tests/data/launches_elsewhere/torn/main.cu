__global__ void turned(float *p);

void go(float *p)
{
    turned << < 1, 32 >> > (p);
    if (cudaGetLastError() != cudaSuccess) return;
}
