__global__ void pointers(int *p, int *end, int n) {
    int *q = p + n;
    q += 2;
    *q++ = 1;
    *--q = 2;
    q[-1] = 3;
    p[end - p] = 4;
    if (q != end && q)
        *(short *)q = 5;
    int(*rows)[8] = (int(*)[8])p;
    rows[n][1] = 6;
    int &r = rows[2][n];
    r += 7;
    while (q < end)
        *q++ = 0;
}
