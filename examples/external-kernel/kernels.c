// A kernel in C: cc -shared -fPIC kernels.c -o libkernels.so
#include <stdint.h>

void vector_scalar_mul_scalar(const int32_t *in, int32_t *out, const int32_t *factor,
                              int32_t count) {
  for (int32_t i = 0; i < count; i++)
    out[i] = in[i] * *factor;
}
