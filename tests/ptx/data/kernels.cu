// Kernels whose PTX stands beside this file, made by
//     nvcc -ptx -lineinfo -arch=sm_75  -o kernels.sm_75.ptx  kernels.cu
//     nvcc -ptx -lineinfo -arch=sm_90  -o kernels.sm_90.ptx  kernels.cu
//     nvcc -ptx -lineinfo -arch=sm_120 -o kernels.sm_120.ptx kernels.cu
#include <cassert>
#include <cstdio>

struct Grid {
    float *data;
    int width;
    int height;
    float scale;
};

__constant__ float weights[16];
__device__ int counter;

__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

__global__ void __launch_bounds__(256, 2) reduce(const float *in, float *out, int n) {
    __shared__ float partial[256];
    int t = threadIdx.x;
    float sum = 0.0f;
    for (int i = blockIdx.x * 256 + t; i < n; i += gridDim.x * 256) sum += in[i];
    partial[t] = sum;
    __syncthreads();
    for (int stride = 128; stride > 0; stride /= 2) {
        if (t < stride) partial[t] += partial[t + stride];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = partial[0];
}

__global__ void transpose(const float *in, float *out, int width) {
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * width + x];
    __syncthreads();
    out[(blockIdx.x * 32 + threadIdx.y) * width + blockIdx.y * 32 + threadIdx.x] =
        tile[threadIdx.x][threadIdx.y];
}

__global__ void scale_grid(Grid grid) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= grid.width) return;
    for (int y = 0; y < grid.height; ++y) grid.data[y * grid.width + x] *= grid.scale;
}

__global__ void warp_sum(const int *in, int *out) {
    int v = in[blockIdx.x * 32 + threadIdx.x];
    for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
    unsigned active = __ballot_sync(0xffffffffu, v > 0);
    if (threadIdx.x == 0) out[blockIdx.x] = v + __popc(active) + __any_sync(active, v == 7);
}

__global__ void histogram(const unsigned char *in, int *bins, int n) {
    extern __shared__ int local_bins[];
    local_bins[threadIdx.x] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(&local_bins[in[i]], 1);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], local_bins[threadIdx.x]);
    if (threadIdx.x == 0) atomicMax(&counter, n);
}

__device__ __noinline__ float blend(float a, float b, int kind) {
    switch (kind) {
        case 0: return a + b;
        case 1: return a - b;
        case 2: return a * b;
        case 3: return a / b;
        case 4: return fminf(a, b);
        case 5: return fmaxf(a, b);
        default: return a;
    }
}

__global__ void blend_all(const float *a, const float *b, float *c, int kind) {
    int i = threadIdx.x;
    c[i] = blend(a[i], b[i], kind) + weights[i & 15];
}

__global__ void local_table(const int *in, int *out, int n) {
    int table[100];
    for (int i = 0; i < 100; ++i) table[i] = in[i] * n;
    out[threadIdx.x] = table[in[threadIdx.x] % 100];
}

__global__ void vectors(const float4 *in, float2 *out, double *sum) {
    float4 v = in[threadIdx.x];
    out[threadIdx.x] = make_float2(v.x + v.z, v.y + v.w);
    sum[threadIdx.x] = (double)v.x * v.y;
}

__global__ void voting(const int *in, int *out) {
    int some = __syncthreads_or(in[threadIdx.x] > 3);
    int count = __syncthreads_count(in[threadIdx.x] > 5);
    out[threadIdx.x] = some ? count : -1;
}

__global__ void checked(const int *in, int *out, int n) {
    int i = threadIdx.x;
    assert(i < n);
    if (in[i] < 0) printf("negative at %d\n", i);
    __threadfence();
    out[i] = in[i];
}

__device__ __noinline__ int depth(int n) { return n <= 1 ? 1 : depth(n - 1) + depth(n - 2); }

__global__ void recursive(int *out, int n) { out[threadIdx.x] = depth(n); }

__global__ void assembly(const int *in, int *out) {
    unsigned lane;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
    int v = in[lane];
    asm volatile("{ .reg .pred p; setp.gt.s32 p, %1, 0; @p st.global.u32 [%0], %1; }" ::"l"(out + lane), "r"(v)
                 : "memory");
}

__global__ void bytes(unsigned char *data, unsigned short *wide, long long *big) {
    int i = threadIdx.x;
    data[i] = data[i] * 3 + 1;
    wide[i] = (unsigned short)(wide[i] >> 3);
    big[i] = big[i] << 5 | (unsigned)i;
}
