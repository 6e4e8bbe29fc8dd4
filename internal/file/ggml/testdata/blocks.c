// Dequantizes blocks by ggml: reads those of the type argv[1] from standard input, writes their values as float32. To compile it with ggml
// 0.21.0 (d99724f2):
//
//	cc -O1 -static -Wl,--unresolved-symbols=ignore-all -Iinclude -Isrc blocks.c src/ggml-quants.c -lm -o blocks
#define GGML_COMMON_DECL_C
#include "ggml-common.h"
#include "ggml-quants.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TYPE(name, values) {#name, sizeof(block_##name), values, (void (*)(const void *, float *, int64_t)) dequantize_row_##name}

static const struct {
    const char * name;
    size_t       bytes;
    int          values;
    void (*dequantize)(const void *, float *, int64_t);
} types[] = {
    TYPE(q1_0, QK1_0), TYPE(q2_0, QK2_0), TYPE(q4_0, QK4_0), TYPE(q4_1, QK4_1), TYPE(q5_0, QK5_0), TYPE(q5_1, QK5_1), TYPE(q8_0, QK8_0),
    TYPE(q2_K, QK_K), TYPE(q3_K, QK_K), TYPE(q4_K, QK_K), TYPE(q5_K, QK_K), TYPE(q6_K, QK_K), TYPE(q8_K, QK_K), TYPE(tq1_0, QK_K),
    TYPE(tq2_0, QK_K), TYPE(iq4_nl, QK4_NL), TYPE(iq4_xs, QK_K), TYPE(mxfp4, QK_MXFP4), TYPE(nvfp4, QK_NVFP4),
    TYPE(iq1_s, QK_K), TYPE(iq1_m, QK_K), TYPE(iq2_xxs, QK_K), TYPE(iq2_xs, QK_K), TYPE(iq2_s, QK_K), TYPE(iq3_xxs, QK_K), TYPE(iq3_s, QK_K),
};

int main(int argc, char ** argv) {
    float y[256];
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        void * block = malloc(types[i].bytes);
        while (argc == 2 && strcmp(argv[1], types[i].name) == 0 && fread(block, types[i].bytes, 1, stdin) == 1) {
            types[i].dequantize(block, y, types[i].values);
            fwrite(y, sizeof(float), types[i].values, stdout);
        }
        free(block);
    }
    return ferror(stdout) != 0;
}
