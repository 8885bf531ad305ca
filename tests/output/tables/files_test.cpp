#include "output/tables/files.hpp"

#include <fstream>
#include <string>

#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/catch.hpp"
#include "tests/support/file_size_limit.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace ninefold;
namespace fs = std::filesystem;
using Names = std::vector<std::string>;

TEST_CASE("a file appears with its content and leaves nothing beside it", "[output][files]") {
  const TemporaryDirectory directory;
  const fs::path file = directory.path() / "results.csv";
  const std::string binary("a\0b\r\n", 5);
  write_file_atomically(file, binary);
  REQUIRE(content_of(file) == binary);
  write_file_atomically(file, "second");
  REQUIRE(content_of(file) == "second");
  REQUIRE(directory.entries() == Names{"results.csv"});
}

TEST_CASE("a new file has the permissions that the user asks for", "[output][files]") {
  const TemporaryDirectory directory;
  const ::mode_t before = ::umask(022);
  write_file_atomically(directory.path() / "a", "");
  ::umask(before);
  struct ::stat facts {};
  REQUIRE(::stat((directory.path() / "a").c_str(), &facts) == 0);
  REQUIRE((facts.st_mode & 0777u) == 0644u);
}

TEST_CASE("a reader that has the old file open keeps all of it", "[output][files]") {
  const TemporaryDirectory directory;
  const fs::path file = directory.path() / "results.json";
  write_file_atomically(file, "old content");
  std::ifstream reader(file);
  write_file_atomically(file, "new");
  std::string line;
  REQUIRE(std::getline(reader, line));
  REQUIRE(line == "old content");
  REQUIRE(content_of(file) == "new");
}

TEST_CASE("a pending file that is given up leaves the old one", "[output][files]") {
  const TemporaryDirectory directory;
  const fs::path file = directory.path() / "picture.png";
  write_file_atomically(file, "old");
  {
    const PendingFile pending(file);
    std::ofstream(pending.temporary_path()) << "half of the new";
    REQUIRE(fs::exists(pending.temporary_path()));
    REQUIRE(pending.temporary_path().parent_path() == directory.path());
  }
  REQUIRE(content_of(file) == "old");
  REQUIRE(directory.entries() == Names{"picture.png"});
}

TEST_CASE("a commit whose file was removed fails and leaves the old one", "[output][files]") {
  const TemporaryDirectory directory;
  const fs::path file = directory.path() / "picture.png";
  write_file_atomically(file, "old");
  PendingFile pending(file);
  fs::remove(pending.temporary_path());
  REQUIRE_THROWS_AS(pending.commit(), std::runtime_error);
  REQUIRE(content_of(file) == "old");
}

TEST_CASE("a file that cannot be written is named with the reason", "[output][files]") {
  const TemporaryDirectory directory;
  const fs::path file = directory.path() / "missing" / "results.csv";
  REQUIRE_THROWS_WITH(write_file_atomically(file, "x"),
                      "cannot write file '" + file.string() + "': No such file or directory");
}

TEST_CASE("a full disk leaves the old file and no temporary one", "[output][files]") {
  const TemporaryDirectory directory;
  const fs::path file = directory.path() / "results.csv";
  write_file_atomically(file, "old");
  std::string message;
  try {
    const FileSizeLimit limit(100);
    write_file_atomically(file, std::string(200, 'x'));
  } catch (const std::runtime_error& error) {
    message = error.what();
  }
  REQUIRE(message == "cannot write file '" + file.string() + "': File too large");
  REQUIRE(content_of(file) == "old");
  REQUIRE(directory.entries() == Names{"results.csv"});
}

TEST_CASE("only regular files are replaced, and links are followed", "[output][files]") {
  const TemporaryDirectory directory;
  const fs::path pipe = directory.path() / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  REQUIRE_THROWS_WITH(
      write_file_atomically(pipe, "x"),
      "cannot write file '" + pipe.string() + "': it exists and is no regular file");
  REQUIRE_THROWS_AS(write_file_atomically(directory.path(), "x"), std::runtime_error);

  const fs::path target = directory.path() / "target", link = directory.path() / "link";
  write_file_atomically(target, "old");
  fs::create_symlink("target", link);
  write_file_atomically(link, "new");
  REQUIRE(fs::is_symlink(link));
  REQUIRE(content_of(target) == "new");
}

TEST_CASE("a directory is created with its parents and tried", "[output][files]") {
  const TemporaryDirectory directory;
  const fs::path wanted = directory.path() / "results" / "test-a";
  ensure_writable_directory(wanted);
  REQUIRE(fs::is_directory(wanted));
  REQUIRE(fs::is_empty(wanted));
  REQUIRE_NOTHROW(ensure_writable_directory(wanted));
  REQUIRE_NOTHROW(ensure_writable_directory(wanted / ""));
}

TEST_CASE("a directory that cannot be created is named with the reason", "[output][files]") {
  const TemporaryDirectory directory;
  const fs::path file = directory.path() / "file";
  write_file_atomically(file, "");
  REQUIRE_THROWS_WITH(ensure_writable_directory(file),
                      "cannot create directory '" + file.string() + "': Not a directory");
  const fs::path below = file / "results";
  REQUIRE_THROWS_WITH(ensure_writable_directory(below),
                      "cannot create directory '" + below.string() + "': Not a directory");
}

TEST_CASE("a directory is tried without a trace", "[output][files]") {
  const TemporaryDirectory directory;
  const fs::path wanted = directory.path() / "results" / "test-a";
  require_writable_directory(wanted / "");
  REQUIRE(fs::is_empty(directory.path()));
  ensure_writable_directory(wanted.parent_path());
  require_writable_directory(wanted);
  REQUIRE(fs::is_directory(wanted.parent_path()));
  REQUIRE_FALSE(fs::exists(wanted));
  const fs::path file = directory.path() / "file";
  write_file_atomically(file, "");
  REQUIRE_THROWS_WITH(
      require_writable_directory(file / "results"),
      "cannot create directory '" + (file / "results").string() + "': Not a directory");
  REQUIRE(fs::is_regular_file(file));
}

TEST_CASE("a directory that cannot be written to is named with the reason", "[output][files]") {
  // /proc is read-only even for root, to whom permissions do not apply.
  REQUIRE_THROWS_WITH(ensure_writable_directory("/proc/self"),
                      Catch::Matchers::StartsWith("cannot write to directory '/proc/self': "));
}
