// Small kernels with one defect each, and their sound twins. The reports beside this file are what
// NVIDIA's tools said of this program on an H100: nvcc -O3 -lineinfo -arch=sm_90.

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <cuda_runtime.h>

constexpr int TILE = 32;
constexpr int SIDE = 1024;

__global__ void transpose_conflicts(float *out, const float *in)
{
    __shared__ float tile[TILE][TILE];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * SIDE + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    out[y * SIDE + x] = tile[threadIdx.x][threadIdx.y];
}

__global__ void transpose_padded(float *out, const float *in)
{
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * SIDE + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    out[y * SIDE + x] = tile[threadIdx.x][threadIdx.y];
}

__global__ void transpose_naive(float *out, const float *in)
{
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    out[x * SIDE + y] = in[y * SIDE + x];
}

__global__ void rows_by_thread(float *sums, const float *in)
{
    int row = blockIdx.x * 256 + threadIdx.x;
    float sum = 0.0f;
    for (int column = 0; column < SIDE; ++column)
        sum += in[row * SIDE + column];
    sums[row] = sum;
}

__global__ void mirror_no_barrier(float *out, const float *in)
{
    __shared__ float line[256];
    int t = threadIdx.x;
    line[t] = in[blockIdx.x * 256 + t];
    out[blockIdx.x * 256 + t] = line[255 - t];
}

__global__ void mirror(float *out, const float *in)
{
    __shared__ float line[256];
    int t = threadIdx.x;
    line[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    out[blockIdx.x * 256 + t] = line[255 - t];
}

__global__ void sums_no_second_barrier(float *out, const float *in, int rounds)
{
    __shared__ float line[256];
    int t = threadIdx.x;
    float sum = 0.0f;
    for (int round = 0; round < rounds; ++round) {
        line[t] = in[round * 256 + t];
        __syncthreads();
        sum += line[(t + 64) % 256];
    }
    out[blockIdx.x * 256 + t] = sum;
}

__global__ void barrier_in_branch(float *out, const float *in)
{
    __shared__ float line[128];
    int t = threadIdx.x;
    if (t % 32 < 20) {
        line[t] = in[t];
        __syncthreads();
    }
    out[t] = line[t];
}

__global__ void beyond_shared(float *out, const float *in)
{
    __shared__ float line[128];
    int t = threadIdx.x;
    line[t] = in[t];
    __syncthreads();
    out[t] = line[t + 16];
}

__global__ void beyond_global(float *out, const float *in)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    out[i + 4096] = in[i];
}

__global__ void misaligned_vector(float *out, const float *in)
{
    int t = threadIdx.x;
    float4 v = *reinterpret_cast<const float4 *>(in + 4 * t + 1);
    out[t] = v.x + v.y + v.z + v.w;
}

__global__ void never_written(float *out, const float *in)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    out[i] = in[i];
}

__global__ void one_counter(int *hits, const float *in)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (in[i] >= 0.0f)
        atomicAdd(hits, 1);
}

__global__ void histogram(int *bins, const int *keys)
{
    __shared__ int own[64];
    int t = threadIdx.x;
    if (t < 64)
        own[t] = 0;
    __syncthreads();
    atomicAdd(&own[keys[blockIdx.x * 256 + t] % 64], 1);
    __syncthreads();
    if (t < 64)
        atomicAdd(&bins[t], own[t]);
}

static float *buffer(size_t count, bool written = true)
{
    float *made = nullptr;
    if (cudaMalloc(&made, count * sizeof(float)) != cudaSuccess) std::exit(1);
    if (written) cudaMemset(made, 0, count * sizeof(float));
    return made;
}

static void run(const char *name)
{
    auto is = [name](const char *other) { return std::strcmp(name, other) == 0; };
    const size_t all = size_t(SIDE) * SIDE;
    dim3 square(TILE, TILE), tiles(SIDE / TILE, SIDE / TILE);
    if (is("transpose_conflicts"))
        transpose_conflicts<<<tiles, square>>>(buffer(all), buffer(all));
    if (is("transpose_padded"))
        transpose_padded<<<tiles, square>>>(buffer(all), buffer(all));
    if (is("transpose_naive"))
        transpose_naive<<<tiles, square>>>(buffer(all), buffer(all));
    if (is("rows_by_thread"))
        rows_by_thread<<<SIDE / 256, 256>>>(buffer(SIDE), buffer(all));
    if (is("mirror_no_barrier"))
        mirror_no_barrier<<<4, 256>>>(buffer(1024), buffer(1024));
    if (is("mirror"))
        mirror<<<4, 256>>>(buffer(1024), buffer(1024));
    if (is("sums_no_second_barrier"))
        sums_no_second_barrier<<<1, 256>>>(buffer(256), buffer(1024), 4);
    if (is("barrier_in_branch"))
        barrier_in_branch<<<1, 128>>>(buffer(128), buffer(128));
    if (is("beyond_shared"))
        beyond_shared<<<1, 128>>>(buffer(128), buffer(128));
    if (is("beyond_global"))
        beyond_global<<<4, 256>>>(buffer(4096), buffer(4096));
    if (is("misaligned_vector"))
        misaligned_vector<<<1, 32>>>(buffer(32), buffer(256));
    if (is("never_written"))
        never_written<<<4, 256>>>(buffer(1024), buffer(1024, false));
    if (is("one_counter"))
        one_counter<<<4096, 256>>>((int *)buffer(1), buffer(all));
    if (is("histogram"))
        histogram<<<4096, 256>>>((int *)buffer(64), (int *)buffer(all));
    std::printf("%s: %s\n", name, cudaGetErrorString(cudaDeviceSynchronize()));
}

int main(int count, char **names)
{
    for (int number = 1; number < count; ++number)
        run(names[number]);
    return 0;
}
