template <typename T, int N>
__global__ void reverse(T *data);

void run(float *data)
{
    reverse<float, 32><<<100, 32>>>(data);
    reverse<float, 64><<<100, 64>>>(data);
}
