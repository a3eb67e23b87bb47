#pragma once
__global__ void halve(float *p, int n);
__global__ void third(float *p, int n);
__global__ void lonely(float *p, int n);
