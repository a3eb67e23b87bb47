#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void synchronisation(int *p, int n) {
    __shared__ int s;
    __syncthreads();
    int any = __syncthreads_or(n > 3);
    __syncwarp();
    __syncwarp(0xf);
    __threadfence();
    __threadfence_block();
    atomicAdd(&s, 1);
    int old = atomicCAS(p, 0, n);
    atomicMax_block(p + 1, old);
    int v = __shfl_down_sync(0xffffffff, n, 4);
    v += __shfl_xor_sync(~0u, v, 1, 16);
    unsigned ballot = __ballot_sync(0xffffffff, v > any);
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<16>(block);
    block.sync();
    tile.sync();
    cg::this_grid().sync();
    p[2] = tile.shfl(v, 0) + ballot + tile.thread_rank();
    asm volatile("bar.sync 0;");
    if (n < 0)
        __trap();
}
