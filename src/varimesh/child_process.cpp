#include "varimesh/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <fstream>
#include <new>
#include <string_view>

#include "varimesh/cancellation.h"
#include "varimesh/error.h"

namespace varimesh {
namespace {

// What the first byte from a child says; a message may follow.
constexpr char done = 'd', refused = 'r', no_memory = 'm', other = 'o';

void write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;  // the parent is gone
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

/// Waits for the other end to close it; Interrupted if this thread is asked to end before that.
std::string read_all(int descriptor) {
  constexpr int interval = 20;  // milliseconds
  std::string bytes;
  char chunk[4096];
  for (;;) {
    pollfd waiting{.fd = descriptor, .events = POLLIN, .revents = 0};
    while (listening().cancellation && poll(&waiting, 1, interval) <= 0) throw_if_interrupted();
    const ssize_t count = read(descriptor, chunk, sizeof chunk);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return bytes;
    bytes.append(chunk, static_cast<std::size_t>(count));
  }
}

/// How a child ended; it is over.
int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

/// Lowers a limit to so much more than what is in use; what cannot be set stays.
template <class Resource>
void limit(Resource resource, std::uint64_t used, std::uint64_t more) {
  rlimit now{};
  if (getrlimit(resource, &now) != 0 || more > now.rlim_max || used > now.rlim_max - more) return;
  now.rlim_cur = std::min<rlim_t>(now.rlim_cur, used + more);
  setrlimit(resource, &now);
}

std::uint64_t memory_in_use() {
  std::uint64_t pages[6] = {};  // the last of them: data and stack
  std::ifstream file("/proc/self/statm");
  for (std::uint64_t& count : pages) file >> count;
  return pages[5] * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

std::uint64_t seconds_in_use() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + 2);
}

[[noreturn]] void be_child(const std::function<void()>& work, const ChildLimits& limits, int answer) {
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // nobody waits for a child whose parent was killed
#endif
  // A crash is expected here: neither its core file nor what libraries say of it would be of use.
  if (const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC); nowhere >= 0) dup2(nowhere, STDERR_FILENO);
  limit(RLIMIT_CORE, 0, 0);
  limit(RLIMIT_DATA, memory_in_use(), limits.bytes);
  limit(RLIMIT_CPU, seconds_in_use(), limits.seconds);
  try {
    const CancellationScope nobody({});  // who is asked to end is the parent
    work();
    write_all(answer, {&done, 1});
  } catch (const InputError& error) {
    write_all(answer, {&refused, 1});
    write_all(answer, error.what());
  } catch (const std::bad_alloc&) {
    write_all(answer, {&no_memory, 1});
  } catch (...) {
    write_all(answer, {&other, 1});
  }
  _exit(0);  // without what libraries do at the end of a process
}

}  // namespace

void run_in_child(const std::function<void()>& work, const std::string& if_it_crashes, const ChildLimits& limits) {
  int ends[2] = {};
  if (pipe2(ends, O_CLOEXEC) != 0) return work();
  const pid_t child = fork();
  if (child == 0) be_child(work, limits, ends[1]);
  close(ends[1]);
  if (child < 0) {
    close(ends[0]);
    return work();
  }
  std::string answer;
  try {
    answer = read_all(ends[0]);
  } catch (const std::bad_alloc&) {
    answer.clear();
  } catch (const Interrupted&) {
    close(ends[0]);
    kill(child, SIGKILL);
    wait_for(child);
    throw;
  }
  close(ends[0]);
  const int status = wait_for(child);
  const char end = answer.empty() || !WIFEXITED(status) ? other : answer.front();
  if (end == refused) throw InputError(answer.substr(1));
  if (end == no_memory) throw std::bad_alloc();
  if (end != done) throw InputError(if_it_crashes);
}

}  // namespace varimesh
