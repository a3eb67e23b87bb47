// Kernels with one thing that costs time, and the same with the change that warplint advises.
// nvcc -O3 -arch=sm_90 -o pairs pairs.cu && ./pairs > pairs.csv
#include "timing.cuh"

constexpr int SIDE = 4096;
constexpr int COUNT = 1 << 23;

// ---- a tile that is read along its columns ------------------------------------------------------

__global__ void transpose_tile_before(const float *in, float *out)
{
    __shared__ float tile[32][32];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * SIDE + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    out[y * SIDE + x] = tile[threadIdx.x][threadIdx.y];
}

__global__ void transpose_tile_after(const float *in, float *out)
{
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * SIDE + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    out[y * SIDE + x] = tile[threadIdx.x][threadIdx.y];
}

__global__ void transpose_doubles_before(const double *in, double *out)
{
    __shared__ double tile[16][16];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * SIDE + x];
    __syncthreads();
    x = blockIdx.y * 16 + threadIdx.x;
    y = blockIdx.x * 16 + threadIdx.y;
    out[y * SIDE + x] = tile[threadIdx.x][threadIdx.y];
}

__global__ void transpose_doubles_after(const double *in, double *out)
{
    __shared__ double tile[16][17];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * SIDE + x];
    __syncthreads();
    x = blockIdx.y * 16 + threadIdx.x;
    y = blockIdx.x * 16 + threadIdx.y;
    out[y * SIDE + x] = tile[threadIdx.x][threadIdx.y];
}

// ---- threads that each go along a row of a shared array -----------------------------------------

__global__ void row_maxima_before(const float *in, float *out)
{
    __shared__ float rows[64][64];
    const float *mine = in + blockIdx.x * 64 * 64;
    for (int i = threadIdx.x; i < 64 * 64; i += 64)
        rows[i / 64][i % 64] = mine[i];
    __syncthreads();
    float largest = rows[threadIdx.x][0];
    for (int i = 1; i < 64; ++i)
        largest = fmaxf(largest, rows[threadIdx.x][i]);
    out[blockIdx.x * 64 + threadIdx.x] = largest;
}

__global__ void row_maxima_after(const float *in, float *out)
{
    __shared__ float rows[64][65];
    const float *mine = in + blockIdx.x * 64 * 64;
    for (int i = threadIdx.x; i < 64 * 64; i += 64)
        rows[i / 64][i % 64] = mine[i];
    __syncthreads();
    float largest = rows[threadIdx.x][0];
    for (int i = 1; i < 64; ++i)
        largest = fmaxf(largest, rows[threadIdx.x][i]);
    out[blockIdx.x * 64 + threadIdx.x] = largest;
}

// ---- complex numbers side by side in shared memory ----------------------------------------------

__global__ void rotate_phases_before(const float *in, float *out)
{
    __shared__ float both[2 * 256];
    int i = blockIdx.x * 256 + threadIdx.x;
    both[2 * threadIdx.x] = in[i];
    both[2 * threadIdx.x + 1] = in[i + COUNT];
    __syncthreads();
    float sum = 0;
    for (int step = 0; step < 64; ++step) {
        int other = (threadIdx.x + step) % 256;
        sum += both[2 * other] * 0.5f - sum * both[2 * other + 1] * 0.001f;
    }
    out[i] = sum;
}

__global__ void rotate_phases_after(const float *in, float *out)
{
    __shared__ float real[256], imaginary[256];
    int i = blockIdx.x * 256 + threadIdx.x;
    real[threadIdx.x] = in[i];
    imaginary[threadIdx.x] = in[i + COUNT];
    __syncthreads();
    float sum = 0;
    for (int step = 0; step < 64; ++step) {
        int other = (threadIdx.x + step) % 256;
        sum += real[other] * 0.5f - sum * imaginary[other] * 0.001f;
    }
    out[i] = sum;
}

// ---- a product of matrices whose tile is stored, or read, along a column ------------------------

__global__ void product_read_before(const float *a, const float *b, float *c, int n)
{
    __shared__ float left[32][32], right[32][32];
    int row = blockIdx.y * 32 + threadIdx.y, column = blockIdx.x * 32 + threadIdx.x;
    float sum = 0;
    for (int start = 0; start < n; start += 32) {
        left[threadIdx.y][threadIdx.x] = a[row * n + start + threadIdx.x];
        right[threadIdx.x][threadIdx.y] = b[(start + threadIdx.y) * n + column];
        __syncthreads();
        for (int k = 0; k < 32; ++k)
            sum += left[threadIdx.y][k] * right[threadIdx.x][k];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

__global__ void product_read_after(const float *a, const float *b, float *c, int n)
{
    __shared__ float left[32][32], right[32][33];
    int row = blockIdx.y * 32 + threadIdx.y, column = blockIdx.x * 32 + threadIdx.x;
    float sum = 0;
    for (int start = 0; start < n; start += 32) {
        left[threadIdx.y][threadIdx.x] = a[row * n + start + threadIdx.x];
        right[threadIdx.x][threadIdx.y] = b[(start + threadIdx.y) * n + column];
        __syncthreads();
        for (int k = 0; k < 32; ++k)
            sum += left[threadIdx.y][k] * right[threadIdx.x][k];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

__global__ void product_store_before(const float *a, const float *b, float *c, int n)
{
    __shared__ float left[32][32], right[32][32];
    int row = blockIdx.y * 32 + threadIdx.y, column = blockIdx.x * 32 + threadIdx.x;
    float sum = 0;
    for (int start = 0; start < n; start += 32) {
        left[threadIdx.x][threadIdx.y] = a[row * n + start + threadIdx.x];
        right[threadIdx.y][threadIdx.x] = b[(start + threadIdx.y) * n + column];
        __syncthreads();
        for (int k = 0; k < 32; ++k)
            sum += left[k][threadIdx.y] * right[k][threadIdx.x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

__global__ void product_store_after(const float *a, const float *b, float *c, int n)
{
    __shared__ float left[32][33], right[32][32];
    int row = blockIdx.y * 32 + threadIdx.y, column = blockIdx.x * 32 + threadIdx.x;
    float sum = 0;
    for (int start = 0; start < n; start += 32) {
        left[threadIdx.x][threadIdx.y] = a[row * n + start + threadIdx.x];
        right[threadIdx.y][threadIdx.x] = b[(start + threadIdx.y) * n + column];
        __syncthreads();
        for (int k = 0; k < 32; ++k)
            sum += left[k][threadIdx.y] * right[k][threadIdx.x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

// ---- structures of which little is used ---------------------------------------------------------

struct Particle {
    float x, y, z, mass, vx, vy, vz, charge;
};

__global__ void kinetic_before(const Particle *particles, float *energy)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    energy[i] = 0.5f * particles[i].mass * particles[i].vx * particles[i].vx;
}

__global__ void kinetic_after(const float *mass, const float *vx, float *energy)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    energy[i] = 0.5f * mass[i] * vx[i] * vx[i];
}

__global__ void red_before(const unsigned char *image, unsigned char *red)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    red[i] = image[3 * i];
}

__global__ void red_after(const unsigned char *planes, unsigned char *red)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    red[i] = planes[i];
}

// ---- lanes along the rows of a matrix -----------------------------------------------------------

__global__ void scale_before(const float *in, float *out)
{
    int row = blockIdx.x * 32 + threadIdx.x, column = blockIdx.y * 8 + threadIdx.y;
    out[row * SIDE + column] = 2 * in[row * SIDE + column];
}

__global__ void scale_after(const float *in, float *out)
{
    int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
    out[row * SIDE + column] = 2 * in[row * SIDE + column];
}

__global__ void row_sums_before(const float *in, float *out)
{
    int row = blockIdx.x * 128 + threadIdx.x;
    float sum = 0;
    for (int i = 0; i < SIDE; ++i)
        sum += in[row * SIDE + i];
    out[row] = sum;
}

__global__ void row_sums_after(const float *in, float *out)
{
    int row = blockIdx.x * 4 + threadIdx.x / 32;
    float sum = 0;
    for (int i = threadIdx.x % 32; i < SIDE; i += 32)
        sum += in[row * SIDE + i];
    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, distance);
    if (threadIdx.x % 32 == 0)
        out[row] = sum;
}

__global__ void product_with_vector_before(const float *matrix, const float *vector, float *out)
{
    int row = blockIdx.x * 128 + threadIdx.x;
    float sum = 0;
    for (int i = 0; i < SIDE; ++i)
        sum += matrix[row * SIDE + i] * vector[i];
    out[row] = sum;
}

__global__ void product_with_vector_after(const float *transposed, const float *vector, float *out)
{
    int row = blockIdx.x * 128 + threadIdx.x;
    float sum = 0;
    for (int i = 0; i < SIDE; ++i)
        sum += transposed[i * SIDE + row] * vector[i];
    out[row] = sum;
}

// ---- a table in constant memory, read at another place by each lane -----------------------------

__constant__ float table[1024];

__global__ void look_up_before(const float *in, float *out)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    float sum = in[i];
    for (int step = 0; step < 16; ++step)
        sum += table[(threadIdx.x * 3 + step) % 1024];
    out[i] = sum;
}

__global__ void look_up_after(const float *in, const float *entries, float *out)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    float sum = in[i];
    for (int step = 0; step < 16; ++step)
        sum += entries[(threadIdx.x * 3 + step) % 1024];
    out[i] = sum;
}

int main()
{
    float *in = numbers<float>(SIDE * SIDE), *out = room<float>(SIDE * SIDE);
    dim3 square(32, 32), tiles(SIDE / 32, SIDE / 32);
    pair("transpose_tile", out, SIDE * SIDE,
         [&] { transpose_tile_before<<<dim3(128, 128), dim3(32, 32)>>>(in, out); },
         [&] { transpose_tile_after<<<dim3(128, 128), dim3(32, 32)>>>(in, out); });
    double *wide = numbers<double>(SIDE * SIDE), *wide_out = room<double>(SIDE * SIDE);
    pair("transpose_doubles", wide_out, SIDE * SIDE,
         [&] { transpose_doubles_before<<<dim3(256, 256), dim3(16, 16)>>>(wide, wide_out); },
         [&] { transpose_doubles_after<<<dim3(256, 256), dim3(16, 16)>>>(wide, wide_out); });
    pair("row_maxima", out, 4096 * 64, [&] { row_maxima_before<<<4096, 64>>>(in, out); },
         [&] { row_maxima_after<<<4096, 64>>>(in, out); });
    pair("rotate_phases", out, COUNT, [&] { rotate_phases_before<<<32768, 256>>>(in, out); },
         [&] { rotate_phases_after<<<32768, 256>>>(in, out); });
    pair("product_read", out, 1024 * 1024,
         [&] { product_read_before<<<dim3(32, 32), dim3(32, 32)>>>(in, in, out, 1024); },
         [&] { product_read_after<<<dim3(32, 32), dim3(32, 32)>>>(in, in, out, 1024); });
    pair("product_store", out, 1024 * 1024,
         [&] { product_store_before<<<dim3(32, 32), dim3(32, 32)>>>(in, in, out, 1024); },
         [&] { product_store_after<<<dim3(32, 32), dim3(32, 32)>>>(in, in, out, 1024); });

    std::vector<Particle> particles(COUNT);
    std::vector<float> masses(COUNT), speeds(COUNT);
    for (int i = 0; i < COUNT; ++i) {
        particles[i].mass = masses[i] = i % 100;
        particles[i].vx = speeds[i] = i % 77;
    }
    Particle *all = room<Particle>(COUNT);
    float *mass = room<float>(COUNT), *vx = room<float>(COUNT);
    CHECK(cudaMemcpy(all, particles.data(), COUNT * sizeof(Particle), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(mass, masses.data(), COUNT * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(vx, speeds.data(), COUNT * sizeof(float), cudaMemcpyHostToDevice));
    pair("kinetic", out, COUNT, [&] { kinetic_before<<<32768, 256>>>(all, out); },
         [&] { kinetic_after<<<32768, 256>>>(mass, vx, out); });

    std::vector<unsigned char> image(3 * COUNT), plane(COUNT);
    for (int i = 0; i < COUNT; ++i)
        image[3 * i] = plane[i] = i * 7 % 251;
    unsigned char *pixels = room<unsigned char>(3 * COUNT), *reds = room<unsigned char>(COUNT);
    unsigned char *red = room<unsigned char>(COUNT);
    CHECK(cudaMemcpy(pixels, image.data(), 3 * COUNT, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(reds, plane.data(), COUNT, cudaMemcpyHostToDevice));
    pair("red", red, COUNT, [&] { red_before<<<32768, 256>>>(pixels, red); },
         [&] { red_after<<<32768, 256>>>(reds, red); });

    pair("scale", out, SIDE * SIDE,
         [&] { scale_before<<<dim3(128, 512), dim3(32, 8)>>>(in, out); },
         [&] { scale_after<<<dim3(128, 512), dim3(32, 8)>>>(in, out); });
    pair("row_sums", out, SIDE, [&] { row_sums_before<<<32, 128>>>(in, out); },
         [&] { row_sums_after<<<1024, 128>>>(in, out); });
    float *transposed = room<float>(SIDE * SIDE);
    transpose_tile_after<<<tiles, square>>>(in, transposed);
    pair("product_with_vector", out, SIDE,
         [&] { product_with_vector_before<<<32, 128>>>(in, in, out); },
         [&] { product_with_vector_after<<<32, 128>>>(transposed, in, out); });

    CHECK(cudaMemcpyToSymbol(table, in, sizeof(table), 0, cudaMemcpyDeviceToDevice));
    pair("look_up", out, COUNT, [&] { look_up_before<<<32768, 256>>>(in, out); },
         [&] { look_up_after<<<32768, 256>>>(in, in, out); });
    return 0;
}
