template <int SIZE, typename T, bool CHECK = false> __global__ void scale(T *p, int n) {
    __shared__ T tile[SIZE];
    constexpr int half = SIZE / 2;
    if (CHECK && threadIdx.x >= n)
        return;
    tile[threadIdx.x % half] = p[threadIdx.x];
    if constexpr (SIZE > 32)
        p[0] = tile[half];
}

void launch(double *p) { scale<64, double><<<1, 64>>>(p, 1); }
