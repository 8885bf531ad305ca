#pragma once
// Files that appear whole or not at all, and directories that are known to be writable.
//
// A file is written beside its place under a temporary name, forced to the disk and renamed: a
// reader, an interrupt or a crash sees the old file or the new one, never a part of it.
//
// Tests.  tests/output/tables/files_test.cpp

#include <filesystem>
#include <string_view>

namespace ninefold {

/// A file in the making.  Other libraries and programs write to temporary_path(), which exists and
/// is empty; commit() puts the result in place.  Without commit() the destructor removes it.
class PendingFile {
 public:
  /// Follows a symbolic link.  Throws std::runtime_error, which names the target and the reason, if
  /// the target exists and is no regular file, or its directory cannot be written to.
  explicit PendingFile(const std::filesystem::path& target);
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;
  ~PendingFile();

  const std::filesystem::path& temporary_path() const { return temporary_; }

  /// Replaces the target; throws std::runtime_error, with the old target intact, if it cannot.
  void commit();

 private:
  std::filesystem::path target_, temporary_;
  bool pending_ = true;
};

/// Replaces the file by `content`; throws std::runtime_error, which names the file and the reason,
/// with an old file intact.
void write_file_atomically(const std::filesystem::path& file, std::string_view content);

/// Creates the directory, with its parents, if needed, and tries to create a file in it; throws
/// std::runtime_error, which names the directory and the reason, if either fails.
void ensure_writable_directory(const std::filesystem::path& directory);
/// The same, leaving no directory that was not there.
void require_writable_directory(const std::filesystem::path& directory);

}  // namespace ninefold
