"""The kernels of the documents that warplint began with, as text."""

from __future__ import annotations

NAIVE = """\
__global__ void naive(const float *Md, const float *Nd, float *Pd, int Width)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < Width; ++k) sum += Md[row * Width + k] * Nd[k * Width + col];
    Pd[row * Width + col] = sum;
}
"""

#: With `WIDTH` and `TILE` as macros.
TILED = """\
__global__ void tiled(const float *Md, const float *Nd, float *Pd)
{
    __shared__ float Mds[TILE][TILE], Nds[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
    float sum = 0;
    for (int m = 0; m < WIDTH / TILE; ++m) {
        Mds[ty][tx] = Md[row * WIDTH + m * TILE + tx];
        Nds[ty][tx] = Nd[(m * TILE + ty) * WIDTH + col];
        __syncthreads();
        for (int k = 0; k < TILE; ++k) sum += Mds[ty][k] * Nds[k][tx];
        __syncthreads();
    }
    Pd[row * WIDTH + col] = sum;
}
"""

#: Kirk and Hwu, figure 4.7, with flat indices: both barriers are missing.
FIGURE_4_7 = """\
#define TILE_WIDTH 16
__global__ void MatrixMulKernel(float *Md, float *Nd, float *Pd, int Width)
{
    __shared__ float Mds[TILE_WIDTH][TILE_WIDTH];
    __shared__ float Nds[TILE_WIDTH][TILE_WIDTH];
    int bx = blockIdx.x;  int by = blockIdx.y;
    int tx = threadIdx.x; int ty = threadIdx.y;
    int Row = by * TILE_WIDTH + ty;
    int Col = bx * TILE_WIDTH + tx;
    int Pvalue = 0;
    for (int m = 0; m < Width / TILE_WIDTH; ++m) {
        Mds[tx][ty] = Md[(m * TILE_WIDTH + tx) * Width + Row];
        Nds[tx][ty] = Nd[Col * Width + m * TILE_WIDTH + ty];
        for (int k = 0; k < TILE_WIDTH; ++k)
            Pvalue += Mds[tx][k] * Nds[k][ty];
        Pd[Row * Width + Col] = Pvalue;
    }
}
"""

#: "CUDA shared memory", section 2, with `BLOCK` and `PAD` as macros.
GEMM = """\
__global__ void gemm(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float sA[BLOCK][BLOCK + PAD];
    __shared__ float sB[BLOCK][BLOCK];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * BLOCK + ty, col = blockIdx.x * BLOCK + tx;
    float acc = 0.f;
    for (int t = 0; t < K; t += BLOCK) {
        sA[ty][tx] = (row < M && (t + tx) < K) ? A[row * K + (t + tx)] : 0.f;
        sB[ty][tx] = ((t + ty) < K && col < N) ? B[(t + ty) * N + col] : 0.f;
        __syncthreads();
        #pragma unroll
        for (int k = 0; k < BLOCK; ++k) {
            float a = sA[ty][k];
            acc += a * sB[k][tx];
        }
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = acc;
}
"""

#: Caltech CS 179, lecture 4: two sums of elements of local memory, loaded first.
SPILLING = """\
.version 8.0
.target sm_80
.address_size 64
.global .f32 z[2];
.visible .entry sums()
{
    .local .f32 x[2];
    .local .f32 y[2];
    .reg .f32 %f<7>;
    ld.local.f32 %f1, [x];
    ld.local.f32 %f2, [y];
    ld.local.f32 %f3, [x+4];
    ld.local.f32 %f4, [y+4];
    add.f32 %f5, %f1, %f2;
    st.global.f32 [z], %f5;
    add.f32 %f6, %f3, %f4;
    st.global.f32 [z+4], %f6;
    ret;
}
"""
