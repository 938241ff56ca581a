#include "varimesh/calibration/calibrate.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <mutex>

#include "varimesh/calibration/repeat_file.h"
#include "varimesh/cancellation.h"
#include "varimesh/file.h"
#include "varimesh/parallel.h"
#include "varimesh/stopwatch.h"

namespace varimesh::calibration {
namespace {

std::vector<Index> missing(const std::vector<Repeat>& repeats, Index total) {
  std::vector<Index> numbers;
  auto next = repeats.begin();
  for (Index number = 0; number < total; ++number) {
    if (next != repeats.end() && next->number == number) {
      ++next;
    } else {
      numbers.push_back(number);
    }
  }
  return numbers;
}

}  // namespace

std::vector<Repeat> calibrate(const Experiment& experiment, const CalibrateOptions& options,
                              const CalibrateObserver& observer) {
  ensure_directory(options.directory);
  RepeatFile file(options.directory / repeats_file, experiment, options.resume);
  std::vector<Repeat> repeats = file.earlier();
  std::erase_if(repeats, [&](const Repeat& repeat) { return repeat.number >= options.repeats; });
  const std::vector<Index> numbers = missing(repeats, options.repeats);
  const std::size_t before = repeats.size();

  std::mutex telling;  // guards repeats, the file and the observer
  std::atomic<bool> stopped = false;
  const Stopwatch watch;
  const auto go_on = [&] {
    if (stopped) return false;
    if (!observer) return true;
    const std::lock_guard lock(telling);
    const auto done = static_cast<double>(repeats.size() - before), left = static_cast<double>(numbers.size()) - done;
    const double seconds = done > 0 ? watch.seconds() * left / done : std::numeric_limits<double>::quiet_NaN();
    if (!observer({static_cast<Index>(repeats.size()), options.repeats, seconds})) stopped = true;
    return !stopped;
  };
  const auto run_one = [&](Index k) {
    try {
      std::optional<Repeat> repeat = experiment.run(numbers[static_cast<std::size_t>(k)], go_on);
      if (!repeat) return;
      const std::lock_guard lock(telling);
      file.append(*repeat);
      repeats.push_back(std::move(*repeat));
    } catch (...) {
      stopped = true;
      throw;
    }
  };
  // Interrupted, the repeats that are finished are what there is.
  completes([&] { parallel_for(static_cast<Index>(numbers.size()), options.threads, run_one); });
  std::ranges::sort(repeats, {}, &Repeat::number);
  return repeats;
}

}  // namespace varimesh::calibration
