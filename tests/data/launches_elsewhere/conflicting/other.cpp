__global__ void reverse(float *data);

void other(float *data) { reverse<<<100, 1056>>>(data); }  // expect: LNC001
