#include "reverse.h"

using namespace rows;

namespace rows {
void run(float *data)
{
    dim3 block(64);
    gpu::reverse<<<100, block>>>(data);
}
}
