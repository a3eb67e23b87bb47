#include "sha.cuh"

extern unsigned *digest;
extern char *words;

int main()
{
    crack<<<1, 32>>>(digest, words, 8);
    return cudaGetLastError();
}
