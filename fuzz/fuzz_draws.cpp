#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "varimesh/error.h"
#include "varimesh/result/draw_file.h"

/// Any bytes are either a file of draws, whose numbers can be read, or an InputError. Seeds: fuzz/corpus/draws.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace varimesh::result;
  const int memory = memfd_create("draws", MFD_CLOEXEC);
  if (memory < 0 || write(memory, data, size) != static_cast<ssize_t>(size)) __builtin_trap();
  const std::string file = "/proc/self/fd/" + std::to_string(memory);
  const DrawSource source{.unknowns = 2, .seed = 1, .chain = 0, .run = 7};
  try {
    const Draws draws(2, {map_draws(file, source)});
    if (draws.num_draws() > 0 && draws.chain(0).size() != 2 * draws.num_draws()) __builtin_trap();
    volatile double sum = draws.chain(0).sum();
    static_cast<void>(sum);
    DrawWriter::reopen(file, source, draws.num_draws(), BlockSums(1, 1));
  } catch (const varimesh::InputError&) {
  }
  close(memory);
  return 0;
}
