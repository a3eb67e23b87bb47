__constant__ float weights[4];
__device__ int total;
__managed__ int seen;

__global__ void memory(int *p, volatile int *v, const float *__restrict__ f, int n) {
    __shared__ int tile[4][8];
    extern __shared__ char raw[];
    int local[4] = {1, 2};
    int taken = n;
    int *where = &taken;
    tile[1][n] = local[n];
    ((float *)raw)[n] = weights[n] + f[2] + __ldg(f + 3);
    *where = v[0];
    total = taken;
    seen += 1;
    v[1] = 4;
    static int calls;
    calls++;
}
