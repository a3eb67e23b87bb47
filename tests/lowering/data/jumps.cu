__global__ void jumps(int *p, int n) {
    int i = 0;
again:
    p[i] = n;
    if (++i < n)
        goto again;
    if (n > 7)
        goto done;
    p[1] = i;
done:
    p[2] = i;
}
