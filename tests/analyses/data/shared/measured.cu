// Shared memory accesses and what one H200 counted for them: wavefronts of ideal wavefronts, on
// average over the warps of the block and the rounds of the loops.

// block 32x32
__global__ void column(float *p) {
    __shared__ float t[32][32];
    t[threadIdx.y][threadIdx.x] = p[threadIdx.x]; // store 1 of 1
    __syncthreads();
    p[threadIdx.x] = t[threadIdx.x][threadIdx.y]; // load 32 of 1
}

// block 32x32
__global__ void column_padded_by_1(float *p) {
    __shared__ float t[32][33];
    t[threadIdx.y][threadIdx.x] = p[threadIdx.x]; // store 1 of 1
    __syncthreads();
    p[threadIdx.x] = t[threadIdx.x][threadIdx.y]; // load 1 of 1
}

// block 32x32
__global__ void column_padded_by_2(float *p) {
    __shared__ float t[32][34];
    t[threadIdx.y][threadIdx.x] = p[threadIdx.x]; // store 1 of 1
    __syncthreads();
    p[threadIdx.x] = t[threadIdx.x][threadIdx.y]; // load 2 of 1
}

// block 32x32
__global__ void column_padded_by_4(float *p) {
    __shared__ float t[32][36];
    t[threadIdx.y][threadIdx.x] = p[threadIdx.x]; // store 1 of 1
    __syncthreads();
    p[threadIdx.x] = t[threadIdx.x][threadIdx.y]; // load 4 of 1
}

// A pad of one, right at 32, is wrong at 16: it moves the conflict to the store.
// block 16x16
__global__ void tile_16(float *p) {
    __shared__ float t[16][16];
    t[threadIdx.y][threadIdx.x] = p[threadIdx.x]; // store 1 of 1
    __syncthreads();
    p[threadIdx.x] = t[threadIdx.x][threadIdx.y]; // load 8 of 1
}

// block 16x16
__global__ void tile_16_padded(float *p) {
    __shared__ float t[16][17];
    t[threadIdx.y][threadIdx.x] = p[threadIdx.x]; // store 2 of 1
    __syncthreads();
    p[threadIdx.x] = t[threadIdx.x][threadIdx.y]; // load 2 of 1
}

// block 8x8
__global__ void tile_8(float *p) {
    __shared__ float t[8][8];
    t[threadIdx.y][threadIdx.x] = p[threadIdx.x]; // store 1 of 1
    __syncthreads();
    p[threadIdx.x] = t[threadIdx.x][threadIdx.y]; // load 2 of 1
}

// block 8x8
__global__ void tile_8_padded(float *p) {
    __shared__ float t[8][9];
    t[threadIdx.y][threadIdx.x] = p[threadIdx.x]; // store 2 of 1
    __syncthreads();
    p[threadIdx.x] = t[threadIdx.x][threadIdx.y]; // load 2 of 1
}

// block 16x16
__global__ void convolution_48(float *p) {
    __shared__ float t[16 * 48];
    p[threadIdx.y] = t[threadIdx.x * 48 + threadIdx.y]; // load 8 of 1
}

// block 16x16
__global__ void convolution_49(float *p) {
    __shared__ float t[16 * 49];
    p[threadIdx.y] = t[threadIdx.x * 49 + threadIdx.y]; // load 2 of 1
}

// block 16x16
__global__ void doubles(double *p) {
    __shared__ double t[16][16];
    p[threadIdx.y] = t[threadIdx.x][threadIdx.y]; // load 32 of 2
}

// block 16x16
__global__ void doubles_padded(double *p) {
    __shared__ double t[16][17];
    p[threadIdx.y] = t[threadIdx.x][threadIdx.y]; // load 2 of 2
}

// block 8x8
__global__ void quadruples(float4 *p) {
    __shared__ float4 t[8][8];
    p[threadIdx.y] = t[threadIdx.x][threadIdx.y]; // load 32 of 4
}

// block 8x8
__global__ void quadruples_padded(float4 *p) {
    __shared__ float4 t[8][9];
    p[threadIdx.y] = t[threadIdx.x][threadIdx.y]; // load 4 of 4
}

// block 32x32
__global__ void halves_32(short *p) {
    __shared__ short t[32][32];
    p[threadIdx.y] = t[threadIdx.x][threadIdx.y]; // load 16 of 1
}

// Rows of 66 bytes: the odd columns straddle the words.
// block 32x8
__global__ void halves_33(short *p) {
    __shared__ short t[32][33];
    p[threadIdx.y] = t[threadIdx.x][threadIdx.y]; // load 1.5 of 1
}

// block 32x32
__global__ void halves_34(short *p) {
    __shared__ short t[32][34];
    p[threadIdx.y] = t[threadIdx.x][threadIdx.y]; // load 1 of 1
}

// block 32
__global__ void bytes(char *p) {
    __shared__ char t[33 * 32 + 5];
    p[0] = t[threadIdx.x * 33];     // load 1 of 1
    p[1] = t[threadIdx.x * 33 + 5]; // load 2 of 1
}

struct Three {
    float x, y, z;
};

struct Four {
    float x, y, z, w;
};

// block 32
__global__ void structs(float *p) {
    __shared__ Three three[32];
    __shared__ Four four[32];
    p[0] = three[threadIdx.x].y; // load 1 of 1
    p[1] = four[threadIdx.x].z;  // load 4 of 1
}

// block 32
__global__ void atomics(int *p) {
    __shared__ unsigned word[4], many[32];
    __shared__ int counter;
    int t = threadIdx.x;
    atomicOr(&word[t / 8], 1u << t);  // atomic 8 of 1
    atomicAdd(&many[t], 5);           // atomic 1 of 1
    atomicAdd(&counter, 1);           // atomic 1 of 1
    p[t] = atomicExch(&many[t ^ 1], t); // atomic 1 of 1
    atomicCAS(&many[t], 0, t);        // atomic 2 of 2
}

// Every lane on the same word is free, and so are the bytes of a word.
// block 32
__global__ void same_word(int *p, int n) {
    __shared__ int t[64];
    __shared__ char bytes[64];
    p[0] = t[0];                  // load 1 of 1
    p[1] = t[n];                  // load 1 of 1
    p[2] = bytes[threadIdx.x];    // load 1 of 1
    p[3] = t[threadIdx.x / 4];    // load 1 of 1
    p[4] = t[2 * threadIdx.x];    // load 2 of 1
}

// Threads of the modulo reduction diverge, but meet in no bank.
// block 128
__global__ void modulo(float *p) {
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = p[t]; // store 1 of 1
    __syncthreads();
    for (int w = 1; w < 128; w *= 2) {
        if (t % (2 * w) == 0)
            s[t] += s[t + w]; // store 1 of 1
        __syncthreads();
    }
    p[0] = s[0]; // load 1 of 1
}

// The compiler makes one 128-bit load of four rounds: 32 wavefronts for 4 words.
// block 32
__global__ void row_walk(float *p) {
    __shared__ float t[32][32];
    float sum = 0;
    for (int k = 0; k < 32; ++k)
        sum += t[threadIdx.x][k]; // load 32 of 4
    p[threadIdx.x] = sum;
}

// block 32
__global__ void row_walk_padded(float *p) {
    __shared__ float t[32][33];
    float sum = 0;
    for (int k = 0; k < 32; ++k)
        sum += t[threadIdx.x][k]; // load 1 of 1
    p[threadIdx.x] = sum;
}

// The two rows that a warp of 16×16 needs of the left matrix are broadcast.
// block 16x16
__global__ void product(float *p) {
    __shared__ float a[16][16], b[16][16];
    float sum = 0;
    for (int k = 0; k < 16; ++k) {
        float left = a[threadIdx.y][k];  // load 2 of 2
        float right = b[k][threadIdx.x]; // load 1 of 1
        sum += left * right;
    }
    p[threadIdx.x] = sum;
}

// Only the lanes that take part count: half a warp at a stride of two meets nobody.
// block 32
__global__ void half_a_warp(float *p) {
    __shared__ float s[64];
    if (threadIdx.x < 16)
        s[2 * threadIdx.x] = 1; // store 1 of 1
    s[2 * threadIdx.x] = 2;     // store 2 of 1
    p[threadIdx.x] = s[threadIdx.x];
}
