#include "varimesh/cancellation.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <stdexcept>

#include "countdown.h"
#include "varimesh/parallel.h"

namespace varimesh {
namespace {

using test::Countdown;

TEST(Cancellation, NobodyIsHeardUnlessListenedTo) {
  const Countdown at_once(0);
  throw_if_interrupted();
  {
    const CancellationScope scope({&at_once});
    EXPECT_THROW(throw_if_interrupted(), Interrupted);
    const CancellationScope deaf({});
    throw_if_interrupted();
  }
  throw_if_interrupted();
}

TEST(Cancellation, WhatFinishesHearsOnlyThatTimeIsOver) {
  const Countdown countdown(0, 2);
  const CancellationScope scope({&countdown});
  EXPECT_THROW(throw_if_interrupted(), Interrupted);
  const CancellationScope finish(finishing());
  throw_if_interrupted();
  EXPECT_THROW(throw_if_interrupted(), Interrupted);
}

TEST(Cancellation, EndsParallelWorkWithinAnItemOfEachThread) {
  for (const int threads : {1, 3}) {
    const Countdown countdown(10);
    const CancellationScope scope({&countdown});
    std::atomic<int> done = 0;
    EXPECT_THROW(parallel_for(1000, threads, [&](Index) { ++done; }), Interrupted);
    EXPECT_EQ(done, 10);
    EXPECT_LE(countdown.since(), threads);
  }
}

TEST(Cancellation, ReachesThreadsOfThreads) {
  const Countdown countdown(5);
  const CancellationScope scope({&countdown});
  std::atomic<int> done = 0;
  EXPECT_THROW(parallel_for(2, 2, [&](Index) { parallel_for(100, 2, [&](Index) { ++done; }); }), Interrupted);
  EXPECT_LE(done, 5);
}

TEST(Abandonable, GivesWhatTheWorkGivesAndThrowsWhatItThrows) {
  const Countdown never(1'000'000'000);
  for (const Cancellation* cancellation :
       {static_cast<const Cancellation*>(nullptr), static_cast<const Cancellation*>(&never)}) {
    const CancellationScope scope({cancellation});
    EXPECT_EQ(run_abandonable([] { return 42; }), 42);
    EXPECT_THROW(run_abandonable([]() -> int { throw std::runtime_error("fault"); }), std::runtime_error);
  }
}

TEST(Abandonable, IsLeftToItself) {
  std::latch left(1), ended(1);
  const Countdown soon(1);  // the first look is before the work begins
  {
    const CancellationScope scope({&soon});
    EXPECT_THROW(run_abandonable([&] {
                   left.wait();
                   ended.count_down();
                 }),
                 Interrupted);
  }
  left.count_down();
  ended.wait();
}

}  // namespace
}  // namespace varimesh
