// Functions that are called through pointers: what they put on the stack is not the kernel's frame.
typedef float (*Step)(float, const float *);

__device__ __noinline__ float sum(float x, const float *p)
{
    float rows[6];
    for (int i = 0; i < 6; ++i) rows[i] = p[i] * x;
    return rows[int(x) % 6] + rows[int(x + 1) % 6];
}

__device__ __noinline__ float product(float x, const float *p) { return sum(x, p) * sum(x + 1, p); }

__device__ Step steps[] = {sum, product};

__global__ void through_pointers(float *out, const float *in, int which)
{
    float x = in[threadIdx.x];
    out[threadIdx.x] = steps[which](x, in) + steps[1 - which](x, in + 8);
}

__global__ void with_a_frame(float *out, const float *in, int which)
{
    float own[5];
    for (int i = 0; i < 5; ++i) own[i] = in[i];
    out[threadIdx.x] = steps[which](own[which], own) + own[threadIdx.x % 5];
}
