#include "varimesh/stopwatch.h"

#include <gtest/gtest.h>

#include <optional>
#include <thread>

namespace varimesh {
namespace {

/// Works until this thread has had a processor for so long; gives how long that was.
double work_for(double seconds) {
  const ProcessorTimeScope scope;
  const Stopwatch watch;
  while (watch.seconds() < seconds) {
  }
  return watch.seconds();
}

TEST(ProcessorTimeScope, CountsTheWorkOfItsThreadAlone) {
  const ProcessorTimeScope scope;
  const Stopwatch watch;
  double elsewhere = 0;
  std::thread([&] { elsewhere = work_for(0.05); }).join();
  EXPECT_GE(elsewhere, 0.05);
  EXPECT_LT(watch.seconds(), 0.5 * elsewhere);  // starting a thread takes 0.1 ms
  const double before = watch.seconds(), here = work_for(0.01);
  EXPECT_GE(watch.seconds() - before, here);
}

TEST(ProcessorTimeScope, EndsWithItself) {
  std::optional<ProcessorTimeScope> scope(std::in_place);
  scope.reset();
  const Stopwatch watch;
  double elsewhere = 0;
  std::thread([&] { elsewhere = work_for(0.01); }).join();
  EXPECT_GE(watch.seconds(), elsewhere);  // by the clock, which a processor's time cannot outrun
}

}  // namespace
}  // namespace varimesh
