__global__ void reverse(float *data);

void run(float *data) { reverse<<<100, 32>>>(data); }
