#pragma once

namespace varimesh {

/// Measures the time since it was made: by the clock, or in a ProcessorTimeScope that of the processor.
class Stopwatch {
 public:
  Stopwatch();
  double seconds() const;

 private:
  bool processor_;
  double begin_;
};

/// While it lives, stopwatches that its thread makes count the time that the thread has had a processor, for work on
/// this thread alone: so times, and where budgets of time end, do not depend on what else the machine does.
class ProcessorTimeScope {
 public:
  ProcessorTimeScope();
  ~ProcessorTimeScope();
  ProcessorTimeScope(const ProcessorTimeScope&) = delete;
  ProcessorTimeScope& operator=(const ProcessorTimeScope&) = delete;

 private:
  bool before_;
};

}  // namespace varimesh
