__global__ void loops(int *p, int n) {
    for (int i = 0; i < n; i += 2) {
        if (p[i] == 7)
            continue;
        if (p[i] == 8)
            break;
        p[i] = i;
    }
    int k = n;
    while (k)
        k >>= 1;
    do
        k++;
    while (k < 10);
    p[0] = k;
}
