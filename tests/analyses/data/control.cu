// Control: guards, early returns, switches, goto, short circuits.

// run: block 64 args * 50
// run: block 64 args * 0
__global__ void early_return(int *p, int n) {
    int t = threadIdx.x;
    if (t >= n)
        return;
    p[t] = 1;
    if (t < 8) {
        p[t + 8] = 2;
        return;
    }
    p[t + 100] = 3;
}

// run: block 64 args *
__global__ void cases(int *p) {
    int t = threadIdx.x;
    switch (t % 5) {
    case 0:
        p[t] = 0;
        break;
    case 1:
        p[t + 1] = 1;
    case 2:
        p[t + 2] = 2;
        break;
    case 7:
        p[t + 7] = 7;
        break;
    default:
        p[t * 2] = 3;
    }
    p[t] = 4;
}

// run: block 64 args * 3
__global__ void nested(int *p, int n) {
    int t = threadIdx.x;
    int at = t;
    if (t & 1) {
        if (t & 2)
            at = t + 10;
        else
            at = t + 20;
        p[at] = 0;
    } else if (t < 32) {
        at = t * 2;
    }
    p[at] = 1;
    if (n > 2) {
        if (t > 10)
            p[at + 1] = 2;
    } else {
        p[at + 2] = 3;
    }
}

// run: block 64 args * 40
__global__ void short_circuit(int *p, int n) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = t;
    __syncthreads();
    if (t < n && t > 3)
        p[t] = 0;
    if (t < 8 || t > 60)
        p[t + 64] = 1;
    if (!(t & 4) && (t < 20 || n < 10))
        p[t + 128] = 2;
    if (t > 0 && s[t - 1] >= 0)
        p[t + 192] = 3;
}

// run: block 64 args *
__global__ void jumps(int *p) {
    int t = threadIdx.x;
    if (t < 10)
        goto low;
    p[t] = 0;
    if (t > 50)
        goto end;
low:
    p[t + 64] = 1;
end:
    p[t + 128] = 2;
}

// run: block 20x3 args * 4
__global__ void odd_block(int *p, int n) {
    int t = threadIdx.y * 20 + threadIdx.x;
    if (threadIdx.y == 1 && threadIdx.x < n)
        p[t] = 0;
    else if (threadIdx.x == 0)
        p[t * 4] = 1;
    p[59 - t] = 2;
}

// run: block 64 args * 2
__global__ void merged_values(int *p, int n) {
    int t = threadIdx.x;
    int a, b;
    if (t < 16) {
        a = t;
        b = 3;
    } else if (t < 32) {
        a = t * 2;
        b = n;
    } else {
        a = 0;
        b = t;
    }
    p[a + b] = 0;
    p[a * 4] = 1;
}
