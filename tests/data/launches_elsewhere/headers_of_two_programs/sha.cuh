__global__ void crack(unsigned *digest, const char *words, int length);
