struct Particle {
    float3 position;
    char tag;
    int neighbours[4];
};

__global__ void structs(Particle *all, Particle one, int n) {
    Particle *mine = &all[threadIdx.x];
    mine->position.y = one.position.x;
    mine->neighbours[n] = one.neighbours[2];
    Particle copy = all[n];
    copy.tag = 3;
    all[n + 1] = copy;
    float2 pair = make_float2(1.0f, 2.0f);
    pair.x = pair.y;
    mine->position.z = pair.x;
    (*mine).tag = 'x';
}
