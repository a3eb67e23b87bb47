// Multiplies two matrices through tiles in shared memory, with its thread indices swapped:
//     warplint check examples/gemm.cu
#include <cuda_runtime.h>

constexpr int TILE = 32;

// C = A * B for square matrices whose size is a multiple of TILE.
__global__ void gemm(const float *A, const float *B, float *C, int n)
{
    __shared__ float a[TILE][TILE];
    __shared__ float b[TILE][TILE];

    int row = blockIdx.y * TILE + threadIdx.x;
    int column = blockIdx.x * TILE + threadIdx.y;
    float sum = 0.0f;

    for (int tile = 0; tile < n / TILE; ++tile) {
        a[threadIdx.x][threadIdx.y] = A[row * n + tile * TILE + threadIdx.y];
        b[threadIdx.x][threadIdx.y] = B[(tile * TILE + threadIdx.x) * n + column];
        __syncthreads();
        for (int k = 0; k < TILE; ++k)
            sum += a[threadIdx.x][k] * b[k][threadIdx.y];
        __syncthreads();
    }
    C[row * n + column] = sum;
}

void multiply(const float *A, const float *B, float *C)
{
    dim3 block(TILE, TILE);
    dim3 grid(1024 / TILE, 1024 / TILE);
    gemm<<<grid, block>>>(A, B, C, 1024);
}
