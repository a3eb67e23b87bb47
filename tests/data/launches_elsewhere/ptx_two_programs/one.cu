__global__ void reverse(float *data)
{
    __shared__ float row[64];
    int t = threadIdx.x;
    row[t] = data[blockIdx.x * blockDim.x + t];
    __syncwarp();
    data[blockIdx.x * blockDim.x + t] = row[blockDim.x - 1 - t];  // expect: SYN002
}

void run(float *data) { reverse<<<100, 64>>>(data); }
