// A part without `main`: what third.cu launches is this.
__global__ void fill(float *row, int width) {
    row[threadIdx.x + width] = 0.0f;  // expect: GLB006
}
