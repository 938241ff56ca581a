#include "disk_model.h"

#include <algorithm>
#include <cstring>

namespace varimesh::attack {
namespace {

std::size_t aligned(std::size_t bytes) { return (bytes + 7) / 8 * 8; }

void apply(const DiskCall& call, std::string& content) {
  if (call.operation == Operation::truncate) content.resize(call.offset, '\0');
  if (call.operation != Operation::write) return;
  content.resize(std::max<std::size_t>(content.size(), call.offset + call.bytes.size()), '\0');
  content.replace(call.offset, call.bytes.size(), call.bytes);
}

}  // namespace

std::vector<DiskCall> read_log() {
  const Control& from = control();
  std::vector<DiskCall> calls;
  for (std::size_t place = 0; place < from.log_bytes;) {
    LoggedCall call{};
    std::memcpy(&call, from.log + place, sizeof call);
    place += aligned(sizeof call);
    const auto take = [&](std::size_t count) {
      std::string text(reinterpret_cast<const char*>(from.log + place), count);
      place += aligned(count);
      return text;
    };
    DiskCall& added = calls.emplace_back(DiskCall{call.operation, call.inode, call.offset, {}, {}, {}});
    added.path = take(call.path_bytes);
    added.other = take(call.other_bytes);
    added.bytes = take(call.num_bytes);
  }
  return calls;
}

Disk::Disk(std::vector<DiskCall> calls) : calls_(std::move(calls)) {}

std::size_t Disk::certain(std::size_t end) const {
  while (end > 0 && calls_[end - 1].operation != Operation::sync) --end;
  return end;
}

std::string Disk::content(ino_t inode, std::size_t end, Unsynced unsynced) const {
  std::string now, forced;
  for (std::size_t i = 0; i < end; ++i) {
    if (calls_[i].inode != inode) continue;
    apply(calls_[i], now);
    if (calls_[i].operation == Operation::sync || calls_[i].operation == Operation::sync_data) forced = now;
  }
  if (unsynced == Unsynced::kept) return now;
  if (unsynced == Unsynced::zeroed) forced.resize(now.size(), '\0');
  return forced;
}

std::map<std::string, std::string> Disk::state(std::size_t end, std::size_t names, Unsynced unsynced) const {
  std::map<std::string, ino_t> files;  // 0: a directory
  for (std::size_t i = 0; i < names; ++i) {
    const DiskCall& call = calls_[i];
    if (call.operation == Operation::create) files[call.path] = call.inode;
    if (call.operation == Operation::make_directory) files[call.path] = 0;
    if (call.operation == Operation::remove || call.operation == Operation::remove_directory) files.erase(call.path);
    if (call.operation == Operation::rename) {
      files[call.other] = files.at(call.path);
      files.erase(call.path);
    }
  }
  std::map<std::string, std::string> state;
  for (const auto& [path, inode] : files) state[path] = inode == 0 ? directory_mark : content(inode, end, unsynced);
  return state;
}

}  // namespace varimesh::attack
