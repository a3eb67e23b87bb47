// Transposes a matrix through tiles in shared memory. Two things are wrong with it:
//     warplint check examples/transpose.cu

#include <cuda_runtime.h>

constexpr int TILE = 16;

__global__ void transpose(float *out, const float *in, int width, int height)
{
    __shared__ float tile[TILE][TILE];

    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;

    if (x < width && y < height) {
        tile[threadIdx.y][threadIdx.x] = in[y * width + x];
        __syncthreads();
    }

    int column = blockIdx.y * TILE + threadIdx.x;
    int row = blockIdx.x * TILE + threadIdx.y;
    if (column < height && row < width)
        out[row * height + column] = tile[threadIdx.x][threadIdx.y];
}

int main()
{
    const int width = 1000, height = 600;
    const size_t bytes = width * height * sizeof(float);
    float *in, *out;
    if (cudaMalloc(&in, bytes) != cudaSuccess || cudaMalloc(&out, bytes) != cudaSuccess) return 1;

    dim3 block(TILE, TILE);
    dim3 grid((width + TILE - 1) / TILE, (height + TILE - 1) / TILE);
    transpose<<<grid, block>>>(out, in, width, height);

    cudaError_t status = cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
    return status == cudaSuccess ? 0 : 1;
}
