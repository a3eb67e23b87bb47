// What ptxas 13.0 for sm_90 makes of neighbouring accesses: the width in bytes of the instruction
// that reaches the hardware.

// block 64
__global__ void pairs(int *p) {
    __shared__ int s[128];
    int t = threadIdx.x;
    s[2 * t] = 1;     // store 8
    s[2 * t + 1] = 2; // store 8
    __syncthreads();
    int x = s[2 * t];     // load 8
    int y = s[2 * t + 1]; // load 8
    p[t] = x + y;
}

// block 64
__global__ void dynamic_pairs(int *p) {
    extern __shared__ int s[];
    int t = threadIdx.x;
    s[2 * t] = 1;     // store 8
    s[2 * t + 1] = 2; // store 8
}

struct Mixed {
    float value;
    int key;
};

struct Four {
    float x, y, z, w;
};

struct Three {
    float x, y, z;
};

// block 64
__global__ void structs(float *p) {
    __shared__ Mixed mixed[64];
    __shared__ Four four[64];
    __shared__ Three three[64];
    int t = threadIdx.x;
    mixed[t].value = 1; // store 8
    mixed[t].key = 2;   // store 8
    four[t].x = 1;      // store 16
    four[t].y = 2;      // store 16
    four[t].z = 3;      // store 16
    four[t].w = 4;      // store 16
    three[t].x = 1;     // store 4
    three[t].y = 2;     // store 4
    three[t].z = 3;     // store 4
}

// block 32
__global__ void row_walk(float *p) {
    __shared__ float t[32][32];
    float sum = 0;
    for (int k = 0; k < 32; ++k)
        sum += t[threadIdx.x][k]; // load 16
    p[threadIdx.x] = sum;
}

// block 32
__global__ void odd_row_walk(float *p) {
    __shared__ float t[32][33];
    float sum = 0;
    for (int k = 0; k < 32; ++k)
        sum += t[threadIdx.x][k]; // load 4
    p[threadIdx.x] = sum;
}

// block 64
__global__ void shorts(short *p) {
    __shared__ short s[128];
    int t = threadIdx.x;
    s[2 * t] = 1;     // store 4
    s[2 * t + 1] = 2; // store 4
}

// block 16x16
__global__ void product(float *p) {
    __shared__ float a[16][16], b[16][16];
    float sum = 0;
    for (int k = 0; k < 16; ++k) {
        float left = a[threadIdx.y][k];  // load 16
        float right = b[k][threadIdx.x]; // load 4
        sum += left * right;
    }
    p[threadIdx.x] = sum;
}

// block 64
__global__ void alone(int *p) {
    __shared__ int s[128];
    p[0] = s[2 * threadIdx.x]; // load 4
}

// A barrier between them, a volatile array, a distance that is no multiple: nothing merges.
// block 64
__global__ void apart(int *p) {
    __shared__ int s[256];
    __shared__ volatile int v[128];
    int t = threadIdx.x;
    s[2 * t] = 1; // store 4
    __syncthreads();
    s[2 * t + 1] = 2; // store 4
    v[2 * t] = 1;     // store 4
    v[2 * t + 1] = 2; // store 4
    s[3 * t] = 1;     // store 4
    s[3 * t + 1] = 2; // store 4
}

// Two words that straddle an aligned pair stay two.
// block 64
__global__ void straddling(int *p) {
    __shared__ int s[256];
    int t = threadIdx.x;
    s[2 * t + 1] = 1; // store 4
    s[2 * t + 2] = 2; // store 4
}

// What stands between two neighbours. Each line was read from the machine code of nvcc 13.0 for sm_90.
__global__ void stores_with_something_between(float *out, float x, float y, int n) {
    __shared__ float a[256], b[256];
    const int t = threadIdx.x;
    a[2 * t] = x;                                   // store 4
    b[2 * t] = y;                                   // store 4
    a[2 * t + 1] = y;                               // store 4
    b[2 * t + 1] = x;                               // store 4
    __syncthreads();
    a[2 * t] = x;                                   // store 4
    a[2 * t + 32] = y;                              // store 4
    a[2 * t + 1] = y;                               // store 4
    __syncthreads();
    a[2 * t] = x;                                   // store 4
    b[n] = y;                                       // store 4
    a[2 * t + 1] = y;                               // store 4
    __syncthreads();
    a[2 * t] = x;                                   // store 4
    out[t + 512] = b[t];                            // load 4
    a[2 * t + 1] = y;                               // store 4
    __syncthreads();
    a[2 * t] = x;                                   // store 8
    out[t + 256] = out[t + 77];
    a[2 * t + 1] = y;                               // store 8
    __syncthreads();
    out[t] = a[255 - t] + b[t];
}

__global__ void loads_with_something_between(float *out, float x) {
    __shared__ float a[256], b[256];
    const int t = threadIdx.x;
    a[t] = out[t];                                  // store 4
    b[t] = out[t + 1];                              // store 4
    __syncthreads();
    float u = a[2 * t];                             // load 4
    b[t] = x;                                       // store 4
    float v = a[2 * t + 1];                         // load 4
    __syncthreads();
    float w = a[2 * t];                             // load 8
    out[t + 512] = b[t + 3] * x;                    // load 4
    float z = a[2 * t + 1];                         // load 8
    out[t] = u * v + w * z;
}

// The order of stores matters, unless the array is declared with the alignment of the vector.
// block 64
__global__ void orders(float *out, float x, float y, float z, float w) {
    __shared__ float a[512];
    __shared__ __align__(16) float b[2048];
    const int t = threadIdx.x;
    a[8 * t] = x;                                   // store 4
    a[8 * t + 2] = y;                               // store 4
    a[8 * t + 4] = z;                               // store 4
    a[8 * t + 6] = w;                               // store 4
    a[8 * t + 1] = y;                               // store 4
    a[8 * t + 3] = z;                               // store 4
    a[8 * t + 5] = w;                               // store 4
    a[8 * t + 7] = x;                               // store 4
    __syncthreads();
    a[8 * t] = x;                                   // store 16
    a[8 * t + 1] = y;                               // store 16
    a[8 * t + 2] = z;                               // store 16
    a[8 * t + 3] = w;                               // store 16
    __syncthreads();
    b[8 * t] = x;                                   // store 16
    b[8 * t + 2] = y;                               // store 16
    b[8 * t + 4] = w;                               // store 8
    b[8 * t + 1] = z;                               // store 16
    b[8 * t + 5] = w;                               // store 8
    b[8 * t + 3] = w;                               // store 16
    __syncthreads();
    out[t] = a[511 - t] + b[t];
}

// A loop around one of which nothing is left, and what pragmas make of it.
// block 256
__global__ void nested(const float *in, float *out) {
    __shared__ __align__(16) float a[2048];
    for (int i = threadIdx.x; i < 2048; i += 256) a[i] = in[i];
    __syncthreads();
    float sums[8] = {}, more[16] = {};
    const int row = threadIdx.x / 16 * 8;
    for (int e = 0; e < 8; ++e)
        for (int i = 0; i < 8; ++i)
            sums[i] += a[(row + i) * 8 + e] * in[e];    // load 16
    for (int e = 0; e < 8; ++e)
        #pragma unroll
        for (int i = 0; i < 16; ++i)
            more[i] += a[(row + i) * 8 + e] * in[e];    // load 16
    #pragma unroll 2
    for (int e = 0; e < 8; ++e)
        #pragma unroll
        for (int i = 0; i < 8; ++i)
            sums[i] += a[(row + i) * 8 + e] * in[e];    // load 8
    #pragma unroll 1
    for (int e = 0; e < 8; ++e)
        #pragma unroll
        for (int i = 0; i < 8; ++i)
            sums[i] += a[(row + i) * 8 + e] * in[e];    // load 4
    #pragma unroll
    for (int e = 0; e < 8; ++e)
        #pragma unroll 1
        for (int i = 0; i < 8; ++i)
            sums[i] += a[(row + i) * 8 + e] * in[e];    // load 4
    for (int i = 0; i < 8; ++i) out[threadIdx.x * 8 + i] = sums[i] + more[2 * i];
}
