__global__ void reverse(float *data);

void wide(float *data) { reverse<<<100, 64>>>(data); }
