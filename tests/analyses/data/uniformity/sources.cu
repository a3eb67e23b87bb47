// Where values come from: registers of the thread, memory, other threads.

// block 64
__global__ void registers(int *p, int n, int *q) {
    p[0] = threadIdx.x; // varying
    p[1] = threadIdx.y; // grid-uniform
    p[2] = blockIdx.x;  // block-uniform
    p[3] = blockDim.x;  // grid-uniform
    p[4] = gridDim.y;   // grid-uniform
    p[5] = warpSize;    // grid-uniform
    p[6] = n * 3;       // grid-uniform
    p[7] = n + blockIdx.y;       // block-uniform
    p[8] = threadIdx.x / 32;     // warp-uniform
    p[9] = threadIdx.x >> 5;     // warp-uniform
    p[10] = threadIdx.x & ~31;   // warp-uniform
    p[11] = threadIdx.x / 16;    // varying
    p[12] = threadIdx.x >> 4;    // varying
    p[13] = threadIdx.x % 32;    // varying
    p[14] = threadIdx.x / 64 + blockIdx.x; // warp-uniform
}

// block 1
__global__ void one_thread(int *p) {
    p[0] = threadIdx.x; // grid-uniform
}

// block 32x8
__global__ void rows(int *p) {
    p[0] = threadIdx.y;      // warp-uniform
    p[1] = threadIdx.x;      // varying
    p[2] = threadIdx.x / 32; // warp-uniform
}

// block 16x16
__global__ void half_rows(int *p) {
    p[0] = threadIdx.y;      // varying
    p[1] = threadIdx.x / 32; // varying
}

// block 8x8x8
__global__ void slices(int *p) {
    p[0] = threadIdx.z; // warp-uniform
    p[1] = threadIdx.y; // varying
}

// block 256
__global__ void narrow(int *p) {
    p[0] = (unsigned short)threadIdx.x / 32; // warp-uniform
    p[1] = (signed char)threadIdx.x / 32;    // varying
}

__constant__ int table[64];
__device__ int counter;

// block 64
__global__ void memory(int *p, const int *q, int n, volatile int *v) {
    __shared__ int s[64];
    __shared__ volatile int flag;
    int l[4];
    s[threadIdx.x] = 1;
    l[n & 3] = threadIdx.x;
    __syncthreads();
    p[0] = s[0];             // block-uniform
    p[1] = s[blockIdx.x];    // block-uniform
    p[2] = s[threadIdx.x];   // varying
    p[3] = q[n];             // grid-uniform
    p[4] = q[blockIdx.x];    // block-uniform
    p[5] = q[threadIdx.x];   // varying
    p[6] = table[n];         // grid-uniform
    p[7] = v[0];             // varying
    p[8] = flag;             // varying
    p[9] = l[0];             // varying
    p[10] = q[threadIdx.x / 32]; // warp-uniform
    p[11] = __ldg(q + n);        // grid-uniform
}

// block 64
__global__ void atomics(int *p) {
    p[0] = atomicAdd(p, 1);      // varying
    p[1] = atomicExch(p + 1, 7); // varying
}

// block 64
__global__ void votes(int *p, int n) {
    int t = threadIdx.x;
    if (__syncthreads_or(t == 5)) // block-uniform
        p[0] = 1;
    p[1] = __syncthreads_count(t & 1); // block-uniform
    p[2] = __syncthreads_and(t < n);   // block-uniform
    if (__any_sync(0xffffffff, t == 3)) // warp-uniform
        p[3] = 1;
    p[4] = __all_sync(0xffffffff, t < n);    // warp-uniform
    p[5] = __ballot_sync(0xffffffff, t & 1); // warp-uniform
    p[6] = __ballot_sync(0xffffffff, 1);     // warp-uniform
    p[7] = __any_sync(0xffffffff, n > 3);    // grid-uniform
    p[8] = __activemask();                   // varying
    p[9] = __popc(__ballot_sync(0xffffffff, t > n)); // warp-uniform
}

// block 64
__global__ void parts_of_warps(int *p, int n) {
    int t = threadIdx.x;
    unsigned mine = 0xffu << (t / 8 * 8 % 32);
    p[0] = __ballot_sync(mine, t & 1);           // varying
    p[1] = __any_sync(mine, t == 3);             // varying
    p[2] = __shfl_sync(0xffffffff, t, 0, 8);     // varying
    p[3] = __shfl_sync(0xffffffff, t, 0, 32);    // warp-uniform
    p[4] = __reduce_add_sync(mine, t);           // varying
    p[5] = __reduce_add_sync(0xffffffff, t);     // warp-uniform
    p[6] = __match_any_sync(0xffffffff, t / 2);  // varying
}

// block 64
__global__ void shuffles(int *p, int n) {
    int t = threadIdx.x;
    p[0] = __shfl_sync(0xffffffff, t, 0);          // warp-uniform
    p[1] = __shfl_sync(0xffffffff, t, n);          // warp-uniform
    p[2] = __shfl_sync(0xffffffff, t, t ^ 1);      // varying
    p[3] = __shfl_xor_sync(0xffffffff, t, 1);      // varying
    p[4] = __shfl_down_sync(0xffffffff, t, 16);    // varying
    p[5] = __shfl_down_sync(0xffffffff, n, 1);     // grid-uniform
    p[6] = __shfl_sync(0xffffffff, blockIdx.x, t); // block-uniform
}

#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// block 64
__global__ void groups(int *p, int n) {
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    cg::thread_block_tile<8> tile = cg::tiled_partition<8>(block);
    int t = threadIdx.x;
    p[0] = warp.any(t == 3);  // warp-uniform
    p[1] = tile.any(t == 3);  // varying
    p[2] = warp.shfl(t, 0);   // warp-uniform
    p[3] = tile.shfl(t, 0);   // varying
    p[4] = warp.meta_group_rank(); // warp-uniform
    p[5] = block.size();      // grid-uniform
    p[6] = tile.thread_rank(); // varying
}

// block 64
__global__ void clocks(int *p) {
    p[0] = clock();      // varying
    int lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    p[1] = lane; // varying
    int two;
    asm("{ .reg .u32 r; mov.u32 r, %%laneid; add.u32 %0, r, 1; }" : "=r"(two));
    p[2] = two; // varying
    int three;
    asm("add.u32 %0, %1, 1;" : "=r"(three) : "r"(blockDim.x));
    p[3] = three; // grid-uniform
}

// block 64
__global__ void uninitialised(int *p, int n) {
    int x;
    p[0] = x; // varying
    int y;
    if (n > 3)
        y = 4;
    p[1] = y; // grid-uniform
}

// block 64
__global__ void data(int *p, const int *q, int n) {
    int t = threadIdx.x;
    if (q[t] > 3) // varying
        p[0] = 1;
    if (q[n] > 3) // grid-uniform
        p[1] = 1;
    p[2] = n > 3 ? t : n;      // varying
    p[3] = t - t;              // varying
    p[4] = t * 0 + n;          // varying
    p[5] = sinf(n);            // grid-uniform
    p[6] = min(n, 5);          // grid-uniform
    p[7] = unknown(n);         // varying
}

// block 64
__global__ void borders_of_warps(int *p, int n, unsigned m) {
    int t = threadIdx.x;
    p[0] = t < 32;                        // warp-uniform
    p[1] = t < 33;                        // varying
    p[2] = t <= 31;                       // warp-uniform
    p[3] = t > 31;                        // warp-uniform
    p[4] = t >= 31;                       // varying
    p[5] = threadIdx.x < 96;              // warp-uniform
    p[6] = t < n * 64;                    // warp-uniform
    p[7] = t < n * 16;                    // varying
    p[8] = t + 5 < 37;                    // warp-uniform
    p[9] = t < blockDim.x / 2;            // varying
    p[10] = t == 32;                      // varying
    p[11] = 2 * t < 64;                   // varying
    p[12] = threadIdx.x - m < 64;         // varying
}

// block 64
__global__ void sides_that_cancel(int *p, int n, unsigned m) {
    int t = threadIdx.x;
    p[0] = t + n < t + 3;                 // grid-uniform
    p[1] = t + blockIdx.x * n == t + 3;   // block-uniform
    p[2] = threadIdx.x + m < threadIdx.x + 3; // varying
    p[3] = t + n < 2 * t + 3;             // varying
    p[4] = 4 * t + n <= (t << 2);         // grid-uniform
    for (int i = blockIdx.x * n + t; i < n + t; i += blockDim.x) // block-uniform
        p[i] = 1;
    for (int i = t; i < n; i += blockDim.x) // varying
        p[i] = 2;
    for (int i = t; i < n + t; i += t) // varying
        p[i] = 3;
}

// block 64
__global__ void warps_of_the_grid(int *p, const int *q, int n) {
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    p[0] = warp;                          // warp-uniform
    p[1] = q[warp] < n;                   // warp-uniform
    p[2] = (blockIdx.x * 48 + threadIdx.x) / 32; // varying
    p[3] = (int)(threadIdx.x - 64) / 64;  // varying
    p[4] = (blockIdx.x * 64 + threadIdx.x + n) >> 5; // varying
}

// block 64
__global__ void loads_between_barriers(int *p, const int *q, int *r, int n) {
    __shared__ int s, w[2];
    int t = threadIdx.x;
    p[0] = q[n];                          // grid-uniform
    if (t == 0)
        s = n;
    p[1] = s;                             // varying
    __syncthreads();
    p[2] = s;                             // block-uniform
    if (t % 32 == 0)
        w[t / 32] = n;
    __syncwarp();
    p[3] = w[t / 32];                     // warp-uniform
    __syncthreads();
    p[4] = w[0];                          // block-uniform
    p[5] = r[n];                          // block-uniform
    __syncthreads();
    r[t] = n;
    p[6] = r[n];                          // varying
    for (int i = 0; i < n; ++i) {
        p[7] = s;                         // varying
        s = p[t];
    }
}
