// Included first where Clang compiles a library for tests that GCC has compiled: their layouts of nlohmann's
// ordered_map differ, for only GCC says yes when that library asks whether it knows [[no_unique_address]].
#pragma once
#include <nlohmann/detail/macro_scope.hpp>
#undef JSON_NO_UNIQUE_ADDRESS
#define JSON_NO_UNIQUE_ADDRESS [[no_unique_address]]
