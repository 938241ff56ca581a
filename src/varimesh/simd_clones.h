#pragma once

/// Compiles a function for AVX-512, for AVX2 and for the baseline, and picks at load time: one portable binary, full
/// speed, and no effect on Eigen's ABI as -march would have. The sanitizers cannot run the resolvers, so not with them.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define VARIMESH_SIMD_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define VARIMESH_SIMD_CLONES
#endif
