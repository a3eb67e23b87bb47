#pragma once
using real = float;
namespace rows { namespace gpu {
__global__ void reverse(real *data);
} }
