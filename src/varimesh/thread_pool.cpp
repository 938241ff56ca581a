#include "varimesh/thread_pool.h"

#include <pthread.h>

#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace varimesh {
namespace {

/// Threads that wait for calls. There are as many as were ever wanted at once, so that calls within calls go on.
class ThreadPool {
 public:
  ThreadPool() = default;
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  ~ThreadPool() {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    wanted_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  void run(int others, const std::function<void()>& work) {
    Call call{&work};
    {
      const std::lock_guard lock(mutex_);
      waiting_.insert(waiting_.end(), static_cast<std::size_t>(others), &call);
      add_threads();
    }
    wanted_.notify_all();
    work();
    std::unique_lock lock(mutex_);
    std::erase(waiting_, &call);
    left_.wait(lock, [&] { return call.inside == 0; });
  }

 private:
  struct Call {
    const std::function<void()>* work;
    int inside = 0;  ///< threads that are in it, without the one that called
  };

  void add_threads() {
    try {
      for (; idle_ < waiting_.size(); ++idle_) threads_.emplace_back([this] { serve(); });
    } catch (const std::exception&) {
      return;  // no more threads, or no memory: those there are do it
    }
  }

  void serve() {
    std::unique_lock lock(mutex_);
    for (;;) {
      wanted_.wait(lock, [&] { return ending_ || !waiting_.empty(); });
      if (ending_) return;
      Call& call = *waiting_.back();
      waiting_.pop_back();
      ++call.inside;
      --idle_;
      lock.unlock();
      (*call.work)();
      lock.lock();
      ++idle_;
      if (--call.inside == 0) left_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable wanted_, left_;
  std::vector<Call*> waiting_;  ///< a call for each thread that it still wants
  std::size_t idle_ = 0;        ///< threads that wait, or are about to
  std::vector<std::thread> threads_;
  bool ending_ = false;
};

/// The pool of this process, null when the process ends.
class Owner {
 public:
  Owner() {
    // A child has none of its parent's threads, and does not know what they held: it begins anew.
    pthread_atfork(nullptr, nullptr, [] { pool_ = new ThreadPool; });
  }
  Owner(const Owner&) = delete;
  Owner& operator=(const Owner&) = delete;
  ~Owner() { delete std::exchange(pool_, nullptr); }

  static ThreadPool* pool() { return pool_; }

 private:
  static inline ThreadPool* pool_ = new ThreadPool;
};

}  // namespace

void run_on_threads(int others, const std::function<void()>& work) {
  [[maybe_unused]] static const Owner owner;
  if (ThreadPool* pool = Owner::pool(); pool != nullptr && others > 0)
    pool->run(others, work);
  else
    work();
}

}  // namespace varimesh
