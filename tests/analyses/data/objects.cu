// What addresses are made of: structs, vectors, arrays, references, functions, lambdas, templates.
#define SQUARE 8
#define AT(a, i, j) (a)[(i) * SQUARE + (j)]
#define EACH(i, n) for (int i = threadIdx.x; i < (n); i += blockDim.x)

struct Point {
    char tag;
    double weight;
    short id[3];
    float x, y;
};

struct alignas(16) Pair {
    float value;
    int key;
};

union Word {
    float f;
    int i;
    unsigned char bytes[4];
};

// run: block 64 args *
__global__ void structs(Point *p) {
    __shared__ Point s[64];
    __shared__ Pair pairs[64];
    __shared__ Word words[64];
    int t = threadIdx.x;
    s[t].tag = 1;
    s[t].weight = 2;
    s[t].id[t % 3] = 3;
    s[63 - t].y = 4;
    pairs[t].key = 5;
    words[t].bytes[t & 3] = 6;
    words[t].i = 7;
    __syncthreads();
    p[t].x = s[t].y;
    Point *q = &p[t];
    q->id[2] = pairs[t].key;
    (q + 1)->tag = words[t ^ 1].bytes[1];
}

// run: block 64 args * *
__global__ void vectors(float4 *p, int2 *q) {
    __shared__ float4 s[8][9];
    int t = threadIdx.x;
    float4 v = p[t];
    s[t / 8][t % 8] = v;
    __syncthreads();
    float4 w = s[t % 8][t / 8];
    p[t] = w;
    s[t % 8][t / 8].z = 1;
    q[t] = make_int2(t, t);
    q[t].y = 3;
    reinterpret_cast<float *>(p)[t] = w.x;
    *reinterpret_cast<float2 *>(&s[t / 8][t % 8].z) = make_float2(1, 2);
}

// run: block 32x4 args *
__global__ void tiles(float *p) {
    __shared__ float tile[32][33];
    __shared__ float cube[4][8][5];
    for (int i = 0; i < 32; i += 4)
        tile[threadIdx.y + i][threadIdx.x] = p[(threadIdx.y + i) * 32 + threadIdx.x];
    __syncthreads();
    for (int i = 0; i < 32; i += 4)
        p[(threadIdx.y + i) * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y + i];
    cube[threadIdx.y][threadIdx.x % 8][threadIdx.x / 8] = 1;
    float(*plane)[5] = cube[threadIdx.y];
    plane[threadIdx.x % 8][4] = 2;
}

// run: block 64 args * 32
__global__ void carved(float *p, int n) {
    extern __shared__ char raw[];
    float *first = (float *)raw;
    double *second = (double *)(first + n);
    short *third = (short *)&second[64];
    int t = threadIdx.x;
    first[t % n] = 1;
    second[t] = 2;
    third[63 - t] = 3;
    __syncthreads();
    p[t] = first[t & 31] + second[t ^ 1] + third[t];
}

__device__ int mapped(int i, int n) { return (i * 5 + n) % 64; }

__device__ void store(int *where, int value) { *where = value; }

__device__ int &element(int *p, int i) { return p[i + 1]; }

__device__ int picked(int i) {
    if (i < 10)
        return i * 2;
    if (i < 20)
        return i + 30;
    return i;
}

// run: block 64 args * 2
__global__ void functions(int *p, int n) {
    int t = threadIdx.x;
    p[mapped(t, 3)] = 0;
    store(p + t, 1);
    store(&p[t * 2], 2);
    element(p, t) = 3;
    p[picked(t)] = 4;
    p[picked(picked(t) % 16)] = 5;
}

// run: block 64 args * 2
__global__ void lambdas(int *p, int n) {
    int t = threadIdx.x;
    auto index = [&](int i) { return i * 2 + t; };
    auto put = [=](int i, int v) { p[i] = v; };
    p[index(3)] = 0;
    put(t + n, 1);
    put(index(t), 2);
}

// run: block 64 args * 2
__global__ void references(int *p, int n) {
    __shared__ int s[64];
    int t = threadIdx.x;
    int &mine = s[t];
    mine = 1;
    int i = t;
    int &j = i;
    j += 3;
    p[i] = 2;
    int *q = p + t;
    q += 4;
    *q++ = 3;
    *q = 4;
    *--q = 5;
    q[-2] = 6;
    p[&s[t] - s] = 7;
    const int(&whole)[64] = s;
    p[t] = whole[63 - t];
}

// run: block 64 args *
__global__ void macros(int *p) {
    __shared__ int s[SQUARE * SQUARE];
    int i = threadIdx.x / SQUARE, j = threadIdx.x % SQUARE;
    AT(s, i, j) = 1;
    __syncthreads();
    AT(p, i, j) = AT(s, j, i);
    EACH(k, 150) p[k] = k;
}

// run: block 256 args *
template <int PITCH, typename T> __global__ void pitched(T *p) {
    __shared__ T s[16 * PITCH];
    int t = threadIdx.x;
    s[t / 16 * PITCH + t % 16] = 1;
    __syncthreads();
    p[t] = s[t % 16 * PITCH + t / 16];
}

void launch_all(float *p) { pitched<17, float><<<1, 256>>>(p); }

// run: block 64 args * 11 13
__global__ void local_memory(int *p, int n, int m) {
    int l[8];
    int t = threadIdx.x;
    for (int i = 0; i < 8; ++i)
        l[(i + t) & 7] = i;
    int *q = &l[t & 3];
    q[2] = n;
    p[t] = l[(t + m) & 7];
}

__constant__ int table[16];
__device__ int counters[4];

// run: block 64 args *
__global__ void file_scope(int *p) {
    int t = threadIdx.x;
    p[t] = table[t & 15] + table[3];
    atomicAdd(&counters[t % 4], 1);
    atomicCAS(counters + (t & 1), 0, t);
}

enum { ROWS = 4, COLUMNS = ROWS * 3 };
__host__ __device__ constexpr int twice(int x) { return 2 * x; }
constexpr unsigned MASK = ~0u;

// run: block 48 args *
__global__ void constants(int *p) {
    __shared__ int s[ROWS][COLUMNS];
    constexpr int half = sizeof(s) / sizeof(s[0][0]) / 2;
    unsigned t = threadIdx.x;
    s[t / COLUMNS][t % COLUMNS] = 1;
    if (t < half)
        p[twice(t)] = s[t % ROWS][0];
    if (t < MASK)
        p[t + (MASK & 7)] = 2;
    if (t < 010 + 0x10 + 0b11)
        p[t] = 'a';
}
