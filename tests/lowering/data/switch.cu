enum Mode { FIRST, SECOND = 5, THIRD };

__global__ void select(int *p, Mode mode) {
    switch (mode) {
    case FIRST:
        p[0] = 1;
        break;
    case SECOND:
        p[1] = 2;
    case THIRD:
        p[2] = 3;
        return;
    default:
        p[3] = 4;
    }
    p[4] = 5;
}
