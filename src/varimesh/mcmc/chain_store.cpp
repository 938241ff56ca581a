#include "varimesh/mcmc/chain_store.h"

#include <fmt/format.h>

#include <system_error>
#include <utility>
#include <vector>

#include "varimesh/error.h"
#include "varimesh/file.h"
#include "varimesh/result/draw_file.h"

namespace varimesh::mcmc {
namespace {

class MemoryStore final : public ChainStore {
 public:
  explicit MemoryStore(std::size_t numbers) : numbers_(numbers) {}

  std::optional<Checkpoint> load() override { return std::nullopt; }
  void open(const ChainState&) override { records_.reserve(numbers_); }
  void append(std::span<const double> record) override {
    records_.insert(records_.end(), record.begin(), record.end());
  }
  void save(const ChainState&) override {}
  std::shared_ptr<const result::ChainDraws> draws(bool last) override {
    return std::make_shared<result::MemoryDraws>(last ? std::move(records_) : records_);
  }

 private:
  std::size_t numbers_;
  std::vector<double> records_;
};

/// The checkpoint is always written after the draws that it counts, so that these are there whenever it is.
class FileStore final : public ChainStore {
 public:
  FileStore(std::filesystem::path draws, CheckpointFile checkpoint, const result::DrawSource& source, Durable durable)
      : draws_(std::move(draws)), checkpoint_(std::move(checkpoint)), source_(source), durable_(durable) {}

  std::optional<Checkpoint> load() override {
    if (file_exists(checkpoint_.file())) {
      Checkpoint checkpoint = checkpoint_.load();
      records_ = checkpoint.records;
      source_.run = checkpoint.draws.run;
      sums_ = checkpoint.draws.sums;
      begun_ = true;
      return checkpoint;
    }
    if (file_exists(draws_))
      throw InputError(
          fmt::format("{} cannot be resumed: expected {} beside it", draws_.string(), checkpoint_.file().string()));
    return std::nullopt;
  }

  void open(const ChainState& state) override {
    if (!begun_) {
      source_.run = checkpoint_.run_of(state);
      save(state);
    }
    if (records_ > 0) {
      writer_.emplace(result::DrawWriter::reopen(draws_, source_, records_, sums_));
    } else {
      // A process that was killed may have left a file that the checkpoint knows nothing of.
      std::error_code ignored;
      std::filesystem::remove(draws_, ignored);
      writer_.emplace(result::DrawWriter::create(draws_, source_));
    }
  }

  void append(std::span<const double> record) override { writer_->append(record); }

  void save(const ChainState& state) override {
    if (writer_ && durable_ == Durable::yes) writer_->sync();
    if (writer_ && durable_ == Durable::no) writer_->flush();
    if (writer_) sums_ = writer_->sums();
    checkpoint_.save(state, {source_.run, sums_}, durable_);
    records_ = checkpoint_.records_after(state.iteration);
    begun_ = true;
  }

  std::shared_ptr<const result::ChainDraws> draws(bool) override {
    if (records_ == 0) return std::make_shared<result::MemoryDraws>();
    return result::map_draws(draws_, source_, records_);
  }

 private:
  std::filesystem::path draws_;
  CheckpointFile checkpoint_;
  result::DrawSource source_;
  Durable durable_;
  bool begun_ = false;
  Index records_ = 0;  ///< that the checkpoint counts
  result::BlockSums sums_;
  std::optional<result::DrawWriter> writer_;
};

}  // namespace

std::unique_ptr<ChainStore> create_memory_store(std::size_t numbers) { return std::make_unique<MemoryStore>(numbers); }

std::unique_ptr<ChainStore> create_file_store(std::filesystem::path draws, CheckpointFile checkpoint,
                                              const result::DrawSource& source, Durable durable) {
  return std::make_unique<FileStore>(std::move(draws), std::move(checkpoint), source, durable);
}

}  // namespace varimesh::mcmc
