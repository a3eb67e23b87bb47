// Straight-line index arithmetic: every operator, one to three dimensions, widths and conversions.

// run: block 64 grid 3 at 2 args * 150
__global__ void linear(int *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] = i;
}

// run: block 16x16 grid 2x2 at 1x1 args * 40 24
__global__ void matrix(int *p, int pitch, int rows) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < pitch && y < rows)
        p[y * pitch + x] = x;
}

// run: block 8x4x4 args * 7
__global__ void volume(int *p, int n) {
    __shared__ int box[4][4][9];
    box[threadIdx.z][threadIdx.y][threadIdx.x] = n;
    __syncthreads();
    p[(threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x] =
        box[threadIdx.y][threadIdx.z][threadIdx.x ^ 1];
}

// run: block 96 args *
__global__ void operators(int *p) {
    __shared__ int s[512];
    int t = threadIdx.x;
    s[t % 7] = 0;
    s[t / 3] = 1;
    s[t & 12] = 2;
    s[t ^ 5] = 3;
    s[t | 64] = 4;
    s[t << 2] = 5;
    s[t >> 1] = 6;
    s[95 - t] = 7;
    s[t * t % 101] = 8;
    s[~t & 127] = 9;
    __syncthreads();
    p[t] = s[t % 7] + s[t / 3] + s[t & 12];
}

// run: block 64 args *
__global__ void signedness(int *p) {
    int t = threadIdx.x;
    int below = t - 40;
    p[below / 7 + 10] = 0;
    p[below % 7 + 10] = 1;
    p[(below >> 2) + 10] = 2;
    p[(unsigned)below >> 27] = 3;
    p[(unsigned char)below] = 4;
    p[(signed char)(t * 5) + 128] = 5;
    p[(short)(t * 1000) / 100 + 400] = 6;
    p[below < 0 ? -below : below] = 7;
    p[abs(below)] = 8;
    p[max(below, 0)] = 9;
    p[min(t, 17)] = 10;
    p[(unsigned)t < (unsigned)below ? 1 : 2] = 11;
}

// run: block 64 args * 3
// run: block 64 args * 0
__global__ void ternaries(int *p, int n) {
    int t = threadIdx.x;
    int a = t < 20 ? t * 2 : t + 100;
    int b = (t & 1) ? a : n;
    p[a] = 0;
    p[b] = 1;
    p[n > 2 ? t : 63 - t] = 2;
}

// run: block 64 args * 5 1000
__global__ void symbols(int *p, int n, unsigned m) {
    unsigned t = threadIdx.x;
    p[n * 32 + t] = 0;
    p[n * t] = 1;
    p[(m * 32 + t) % 32] = 2;
    p[(m * 64 + t) / 32] = 3;
    p[(m * 64 + t) & 31] = 4;
    p[(m << 6 | t) >> 3] = 5;
    p[(m * 64 + t * 2) ^ 1] = 6;
    p[t + (n - n)] = 7;
    p[(t + m) % 16] = 8;
    p[min(t, m)] = 9;
}

// run: block 64 args * 1
// run: block 64 args * 9
__global__ void negative_symbols(int *p, int n) {
    int t = threadIdx.x;
    p[(t - 32 * n) % 32 + 32] = 0;
    p[(t - 32 * n) / 32 + 300] = 1;
    p[(t - 32 * n) & 31] = 2;
    p[((t - 32 * n) >> 5) + 300] = 3;
    p[300 - n * 4 + t] = 4;
}

// run: block 64 grid 4 at 3 args * 7
__global__ void widths(char *p, long long n) {
    long long t = threadIdx.x;
    p[t * n] = 0;
    p[(int)t + (int)n] = 1;
    p[(size_t)blockIdx.x * blockDim.x + threadIdx.x] = 2;
    *(short *)(p + 2 * t) = 3;
    ((int *)p)[t] = 4;
    ((double *)p)[t + 1] = 5;
    reinterpret_cast<float *>(p)[63 - t] = 6;
}

// run: block 32x8 args *
// run: block 16x4 args *
// run: block 48 args *
__global__ void linear_thread(int *p) {
    int rank = threadIdx.y * blockDim.x + threadIdx.x;
    int lane = rank % 32;
    int warp = rank / 32;
    __shared__ int partial[32];
    if (lane == 0)
        partial[warp] = rank;
    __syncthreads();
    p[rank] = partial[lane & 7];
}

// The PTX of it complements the index: n + ~i.
// run: block 64 grid 2 at 1 args * * 100
__global__ void from_the_end(int *out, const int *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[n - 1 - i] = in[i];
}

// run: block 64 args * 7
__global__ void complemented(int *out, int n)
{
    out[~(int)threadIdx.x + 64] = ~n;
}
