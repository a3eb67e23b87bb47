__global__ void branches(int *p, int n) {
    int x = 1;
    if (n > 3)
        x = p[0];
    else if (n > 1)
        x = n;
    p[1] = x;
    p[2] = n > 7 ? 2 : n;
    p[3] = n > 8 ? p[4] : 5;
    if (n > 1 && n < 9)
        p[5] = 1;
    if (n > 2 || p[6] > 3)
        return;
    p[7] = !n;
}
