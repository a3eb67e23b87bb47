// LLVM's divergence tests (llvm/test/Analysis/UniformityAnalysis/NVPTX/diverge.ll and others),
// told again as CUDA. A mark at the end of a line is the level of that line's branch, or of the
// value it stores.

// Data dependence on both sides, nothing in between: everything is uniform.
__global__ void no_diverge(int *p, int n, int a, int b) {
    int c;
    if (n > 0) // grid-uniform
        c = a;
    else
        c = b;
    p[0] = c; // grid-uniform
}

// c = phi of the ways that a divergent branch takes.
__global__ void sync(int *p, int a, int b) {
    int tid = threadIdx.x;
    int c;
    if (tid < 5) // varying
        c = a;
    else
        c = b;
    p[0] = c; // varying
}

// c = a in both ways: the same value for everybody.
__global__ void same_value(int *p, int a) {
    int c;
    if (threadIdx.x < 5) // varying
        c = a;
    else
        c = a;
    p[0] = c; // grid-uniform
}

// The ways of threads meet behind a uniform branch below a divergent one.
__global__ void mixed(int *p, int n, int a, int b) {
    int c = 0;
    if (threadIdx.x < 5) { // varying
        if (n > 2)         // grid-uniform
            c = a;
        else
            c = b;
        p[0] = c; // grid-uniform
    } else {
        c = 7;
    }
    p[1] = c; // varying
}

__device__ int chosen(int n, int a, int b) { return n > 0 ? a : b; }

// The same code in a function, called with uniform and with varying arguments.
__global__ void device(int *p, int n, int a, int b) {
    p[0] = chosen(n, a, b);                    // grid-uniform
    p[1] = chosen(n - (int)threadIdx.x, a, b); // varying
}

// A loop that threads leave at different times: its counter differs behind it, not in it.
__global__ void loop(int *p) {
    int laneid = threadIdx.x;
    int i = 0;
    do {
        p[0] = i; // grid-uniform
        i++;
    } while (i < laneid); // varying
    if (i == 10)          // varying
        p[1] = 1;
}

// Values of the loop, renamed behind it.
__global__ void lcssa(int *p) {
    int tid = threadIdx.x;
    int i = 0;
    int last;
    do {
        i++;
        last = i * 2;
    } while (i < tid); // varying
    p[0] = last;       // varying
}

// The divergent branch stands in front of the loop; the loop itself keeps its threads together.
__global__ void sync_no_loop(int *p, int n) {
    int tid = threadIdx.x;
    int i = 0;
    if (tid < 3) // varying
        p[9] = 1;
    do {
        i++;
    } while (i < n); // grid-uniform
    p[0] = i;        // grid-uniform
}

// Temporal divergence: uniform inside, varying outside, uniform again where nothing was carried.
__global__ void temporal(int *p, int n) {
    int x = 0, y = 5;
    for (int i = 0; i < threadIdx.x; ++i) { // varying
        x += n;
        p[0] = x; // grid-uniform
    }
    p[1] = x; // varying
    p[2] = y; // grid-uniform
}

// A uniform break under a divergent if: only some threads take it.
__global__ void uniform_break_for_some(int *p, int n) {
    int i = 0;
    for (; i < 100; ++i) {       // grid-uniform
        if (threadIdx.x & 1) {   // varying
            if (i > n)           // grid-uniform
                break;
        }
    }
    p[0] = i; // varying
}

// Two ways out of a loop meet behind it; which one a thread takes differs.
__global__ void divergent_exits(int *p, int n) {
    int r = 0;
    for (int i = 0; i < n; ++i) { // grid-uniform
        if (i == threadIdx.x) {   // varying
            r = 1;
            break;
        }
    }
    p[0] = r; // varying
}

// The same with uniform ways out.
__global__ void uniform_exits(int *p, const int *q, int n) {
    int r = 0;
    for (int i = 0; i < n; ++i) { // grid-uniform
        if (q[i] == 0) {          // grid-uniform
            r = 1;
            break;
        }
    }
    p[0] = r; // grid-uniform
}

// The counter of an inner loop that threads leave apart, seen in the outer one.
__global__ void nested(int *p, int n) {
    for (int i = 0; i < n; ++i) { // grid-uniform
        int j = 0;
        while (j < threadIdx.x) { // varying
            p[0] = i;             // grid-uniform
            j += 2;
        }
        p[1] = j; // varying
        p[2] = i; // grid-uniform
    }
}

// A continue takes some threads past an assignment.
__global__ void hidden(int *p, int n) {
    int x = 0;
    for (int i = 0; i < n; ++i) { // grid-uniform
        if (threadIdx.x == i)     // varying
            continue;
        x++;
        p[1] = i; // grid-uniform
    }
    p[0] = x; // varying
}

// A switch on the thread: cases that meet give varying values, each case alone does not.
__global__ void cases(int *p, int n) {
    int r;
    switch (threadIdx.x % 3) { // varying
    case 0:
        r = 1;
        p[0] = r; // grid-uniform
        break;
    case 1:
        r = n;
        p[1] = r; // grid-uniform
        break;
    default:
        r = 3;
    }
    p[2] = r; // varying
}

// Falling through: two ways lead into the second case.
__global__ void fall_through(int *p, int n) {
    int r = 0;
    switch (threadIdx.x & 1) { // varying
    case 0:
        r = 1;
    case 1:
        p[0] = r; // varying
    }
    p[1] = n; // grid-uniform
}

// A goto into a second place of the same straight line.
__global__ void jumps(int *p, int n) {
    int r = n;
    if (threadIdx.x > 3) // varying
        goto end;
    r = n + 1;
    p[0] = r; // grid-uniform
end:
    p[1] = r; // varying
}

// Threads that return do not disturb those that stay.
__global__ void early_return(int *p, int n) {
    int r = n;
    if (threadIdx.x > 3) // varying
        return;
    if (n < 0) // grid-uniform
        r = 4;
    p[0] = r; // grid-uniform
}

// A cycle with two entries, left by a divergent branch: the counter differs behind it.
__global__ void irreducible(int *p, int n) {
    int i = 0;
    if (n > 3) // grid-uniform
        goto inside;
outside:
    i += 2;
inside:
    i += 1;
    if (i < threadIdx.x) // varying
        goto outside;
    p[0] = i; // varying
}

// The same, entered in two places by different threads.
__global__ void entered_apart(int *p, int n) {
    int i = 0;
    if (threadIdx.x > 3) // varying
        goto inside;
outside:
    i += 2;
inside:
    i += 1;
    if (i < n) // varying
        goto outside;
    p[0] = i; // varying
}

// The same with uniform branches only.
__global__ void irreducible_and_uniform(int *p, int n) {
    int i = 0;
    if (n > 3) // grid-uniform
        goto inside;
outside:
    i += 2;
inside:
    i += 1;
    if (i < n) // grid-uniform
        goto outside;
    p[0] = i; // grid-uniform
}

// A loop left by return: those that stay agree, those that leave do nothing more.
__global__ void left_by_return(int *p, int n) {
    int i = 0;
    while (i < n) {             // grid-uniform
        if (threadIdx.x == i)   // varying
            return;
        i++;
        p[0] = i; // grid-uniform
    }
    p[1] = n; // grid-uniform
}

// Two nested loops, left together by some threads.
__global__ void out_of_both(int *p, int n) {
    int i = 0, j = 0;
    for (; i < n; ++i) {              // grid-uniform
        for (j = 0; j < n; ++j) {     // grid-uniform
            if (threadIdx.x == i + j) // varying
                goto done;
        }
        p[0] = j; // varying
    }
done:
    p[1] = i; // varying
}

// The loop stands in a way that only some threads take.
__global__ void loop_for_some(int *p, int n) {
    int i = 0;
    if (threadIdx.x > 5) {    // varying
        while (i < n)         // grid-uniform
            i++;
        p[0] = i; // grid-uniform
    }
    p[1] = i; // varying
}

// Short circuits and conditional expressions are branches where the rest has effects.
__global__ void conditional(int *p, const int *q, int n) {
    int t = threadIdx.x;
    p[0] = n > 0 ? q[0] : q[1];  // grid-uniform
    p[1] = t > 0 ? q[0] : q[1];  // varying
    if (n > 0 && q[n] > 0)       // grid-uniform
        p[2] = 1;
}

// One way of a divergent branch goes straight to the place behind a uniform loop.
__global__ void join_at_loop_exit(int *p, int n) {
    int c = 0;
    if (threadIdx.x < 5) // varying
        goto behind;
    for (c = 1; c < n; ++c) // grid-uniform
        p[c] = n;           // grid-uniform
behind:
    p[0] = c; // varying
}

// The ways of a divergent branch meet in the header of a loop.
__global__ void join_at_loop_header(int *p, int n) {
    int c = 1;
    if (threadIdx.x < 5) // varying
        c = 2;
    for (; c < n; c += 2) // varying
        p[1] = n;         // grid-uniform
    p[0] = c;             // varying
}

// A uniform branch behind a divergent one that has joined again.
__global__ void branch_after_join(int *p, int n) {
    int c = n;
    if (threadIdx.x < 5) // varying
        p[1] = c;        // grid-uniform
    if (n > 7)           // grid-uniform
        c = 3;
    p[0] = c; // grid-uniform
}

// Some threads go no further: the others agree, whatever those would have done.
__global__ void no_return(int *p, int n) {
    int c = n;
    if (threadIdx.x < 5) { // varying
        c = 7;
        p[1] = c; // grid-uniform
        __trap();
    }
    p[0] = c; // grid-uniform
}

// A divergent way out of the inner loop is hidden behind a uniform one.
__global__ void hidden_loop_divergence(int *p, int n) {
    int c = 0;
    for (int i = 0; i < n; ++i) { // grid-uniform
        for (c = 0; c < n; ++c) { // grid-uniform
            if (n > 7)            // grid-uniform
                if (threadIdx.x + c > 11) // varying
                    break;
        }
        p[1] = c; // varying
    }
    p[0] = c; // varying
}
