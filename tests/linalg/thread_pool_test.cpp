#include "varimesh/thread_pool.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <barrier>
#include <stdexcept>

#include "varimesh/parallel.h"

namespace varimesh {
namespace {

TEST(ThreadPool, ThreadsServeManyCalls) {
  std::atomic<int> threads = 0;
  for (int call = 0; call < 100; ++call) {
    std::barrier together(4);  // nobody goes on before all four are there
    run_on_threads(3, [&] {
      thread_local const int number = ++threads;
      EXPECT_GT(number, 0);
      together.arrive_and_wait();
    });
  }
  // Of this test or, waiting, of those before it in this process: far fewer than 300.
  EXPECT_LE(threads, 100);
}

TEST(ThreadPool, ThreadsCallOthersFromWithin) {
  std::atomic<int> sum = 0;
  parallel_for(6, 3, [&](Index i) {
    std::barrier together(2);
    parallel_for(2, 2, [&](Index j) {
      together.arrive_and_wait();
      sum += 10 * i + j;
    });
  });
  EXPECT_EQ(sum, 2 * 10 * 15 + 6);
}

TEST(ThreadPool, ThreadsOutliveAnException) {
  EXPECT_THROW(parallel_for(8, 4,
                            [](Index i) {
                              if (i == 5) throw std::runtime_error("five");
                            }),
               std::runtime_error);
  std::atomic<int> sum = 0;
  parallel_for(100, 4, [&](Index i) { sum += i; });
  EXPECT_EQ(sum, 4950);
}

// Not a test for the thread sanitizer, which allows a forked child no threads.
TEST(ForkedChild, WorksInParallel) {
  parallel_for(4, 4, [](Index) {});
  const pid_t child = fork();
  if (child == 0) {
    std::barrier together(3);
    std::atomic<int> met = 0;
    run_on_threads(2, [&] {
      together.arrive_and_wait();
      ++met;
    });
    _exit(met == 3 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace varimesh
