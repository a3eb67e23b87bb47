namespace rows { __global__ void reverse(float *data); }

void run(float *data) { rows::reverse<<<100, 64>>>(data); }
