// Small kernels whose accesses and barriers both front ends report; the PTX is made by
//     nvcc -ptx -lineinfo -arch=sm_90 -o accesses.sm_90.ptx accesses.cu
__constant__ int table[64];
__device__ float results[256];
__device__ volatile int flag;

__global__ void saxpy(float a, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = a * x[i] + y[i];
}

__global__ void stencil(const float *in, float *out) {
    __shared__ float s[258];
    int t = threadIdx.x;
    s[t + 1] = in[t];
    if (t == 0) {
        s[0] = 0.0f;
        s[257] = 0.0f;
    }
    __syncthreads();
    out[t] = s[t] + s[t + 1] + s[t + 2];
}

__global__ void tile_product(const float *a, const float *b, float *c, int n) {
    __shared__ float ta[16][16], tb[16][16];
    int x = threadIdx.x, y = threadIdx.y;
    float sum = 0.0f;
    for (int k = 0; k < n; k += 16) {
        ta[y][x] = a[y * n + k + x];
        tb[y][x] = b[(k + y) * n + x];
        __syncthreads();
        #pragma unroll 1
        for (int i = 0; i < 16; ++i)
            sum += ta[y][i] * tb[i][x];
        __syncthreads();
    }
    c[y * n + x] = sum;
}

__global__ void gather(const int *index, const short *from, short *to) {
    int i = index[threadIdx.x];
    to[threadIdx.x] = from[i];
}

__global__ void scatter(const unsigned char *index, double *to) {
    unsigned char i = index[threadIdx.x];
    to[i] = 1.5;
}

__global__ void look_up(const int *in, int *out) {
    int i = in[threadIdx.x];
    out[threadIdx.x] = table[i & 63];
}

__global__ void to_global_variable(const float *in) {
    float v = in[threadIdx.x];
    results[threadIdx.x] = v;
}

__global__ void wait_for_flag(int *out) {
    while (flag == 0) {
    }
    out[threadIdx.x] = 1;
}

__global__ void publish(int *data, int *ready) {
    data[threadIdx.x] = 7;
    __threadfence();
    if (threadIdx.x == 0)
        *(volatile int *)ready = 1;
}

__global__ void pairs(const float2 *in, float4 *out) {
    float2 v = in[threadIdx.x];
    out[threadIdx.x] = make_float4(v.x, v.y, v.y, v.x);
}

__global__ void bytes_of_int(const int *in, unsigned char *out) {
    int v = in[threadIdx.x];
    out[threadIdx.x] = (unsigned char)v;
}

__global__ void count(const int *in, int *counters) {
    int v = in[threadIdx.x];
    atomicAdd(&counters[v], 1);
}

__global__ void shared_count(const int *in, unsigned *out) {
    __shared__ unsigned bins[32];
    bins[threadIdx.x] = 0;
    __syncthreads();
    int v = in[threadIdx.x];
    atomicAdd(&bins[v & 31], 1u);
    __syncthreads();
    out[threadIdx.x] = bins[threadIdx.x];
}

__global__ void compare_and_swap(int *locks) {
    int old = atomicCAS(&locks[threadIdx.x], 0, 1);
    if (old != 0)
        locks[0] = 2;
}

__global__ void exchange(float *a, float v) {
    float old = atomicExch(&a[threadIdx.x], v);
    a[threadIdx.x + 64] = old;
}

__global__ void largest(const int *in, int *out) {
    int v = in[threadIdx.x];
    atomicMax(out, v);
}

__global__ void warp_exchange(float *data) {
    __shared__ float s[32];
    s[threadIdx.x] = data[threadIdx.x];
    __syncwarp();
    data[threadIdx.x] = s[31 - threadIdx.x];
}

__global__ void two_phases(float *data, int n) {
    extern __shared__ float buffer[];
    buffer[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    float v = buffer[(threadIdx.x + n) % blockDim.x];
    __syncthreads();
    data[threadIdx.x] = v;
}

__global__ void any_negative(const int *in, int *out) {
    int v = in[threadIdx.x];
    int any = __syncthreads_or(v < 0);
    out[threadIdx.x] = any;
}

struct Particle {
    float x, y, z;
    int kind;
};

__global__ void move_particles(Particle *p, float dt) {
    float x = p[threadIdx.x].x;
    p[threadIdx.x].y = x * dt;
    p[threadIdx.x].kind = 3;
}

__global__ void local_scratch(const int *in, int *out, int n) {
    int scratch[64];
    #pragma unroll 1
    for (int i = 0; i < 64; ++i)
        scratch[i] = in[i + n];
    out[threadIdx.x] = scratch[in[threadIdx.x] & 63];
}
