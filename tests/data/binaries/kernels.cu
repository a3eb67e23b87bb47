// The kernels behind the binaries and the log of this folder.
__device__ __noinline__ float total(const float *values, int count)
{
    float sum = 0;
    for (int i = 0; i < count; ++i) sum += values[i];
    return sum;
}

template <int TILE>
__global__ void reverse(const float *in, float *out)
{
    __shared__ float tile[TILE];
    tile[threadIdx.x] = in[blockIdx.x * TILE + threadIdx.x];
    __syncthreads();
    out[blockIdx.x * TILE + threadIdx.x] = tile[TILE - 1 - threadIdx.x];
}
template __global__ void reverse<128>(const float *, float *);
template __global__ void reverse<250>(const float *, float *);

__global__ void pick(const float *in, float *out, int count, int which)
{
    float kept[20];
    for (int i = 0; i < 20; ++i) kept[i] = in[i * count];
    out[threadIdx.x] = total(kept, count) + kept[which];
}

extern __shared__ float dynamic[];
__global__ void named_barriers(float *out)
{
    dynamic[threadIdx.x] = out[threadIdx.x];
    asm volatile("bar.sync 3, 64;");
    out[threadIdx.x] = dynamic[threadIdx.x ^ 1];
}

__global__ void __launch_bounds__(1024, 2) crowded(const float4 *in, float4 *out, int n)
{
    float4 v[16];
#pragma unroll
    for (int i = 0; i < 16; ++i) v[i] = in[i * n + threadIdx.x];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 16; ++i)
        out[i * n + threadIdx.x] = make_float4(v[i].x * v[15 - i].y, v[i].y * v[15 - i].z, v[i].z, v[i].w);
}
