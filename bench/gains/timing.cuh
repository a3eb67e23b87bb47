// Times two versions of a kernel in turn, with L2 flushed before each launch, and compares what
// they write. Prints: name, microseconds before, microseconds after, same or DIFFERENT.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                      \
    do {                                                                                 \
        cudaError_t status = (call);                                                     \
        if (status != cudaSuccess) {                                                     \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,                      \
                         cudaGetErrorString(status));                                    \
            std::exit(1);                                                                \
        }                                                                                \
    } while (0)

constexpr int ROUNDS = 25;
constexpr size_t FLUSHED = 256u << 20;  // bytes: several times the L2

template <class T>
T *numbers(size_t count, int range = 1000)
{
    std::vector<T> host(count);
    unsigned state = 12345;
    for (T &each : host) {
        state = state * 1664525u + 1013904223u;
        each = static_cast<T>((state >> 8) % range + 1);
    }
    T *device = nullptr;
    CHECK(cudaMalloc(&device, count * sizeof(T)));
    CHECK(cudaMemcpy(device, host.data(), count * sizeof(T), cudaMemcpyHostToDevice));
    return device;
}

template <class T>
T *room(size_t count)
{
    T *device = nullptr;
    CHECK(cudaMalloc(&device, count * sizeof(T)));
    CHECK(cudaMemset(device, 0, count * sizeof(T)));
    return device;
}

template <class Launch>
float microseconds(Launch launch, void *flush, cudaEvent_t start, cudaEvent_t stop)
{
    CHECK(cudaMemsetAsync(flush, 1, FLUSHED));
    CHECK(cudaEventRecord(start));
    launch();
    CHECK(cudaEventRecord(stop));
    CHECK(cudaEventSynchronize(stop));
    CHECK(cudaGetLastError());
    float elapsed = 0;
    CHECK(cudaEventElapsedTime(&elapsed, start, stop));
    return elapsed * 1000;
}

inline float median(std::vector<float> &times)
{
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

/// `result` of `count` is what both versions write; nothing is compared where layouts differ.
template <class T, class Before, class After>
void pair(const char *name, T *result, size_t count, Before before, After after)
{
    static void *flush = room<char>(FLUSHED);
    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    std::vector<T> first(count), second(count);
    before();
    CHECK(cudaMemcpy(first.data(), result, count * sizeof(T), cudaMemcpyDeviceToHost));
    CHECK(cudaMemset(result, 0, count * sizeof(T)));
    after();
    CHECK(cudaMemcpy(second.data(), result, count * sizeof(T), cudaMemcpyDeviceToHost));
    bool same = true;
    for (size_t i = 0; i < count; ++i) {
        double a = static_cast<double>(first[i]), b = static_cast<double>(second[i]);
        same = same && std::fabs(a - b) <= 1e-3 * std::max(1.0, std::fabs(a));
    }
    std::vector<float> slow, fast;
    for (int round = 0; round < ROUNDS; ++round) {
        slow.push_back(microseconds(before, flush, start, stop));
        fast.push_back(microseconds(after, flush, start, stop));
    }
    std::printf("%s,%.2f,%.2f,%s\n", name, median(slow), median(fast),
                !count ? "other layout" : same ? "same" : "DIFFERENT");
    std::fflush(stdout);
}
