#pragma once
// A config file as a flat list of settings: dotted key, value, and the place where it was written.
//
// Shape.  `[solver] tolerance = 1e-8` becomes the setting "solver.tolerance"; tables within tables
// become longer keys.  A `[study]` table of dotted keys with lists becomes a list of axes, in the
// order of the file.  Overrides from the command line replace what the file says.
//
// Nothing is known here about which keys exist: see experiments/config/keys.hpp.
//
// Tests.  tests/experiments/config/settings_test.cpp

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ninefold {

/// Bad input.  The message is for the user: it names the place, the key, the value and what is
/// allowed.
class ConfigurationError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Where a setting was written.
struct Origin {
  std::string place;    ///< "first.toml, line 7" or "--set solver.tolerance=2"
  std::string excerpt;  ///< "    7 | tolerance = 2.0", or empty
};

struct Value;
using List = std::vector<Value>;

/// A kind of TOML value that no key takes, by its name: "a date", "a table".
struct OtherKind {
  std::string name;
};

/// The kind of a table without a key in it.
inline constexpr std::string_view empty_table = "a table";

struct Value {
  std::variant<bool, std::int64_t, double, std::string, List, OtherKind> content;
};

/// The value as TOML text.
std::string to_toml(const Value& value);
std::string to_toml(double number);
std::string to_toml(std::string_view text);

/// The value that the TOML text states; throws ConfigurationError if it states none.
Value parse_value(const std::string& toml);

/// The value for a reader: a text without its quotation marks, anything else as TOML.
std::string to_words(const Value& value);

/// "a number", "an integer", "a text", "a list", "true or false", "a table" ...
std::string kind_of(const Value& value);

struct Setting {
  std::string key;
  Value value;
  Origin origin;
  bool replaces = false;  ///< the file states the key as well, and the command line has this
};

/// The setting of this key, or nullptr.
const Setting* find_setting(const std::vector<Setting>& settings, std::string_view key);

/// One key of a study and the values that it takes, each a setting of its own.
struct Axis {
  std::string key;
  std::vector<Setting> choices;
  Origin origin;
};

/// A `section.key=value` of the command line, with the text of the option that gave it.
struct Override {
  std::string text;      ///< "solver.tolerance=1e-8"
  std::string option;    ///< as the user wrote it: "--set solver.tolerance=1e-8", "--output runs"
  bool is_text = false;  ///< take the value as text, whatever it looks like
};

struct Document {
  std::filesystem::path file;
  std::vector<Setting> settings;
  std::vector<Axis> study;
  std::optional<Origin> study_origin;   ///< present if there is a [study] table, even an empty one
  std::vector<std::string> left_aside;  ///< what the file states and is not meant

  /// The setting of this key, or nullptr.
  const Setting* find(std::string_view key) const;
};

/// Throws ConfigurationError unless `text` is TOML and all overrides can be applied.  The value of
/// an override is TOML too; what is not TOML is taken as text, so that quotation marks can be left
/// out.  An override `study.KEY=[...]` replaces or adds an axis.
Document parse_document(const std::string& text, const std::filesystem::path& file,
                        const std::vector<Override>& overrides = {});

/// Tables, keys, "study" or "study.KEY" of a file, as if it did not state them.  Throws
/// ConfigurationError for one that it does not state.
void leave_aside(Document& document, const std::vector<std::string>& names);

/// parse_document() of a file, without what is left aside; overrides come after that.  Throws
/// ConfigurationError if it cannot be read.
Document read_document(const std::filesystem::path& file,
                       const std::vector<Override>& overrides = {},
                       const std::vector<std::string>& without = {});

}  // namespace ninefold
