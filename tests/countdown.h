#pragma once

#include <atomic>

#include "varimesh/cancellation.h"

namespace varimesh::test {

/// Asks for an end at the k-th look whether somebody does, and gives up on what is unfinished so many looks later.
class Countdown final : public Cancellation {
 public:
  explicit Countdown(long long looks, long long grace = 1'000'000'000)
      : begun_with_(looks), left_(looks), grace_(grace) {}

  bool requested() const noexcept override { return --left_ < 0; }
  bool expired() const noexcept override { return --left_ < -grace_; }

  /// So far.
  long long looks() const { return begun_with_ - left_; }
  bool has_asked() const { return left_ < 0; }
  /// Looks since it asked.
  long long since() const { return left_ < 0 ? -left_ - 1 : 0; }

 private:
  long long begun_with_;
  mutable std::atomic<long long> left_;
  long long grace_;
};

}  // namespace varimesh::test
