template <typename T, int N>
__global__ void reverse(T *data)
{
    __shared__ T row[N];
    int t = threadIdx.x;
    row[t] = data[blockIdx.x * blockDim.x + t];
    __syncwarp();
    data[blockIdx.x * blockDim.x + t] = row[blockDim.x - 1 - t];  // expect: SYN002
}

template __global__ void reverse<float, 64>(float *);
template __global__ void reverse<float, 32>(float *);
