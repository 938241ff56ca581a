#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace varimesh {

/// Keeps workspaces for reuse, so that evaluations on many threads allocate only the first time.
template <class Workspace>
class WorkspacePool {
 public:
  /// Gives the workspace back when it dies.
  struct Return {
    WorkspacePool* pool;
    void operator()(Workspace* workspace) const {
      const std::lock_guard lock(pool->mutex_);
      pool->idle_.emplace_back(workspace);
    }
  };
  using Lease = std::unique_ptr<Workspace, Return>;

  /// An idle workspace, or a new one made by `create`.
  template <class Create>
  Lease acquire(const Create& create) {
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        Workspace* workspace = idle_.back().release();
        idle_.pop_back();
        return Lease(workspace, Return{this});
      }
    }
    std::unique_ptr<Workspace> created = create();
    {
      // Room for all to come back: Return must not throw.
      const std::lock_guard lock(mutex_);
      idle_.reserve(++num_created_);
    }
    return Lease(created.release(), Return{this});
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Workspace>> idle_;
  std::size_t num_created_ = 0;
};

}  // namespace varimesh
