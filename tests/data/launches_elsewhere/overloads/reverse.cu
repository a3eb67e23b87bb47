__global__ void reverse(double *data, int)
{
    __shared__ double row[64];
    int t = threadIdx.x;
    row[t] = data[blockIdx.x * blockDim.x + t];
    __syncwarp();
    data[blockIdx.x * blockDim.x + t] = row[blockDim.x - 1 - t];  // expect-not: SYN002 a block is one warp
}

__global__ void reverse(float *data, unsigned)
{
    __shared__ float row[64];
    int t = threadIdx.x;
    row[t] = data[blockIdx.x * blockDim.x + t];
    __syncwarp();
    data[blockIdx.x * blockDim.x + t] = row[blockDim.x - 1 - t];  // expect: SYN002
}
