#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "varimesh/calibration/experiment.h"
#include "varimesh/result/draw_file.h"

namespace varimesh::calibration {

/// A repeat as one line of JSON, and back. InputErrors name the source.
std::string format_repeat(const Repeat& repeat);
Repeat parse_repeat(const std::string& line, const Experiment& experiment, const std::string& source);

/// Finished repeats on disk: a line that says whose they are, then one for each, in the order they were finished.
class RepeatFile {
 public:
  /// Reads what is there if it is to go on, and begins anew otherwise. A last line that is not whole, from a process
  /// that was killed, is dropped. Throws InputError if the file is damaged or belongs to something else.
  RepeatFile(std::filesystem::path file, const Experiment& experiment, bool resume);

  /// By number, each once.
  const std::vector<Repeat>& earlier() const { return earlier_; }

  /// Waits until the repeat is on the disk.
  void append(const Repeat& repeat);

 private:
  void read(const Experiment& experiment);

  std::filesystem::path file_;
  std::vector<Repeat> earlier_;
  std::optional<result::Descriptor> descriptor_;
};

}  // namespace varimesh::calibration
