#pragma once

#include <cstddef>
#include <string_view>

/// Defines `std::string_view name()` in the current namespace: a file's bytes as they were when the program was built.
/// The assembler copies them, for compilers take long over arrays of this size. The symbol is hidden: other libraries
/// in the process may hold another version. CMake has to be told that the object depends on the file.
#define VARIMESH_EMBED(name, file)                                                                            \
  asm(".pushsection .rodata\n"                                                                                \
      ".hidden varimesh_embedded_" #name "\n.hidden varimesh_embedded_" #name                                 \
      "_end\n"                                                                                                \
      ".global varimesh_embedded_" #name "\n.global varimesh_embedded_" #name                                 \
      "_end\n"                                                                                                \
      "varimesh_embedded_" #name ":\n.incbin \"" file "\"\nvarimesh_embedded_" #name "_end:\n.popsection\n"); \
  extern "C" [[gnu::visibility("hidden")]] const char varimesh_embedded_##name[];                             \
  extern "C" [[gnu::visibility("hidden")]] const char varimesh_embedded_##name##_end[];                       \
  static std::string_view name() {                                                                            \
    return {varimesh_embedded_##name,                                                                         \
            static_cast<std::size_t>(varimesh_embedded_##name##_end - varimesh_embedded_##name)};             \
  }
