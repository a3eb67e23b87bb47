__device__ int clamp_to(int x, int limit) {
    if (x > limit)
        return limit;
    return x;
}

__device__ int &slot(int *p, int i) { return p[i]; }

__device__ void swap_values(int &a, int &b) {
    int c = a;
    a = b;
    b = c;
}

template <typename T> __device__ T twice(T x) { return x + x; }

__device__ int countdown(int n) { return n ? countdown(n - 1) : 0; }

__global__ void functions(int *p, int n) {
    p[0] = clamp_to(n, 9);
    slot(p, 1) = 2;
    swap_values(p[3], n);
    p[4] = twice(n);
    p[5] = twice<short>(n);
    p[6] = countdown(n);
    p[7] = elsewhere(p);
    auto shifted = [&](int i) { return i + n; };
    p[8] = shifted(1);
}
