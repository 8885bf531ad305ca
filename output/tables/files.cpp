#include "output/tables/files.hpp"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace ninefold {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& what, const fs::path& where, int error) {
  throw std::runtime_error(what + " '" + where.string() + "': " + std::strerror(error));
}

/// A file descriptor that is closed on every way out.
class Descriptor {
 public:
  Descriptor(const fs::path& path, int flags)
      : value_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }

  bool is_open() const { return value_ >= 0; }
  int value() const { return value_; }

  /// Some file systems report a failed write only here.
  bool close() { return ::close(std::exchange(value_, -1)) == 0; }

 private:
  int value_;
};

fs::path directory_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

/// Unique among the programs of this machine and the threads of this one; hidden from listings.
fs::path temporary_beside(const fs::path& file) {
  static std::atomic<unsigned> count{0};
  return directory_of(file)
         / fmt::format(".{}.{}-{}.part", file.filename().string(), ::getpid(), count++);
}

void write_all(int descriptor, std::string_view content, const fs::path& target) {
  while (!content.empty()) {
    const ::ssize_t n = ::write(descriptor, content.data(), content.size());
    if (n < 0) {
      if (errno == EINTR) continue;
      fail("cannot write file", target, errno);
    }
    content.remove_prefix(static_cast<std::size_t>(n));
  }
}

}  // namespace

PendingFile::PendingFile(const fs::path& target) : target_(target) {
  std::error_code error;
  if (fs::is_symlink(fs::symlink_status(target, error))) {
    target_ = fs::weakly_canonical(target, error);
    if (error) fail("cannot follow the link", target, error.value());
  }
  const fs::file_status status = fs::status(target_, error);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    throw std::runtime_error("cannot write file '" + target.string()
                             + "': it exists and is no regular file");
  }
  temporary_ = temporary_beside(target_);
  ::unlink(temporary_.c_str());  // left by a program of the same number that was killed
  const Descriptor created(temporary_, O_WRONLY | O_CREAT | O_EXCL);
  if (!created.is_open()) fail("cannot write file", target, errno);
}

PendingFile::~PendingFile() {
  if (pending_) ::unlink(temporary_.c_str());
}

void PendingFile::commit() {
  {
    Descriptor file(temporary_, O_WRONLY);
    if (!file.is_open()) fail("cannot write file", target_, errno);
    if (::fsync(file.value()) != 0) fail("cannot write file", target_, errno);
  }
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail("cannot write file", target_, errno);
  pending_ = false;
  // The new name must survive a power failure too; file systems that cannot do this keep it anyway.
  Descriptor directory(directory_of(target_), O_RDONLY | O_DIRECTORY);
  if (directory.is_open()) ::fsync(directory.value());
}

void write_file_atomically(const fs::path& file, std::string_view content) {
  PendingFile pending(file);
  {
    Descriptor descriptor(pending.temporary_path(), O_WRONLY);
    if (!descriptor.is_open()) fail("cannot write file", file, errno);
    write_all(descriptor.value(), content, file);
    if (!descriptor.close()) fail("cannot write file", file, errno);
  }
  pending.commit();
}

void ensure_writable_directory(const fs::path& directory) {
  std::error_code error;
  fs::create_directories(directory, error);
  // An existing file of that name is not an error to create_directories in every library.
  if (!error && !fs::is_directory(directory)) {
    error = std::make_error_code(std::errc::not_a_directory);
  }
  if (error) fail("cannot create directory", directory, error.value());
  // Permissions alone do not tell: the file system may be read-only or full.
  const fs::path probe = temporary_beside(directory / "writable");
  const Descriptor descriptor(probe, O_WRONLY | O_CREAT | O_EXCL);
  if (!descriptor.is_open()) fail("cannot write to directory", directory, errno);
  ::unlink(probe.c_str());
}

void require_writable_directory(const fs::path& directory) {
  struct Missing {
    std::vector<fs::path> paths;
    ~Missing() {
      std::error_code is_used;  // by others since: then it stays
      for (const fs::path& made : paths) fs::remove(made, is_used);
    }
  } missing;
  std::error_code unknown;
  for (fs::path at = fs::absolute(directory).lexically_normal();
       !fs::exists(at, unknown) && at.has_relative_path(); at = at.parent_path()) {
    missing.paths.push_back(at);
  }
  ensure_writable_directory(directory);
}

}  // namespace ninefold
