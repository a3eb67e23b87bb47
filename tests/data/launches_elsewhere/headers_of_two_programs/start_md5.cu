#include "md5.cuh"

extern unsigned *digest;
extern char *words;

int main()
{
    crack<<<1, 64>>>(digest, words, 8);
    return cudaGetLastError();
}
