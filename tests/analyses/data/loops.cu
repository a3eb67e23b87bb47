// Loops: strides up and down, bounds that depend on the thread, nests, breaks, values carried over.

// run: block 32 grid 2 at 1 args * 200
__global__ void grid_stride(int *p, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        p[i] = i;
}

// run: block 64 args *
__global__ void halving(int *p) {
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = t;
    s[t + 64] = t;
    __syncthreads();
    for (int w = 64; w > 0; w >>= 1) {
        if (t < w)
            s[t] += s[t + w];
        __syncthreads();
    }
    if (t == 0)
        p[0] = s[0];
}

// run: block 64 args *
__global__ void doubling(int *p) {
    __shared__ int s[128];
    int t = threadIdx.x;
    for (int w = 1; w < 64; w *= 2) {
        int i = 2 * w * t;
        if (i + w < 128)
            s[i] += s[i + w];
        __syncthreads();
    }
    p[t] = s[t];
}

// run: block 64 args *
__global__ void modulo(int *p) {
    __shared__ int s[64];
    int t = threadIdx.x;
    for (unsigned w = 1; w < blockDim.x; w <<= 1) {
        if (t % (2 * w) == 0)
            s[t] += s[t + w];
        __syncthreads();
    }
    p[t] = s[0];
}

// run: block 48 args *
__global__ void triangle(int *p) {
    int t = threadIdx.x;
#pragma unroll 1
    for (int i = 0; i < t; ++i)
        p[i * 48 + t] = i;
}

// run: block 64 args *
__global__ void after_triangle(int *p) {
    int t = threadIdx.x;
    int i = 0;
#pragma unroll 1
    while (i * i < t)
        i++;
    p[i] = 1;
    p[i * 64 + t] = 2;
}

// run: block 64 args * 5
__global__ void after_uniform(int *p, int n) {
    int i = 0;
    while (i < n) {
        p[i] = 0;
        i += 2;
    }
    p[i + threadIdx.x] = 1;
}

// run: block 64 args * 3
__global__ void nest(int *p, int n) {
    int t = threadIdx.x;
    for (int a = 0; a < 3; ++a)
        for (int b = a; b < 4; ++b)
            p[(a * 4 + b) * 64 + t] = n;
}

// run: block 32 args * 20
__global__ void found(int *p, int n) {
    int t = threadIdx.x;
    int r = 7;
#pragma unroll 1
    for (int i = 0; i < n; ++i) {
        if (i == t) {
            r = 5;
            break;
        }
        p[i * 32 + t] = i;
    }
    p[r * 32 + t] = r;
}

// run: block 32 args *
__global__ void comes_and_goes(int *p) {
    int t = threadIdx.x;
#pragma unroll 1
    for (int i = 0; (i + t) % 4 != 3; ++i)
        p[i * 32 + t] = i;
}

// run: block 64 args *
__global__ void test_last(int *p) {
    int t = threadIdx.x;
    int i = 0;
    do {
        p[i * 64 + t] = i;
        i += 3;
    } while (i < 10);
    int k = t & 3;
#pragma unroll 1
    do {
        p[k + 1000] = i;
        k += 4;
    } while (k < t);
}

// run: block 64 args *
__global__ void skips(int *p) {
    int t = threadIdx.x;
#pragma unroll 1
    for (int i = 0; i < 8; ++i) {
        if ((i ^ t) & 1)
            continue;
        p[i * 64 + t] = i;
    }
}

// run: block 64 args * *
__global__ void carried(int *p, const int *q) {
    int t = threadIdx.x;
    int previous = 0;
#pragma unroll 1
    for (int i = 0; i < 4; ++i) {
        int current = q[i];
        p[(current - previous + 20) * 64 + t] = i;
        previous = current;
    }
}

// run: block 64 args *
__global__ void rotating(int *p) {
    __shared__ int buffer[2][64];
    int t = threadIdx.x;
    int now = 0;
#pragma unroll 1
    for (int i = 0; i < 6; ++i) {
        buffer[now][t] = i;
        __syncthreads();
        p[i * 64 + t] = buffer[now][(t + i) & 63];
        now ^= 1;
    }
}

// run: block 64 args *
__global__ void downwards(int *p) {
    int *q = p + 64 * 8 + threadIdx.x;
    for (int i = 7; i >= 0; --i) {
        q -= 64;
        *q = i;
    }
    for (unsigned i = 8; i-- > 0;)
        p[i * 64 + threadIdx.x] = i;
}

// run: block 64 args * 24
__global__ void chunks(int *p, int n) {
    int t = threadIdx.x;
    for (int base = 0; base < n; base += 8) {
        for (int k = t; k < 128; k += 64)
            p[base * 16 + k] = k;
        int last = min(n - base, 8);
        for (int k = 0; k < last; ++k)
            p[1000 + (base + k) * 64 + t] = k;
    }
}

// run: block 32 args *
__global__ void swapped(int *p) {
    int a = threadIdx.x, b = threadIdx.x + 100;
#pragma unroll 1
    for (int i = 0; i < 5; ++i) {
        p[a] = i;
        int c = a;
        a = b;
        b = c + 1;
    }
}

// run: block 32 args * 3
__global__ void leaves_the_kernel(int *p, int n) {
    int t = threadIdx.x;
#pragma unroll 1
    for (int i = 0; i < 8; ++i) {
        if (t + i > 20)
            return;
        p[i * 32 + t] = n;
    }
    p[t] = 0;
}
