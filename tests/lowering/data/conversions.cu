__global__ void conversions(float *f, long long *l, unsigned char *c, int n) {
    f[0] = n;
    f[1] = 2;
    l[0] = n;
    l[1] = (unsigned)n;
    c[0] = n + 300;
    n = f[2];
    f[3] = c[1] * 2.5f;
    l[n] = c[1] + 1u;
    bool flag = n;
    f[flag] = flag + 1;
    l[2] = n < 4u;
    l[3] = -n;
    l[4] = ~c[2];
    c[3] = 'a';
    l[5] = 0x80000000;
    l[6] = 1ull << 40;
}
