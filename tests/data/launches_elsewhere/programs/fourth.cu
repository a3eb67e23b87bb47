// Another program, with a kernel of the same name that it launches itself.
__global__ void shift(float *rows, int count, int width) {
    for (int row = 0; row < count; ++row)
        rows[row * width + threadIdx.x] -= 1.0f;
}

int main() {
    float *rows;
    cudaMalloc(&rows, 18 * sizeof(float));
    shift<<<1, 6>>>(rows, 3, 6);
    cudaDeviceSynchronize();
}
