// Kernels in styles that differ from each other: each is launched once by main, in this order.
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>

#include <cstdio>

#define CHECK(call) do { if ((call) != cudaSuccess) { std::printf("failed: %s\n", #call); return 1; } } while (0)
#define AT(matrix, row, column, pitch) (matrix)[(row) * (pitch) + (column)]

constexpr int kSide = 32;

// ---- structs -------------------------------------------------------------------------------------

struct Particle { float x, y, z, mass; };
struct Triple { float a, b, c; };
struct Mixed { double weight; int key; short kind; char flag; };
struct Columns { float *x; float *y; float *z; };

__global__ void drift(Particle *particles, float step, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    Particle p = particles[i];
    p.x += step * p.mass;
    p.y -= step * p.mass;
    particles[i] = p;
}

__global__ void heights(const Particle *particles, float *out)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = particles[i].z;
}

__global__ void triples(const Triple *in, float *out)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const Triple t = in[i];
    out[i] = t.a * t.b + t.c;
}

__global__ void columns(Columns c, const Mixed *mixed)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    c.x[i] = c.y[i] + static_cast<float>(mixed[i].weight);
    c.z[i] = static_cast<float>(mixed[i].key + mixed[i].flag);
}

// ---- blocks with three axes ------------------------------------------------------------------------

__global__ void box_rotate(const int *in, int *out)
{
    __shared__ int box[4][8][8];
    const int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
    const int flat = (z * blockDim.y + y) * blockDim.x + x;
    const int base = blockIdx.x * blockDim.x * blockDim.y * blockDim.z;
    box[z][y][x] = in[base + flat];
    __syncthreads();
    out[base + flat] = box[z][x][y] + box[(z + 1) % 4][y][7 - x];
}

// ---- class templates and member functions ---------------------------------------------------------

template <typename T, int ROWS, int COLUMNS, int PAD = 0>
class Tile {
public:
    __device__ T &operator()(int row, int column) { return cells_[row * (COLUMNS + PAD) + column]; }
    __device__ T get(int row, int column) const { return cells_[row * (COLUMNS + PAD) + column]; }
    __device__ static constexpr int pitch() { return COLUMNS + PAD; }

private:
    T cells_[ROWS * (COLUMNS + PAD)];
};

template <typename T, int PAD>
__global__ void turn(const T *in, T *out, int width)
{
    __shared__ Tile<T, 16, 16, PAD> tile;
    const int column = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    tile(threadIdx.y, threadIdx.x) = in[row * width + column];
    __syncthreads();
    const int to_column = blockIdx.y * 16 + threadIdx.x, to_row = blockIdx.x * 16 + threadIdx.y;
    out[to_row * width + to_column] = tile.get(threadIdx.x, threadIdx.y);
}

// ---- macros, narrow and wide types ------------------------------------------------------------------

__global__ void halves(const __half2 *in, __half2 *out, int pitch)
{
    __shared__ __half2 rows[16 * 33];
    const int lane = threadIdx.x, row = threadIdx.y;
    AT(rows, row, lane, 33) = AT(in, row, lane, pitch);
    __syncthreads();
    AT(out, lane % 16, row * 2 + lane / 16, 32) = AT(rows, lane % 16, row * 2 + lane / 16, 33);
}

__global__ void pixels(const uchar4 *in, unsigned char *out)
{
    __shared__ unsigned char planes[4][256];
    const int t = threadIdx.x;
    const uchar4 pixel = in[blockIdx.x * 256 + t];
    planes[0][t] = pixel.x;
    planes[1][t] = pixel.y;
    planes[2][t] = pixel.z;
    planes[3][t] = pixel.w;
    __syncthreads();
    for (int plane = 0; plane < 4; plane++)
        out[plane * 4096 + blockIdx.x * 256 + t] = planes[plane][255 - t];
}

__global__ void doubles(const double *in, double *out)
{
    __shared__ double values[256 + 8];
    const unsigned t = threadIdx.x;
    values[t + t / 32] = in[blockIdx.x * 256 + t];
    __syncthreads();
    const unsigned from = (t * 8) % 256 + t / 32;
    out[blockIdx.x * 256 + t] = values[from + from / 32];
}

// ---- loops --------------------------------------------------------------------------------------------

__global__ void every_third(const float *in, float *out, int count)
{
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += 3 * gridDim.x * blockDim.x)
        sum += in[i];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void halving(const float *in, float *out)
{
    __shared__ float sums[512];
    const unsigned t = threadIdx.x;
    sums[t] = in[blockIdx.x * 512 + t];
    for (unsigned width = 512 / 2; width != 0; width >>= 1) {
        __syncthreads();
        if (t >= width) continue;
        sums[t] += sums[t + width];
    }
    if (t == 0) out[blockIdx.x] = sums[0];
}

__global__ void doubling(const int *in, int *out)
{
    __shared__ int sums[128];
    const int t = threadIdx.x;
    sums[t] = in[t];
    __syncthreads();
    int reach = 1;
    while (reach < 128) {
        const int index = (t + 1) * reach * 2 - 1;
        if (index < 128) sums[index] += sums[index - reach];
        reach *= 2;
        __syncthreads();
    }
    out[t] = sums[t];
}

// ---- partial warps and early ends -----------------------------------------------------------------------

__global__ void odd_block(const float *in, float *out, int columns)
{
    __shared__ float line[72];
    const int t = threadIdx.x;
    if (t < 4) line[t + 68] = 0;
    if (t < columns) line[t] = in[blockIdx.x * columns + t];
    __syncthreads();
    if (t % 3 != 0) return;
    out[blockIdx.x * columns + t / 3] = line[t] + line[t + 1] + line[t + 2];
}

// ---- dynamic shared memory, cut in pieces ---------------------------------------------------------------

__global__ void carved(const float *in, const short *keys, float *out)
{
    extern __shared__ __align__(16) unsigned char raw[];
    float *values = reinterpret_cast<float *>(raw);
    double *wide = reinterpret_cast<double *>(values + 128);
    short *small = reinterpret_cast<short *>(wide + 128);
    const int t = threadIdx.x;
    values[t] = in[t];
    wide[(t * 5) & 127] = in[t + 128];
    small[t ^ 1] = keys[t];
    __syncthreads();
    out[t] = values[(t * 4) % 128] + static_cast<float>(wide[t]) + small[127 - t];
}

// ---- swizzles and transposed tiles --------------------------------------------------------------------------

__global__ void swizzled(const float *in, float *out)
{
    __shared__ float tile[kSide][kSide];
    const int x = threadIdx.x;
    for (int y = threadIdx.y; y < kSide; y += 8) tile[y][x ^ y] = in[y * kSide + x];
    __syncthreads();
    for (int y = threadIdx.y; y < kSide; y += 8) out[y * kSide + x] = tile[x][y ^ x];
}

__global__ void swizzled_vectors(const float4 *in, float4 *out)
{
    __shared__ float4 tile[64];
    const int t = threadIdx.x, row = t / 8, column = t % 8;
    tile[row * 8 + (column ^ row)] = in[t];
    __syncthreads();
    out[t] = tile[column * 8 + (row ^ column)];
}

// ---- atomics ------------------------------------------------------------------------------------------------------

__global__ void ranks(const int *in, int *out, int *total)
{
    __shared__ int bins[64];
    __shared__ int highest;
    const int t = threadIdx.x;
    if (t < 64) bins[t] = 0;
    if (t == 0) highest = 0;
    __syncthreads();
    atomicAdd(&bins[t % 16], in[t]);
    atomicMax(&highest, in[t]);
    __syncthreads();
    if (t < 64) out[t] = bins[t];
    if (t < 1) atomicAdd(total, highest);
}

// ---- tensor cores -----------------------------------------------------------------------------------------------

__global__ void matrices(const __half *a, const __half *b, float *c)
{
    using namespace nvcuda;
    __shared__ __half left[16][24];
    __shared__ __half right[16][16];
    for (int i = threadIdx.x; i < 256; i += 32) {
        left[i / 16][i % 16] = a[i];
        right[i / 16][i % 16] = b[i];
    }
    __syncwarp();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::fill_fragment(fc, 0.0f);
    wmma::load_matrix_sync(fa, &left[0][0], 24);
    wmma::load_matrix_sync(fb, &right[0][0], 16);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}

// ---- asynchronous copies --------------------------------------------------------------------------------------------

__global__ void staged(const float4 *in, float *out)
{
    __shared__ float4 stage[2][64];
    const int t = threadIdx.x;
    __pipeline_memcpy_async(&stage[0][t], &in[t], sizeof(float4));
    __pipeline_commit();
    __pipeline_memcpy_async(&stage[1][t], &in[64 + t], sizeof(float4));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    const float *flat = reinterpret_cast<const float *>(&stage[0][0]);
    out[t] = flat[t * 8] + flat[511 - t];
}

// ---- device functions that take what they work on ---------------------------------------------------------------

__device__ __forceinline__ void stage_row(float *to, const float *from, int count)
{
    for (int i = threadIdx.x; i < count; i += blockDim.x) to[i] = from[i];
}

__device__ float gather(const float (&row)[96], int step)
{
    return row[(threadIdx.x * step) % 96];
}

__global__ void rows_of_three(const float *in, float *out)
{
    __shared__ float row[96];
    stage_row(row, in + blockIdx.x * 96, 96);
    __syncthreads();
    out[blockIdx.x * 32 + threadIdx.x] = gather(row, 3) + gather(row, 2) + gather(row, 6);
}

template <int K>
__global__ void blocked(const float *in, float *out)
{
    __shared__ float tile[128 * K];
    float mine[K];
#pragma unroll
    for (int k = 0; k < K; ++k) tile[k * 128 + threadIdx.x] = in[(blockIdx.x * K + k) * 128 + threadIdx.x];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < K; ++k) mine[k] = tile[threadIdx.x * K + k];
    float sum = 0;
#pragma unroll
    for (int k = 0; k < K; ++k) sum += mine[k] * mine[K - 1 - k];
    out[blockIdx.x * 128 + threadIdx.x] = sum;
}

int main()
{
    unsigned char *in, *out, *more;
    CHECK(cudaMalloc(&in, 1 << 21));
    CHECK(cudaMalloc(&out, 1 << 21));
    CHECK(cudaMalloc(&more, 1 << 21));
    CHECK(cudaMemset(in, 0, 1 << 21));
    float *fin = (float *)in, *fout = (float *)out, *fmore = (float *)more;
    drift<<<8, 128>>>((Particle *)out, 0.5f, 1000);
    heights<<<8, 128>>>((Particle *)in, fout);
    triples<<<8, 128>>>((Triple *)in, fout);
    columns<<<8, 128>>>(Columns{fout, fin, fmore}, (Mixed *)in);
    box_rotate<<<4, dim3(8, 8, 4)>>>((int *)in, (int *)out);
    const dim3 square(16, 16);
    turn<float, 0><<<dim3(4, 4), square>>>(fin, fout, 64);
    turn<double, 1><<<dim3(4, 4), square>>>((double *)in, (double *)out, 64);
    halves<<<1, dim3(32, 16)>>>((__half2 *)in, (__half2 *)out, 40);
    pixels<<<16, 256>>>((uchar4 *)in, out);
    doubles<<<4, 256>>>((double *)in, (double *)out);
    every_third<<<16, 96>>>(fin, fout, 10000);
    halving<<<16, 512>>>(fin, fout);
    doubling<<<1, 128>>>((int *)in, (int *)out);
    odd_block<<<5, 72>>>(fin, fout, 70);
    carved<<<1, 128, 128 * (sizeof(float) + sizeof(double) + sizeof(short))>>>(fin, (short *)more, fout);
    swizzled<<<1, dim3(32, 8)>>>(fin, fout);
    swizzled_vectors<<<1, 64>>>((float4 *)in, (float4 *)out);
    ranks<<<2, 128>>>((int *)in, (int *)out, (int *)more);
    matrices<<<1, 32>>>((__half *)in, (__half *)more, fout);
    staged<<<1, 64>>>((float4 *)in, fout);
    rows_of_three<<<4, 32>>>(fin, fout);
    blocked<4><<<2, 128>>>(fin, fout);
    blocked<3><<<2, 128>>>(fin, fout);
    CHECK(cudaDeviceSynchronize());
    return 0;
}
