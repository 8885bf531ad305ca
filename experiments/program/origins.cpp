#include "experiments/program/origins.hpp"

#include <algorithm>
#include <cstddef>
#include <regex>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ninefold {
namespace {

/// "a; b; c" as its parts.
std::vector<std::string> parts_of(std::string text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find("; "), text.size());
    parts.push_back(text.substr(0, end));
    text.erase(0, std::min(text.size(), end + 2));
  }
  return parts;
}

/// Takes "driver for CUDA 13.0" off the end of what is said of a device.
std::string without_driver(const std::string& device) {
  return device.substr(0, device.find(", driver for "));
}

void add_once(std::vector<std::string>& list, const std::string& text) {
  if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(text);
}

std::string after(const std::string& text, const std::string& key) {
  return text.starts_with(key) ? text.substr(key.size()) : "";
}

/// "21 to 26 November 2026" of "2026-11-21" and "2026-11-26".
std::string days_in_words(const std::string& first, const std::string& last) {
  constexpr const char* months[] = {"January",   "February", "March",    "April",
                                    "May",       "June",     "July",     "August",
                                    "September", "October",  "November", "December"};
  const auto month_of = [&](const std::string& date) {
    const int month = std::clamp(std::stoi(date.substr(5, 2)), 1, 12);
    return fmt::format(" {} {}", months[month - 1], date.substr(0, 4));
  };
  const auto day_of = [](const std::string& date) {
    return std::to_string(std::stoi(date.substr(8)));
  };
  std::string text = day_of(first);
  if (first == last) return text + month_of(first);
  if (month_of(first) != month_of(last)) text += month_of(first);
  return text + " to " + day_of(last) + month_of(last);
}

/// Its parts ran without a driver.
bool is_host_alone(const RunOrigin& origin) {
  return origin.driver.empty() && origin.machine.find(" thread") != std::string::npos;
}

std::string or_not_recorded(const std::string& text) {
  return text.empty() ? "not recorded" : text;
}

}  // namespace

std::string driver_words(const std::string& text) {
  static const std::regex cuda("CUDA ([0-9.]+)"), driver("(^|[^0-9.])([0-9]{3}\\.[0-9.]+)");
  std::smatch found;
  std::vector<std::string> words;
  if (std::regex_search(text, found, cuda)) words.push_back("CUDA " + found[1].str());
  if (std::regex_search(text, found, driver)) words.push_back("driver " + found[2].str());
  return words.empty() ? text : fmt::format("{}", fmt::join(words, ", "));
}

RunOrigin origin_of_experiment(const std::string& subtitle) {
  RunOrigin origin;
  const std::size_t comma = subtitle.rfind(", ");
  if (comma != std::string::npos) origin.date = subtitle.substr(comma + 2);
  std::vector<std::string> machines;
  for (const std::string& part : parts_of(subtitle.substr(0, comma))) {
    if (const std::string driver = after(part, "driver "); !driver.empty()) {
      origin.driver = driver_words(driver);
    } else if (const std::string program = after(part, "ninefold "); !program.empty()) {
      const std::size_t open = program.find(" (");
      origin.version = program.substr(0, open);
      if (open != std::string::npos) {
        origin.commit = program.substr(open + 2, program.size() - open - 3);
      }
    } else {
      machines.push_back(without_driver(part));
    }
  }
  origin.machine = fmt::format("{}", fmt::join(machines, "; "));
  return origin;
}

RunOrigin origin_of_table(const std::string& subtitle) {
  RunOrigin origin;
  for (const std::string& part : parts_of(subtitle)) {
    if (part.starts_with("device: ")) origin.machine = after(part, "device: ");
    if (part.starts_with("driver: ")) origin.driver = driver_words(after(part, "driver: "));
    if (part.starts_with("commit: ")) origin.commit = after(part, "commit: ");
    if (part.starts_with("date: ")) origin.date = after(part, "date: ");
  }
  return origin;
}

void Origins::add(const RunOrigin& origin, const std::string& what, const std::string& link) {
  rows_.push_back({origin, what, link});
}

std::string Origins::places() const {
  std::vector<std::string> names;
  for (const Row& row : rows_) {
    for (const std::string& part : parts_of(row.origin.machine)) {
      const std::string name = part.substr(0, part.find(','));
      add_once(names, name);
    }
  }
  for (const Row& row : rows_) {
    for (std::string driver = row.origin.driver; !driver.empty();) {
      const std::size_t end = std::min(driver.find(", "), driver.size());
      add_once(names, driver.substr(0, end));
      driver.erase(0, std::min(driver.size(), end + 2));
    }
  }
  for (const Row& row : rows_) {
    if (!row.origin.version.empty()) add_once(names, "ninefold " + row.origin.version);
  }
  return fmt::format("{}", fmt::join(names, "; "));
}

Link Origins::commits() const {
  std::set<std::string> commits, dates;
  static const std::regex date("[0-9]{4}-[0-9]{2}-[0-9]{2}");
  for (const Row& row : rows_) {
    if (!row.origin.commit.empty()) commits.insert(row.origin.commit);
    const std::string& text = row.origin.date;
    for (std::sregex_iterator found(text.begin(), text.end(), date), end; found != end; ++found) {
      dates.insert(found->str());
    }
  }
  if (commits.size() < 2) return {};
  std::string words = "several commits";
  if (!dates.empty()) words += ", " + days_in_words(*dates.begin(), *dates.rbegin());
  return {std::move(words), "#provenance"};
}

Section Origins::section() const {
  Table table({{.key = "what", .header = "what", .align = Align::left},
               {.key = "machine", .header = "machine", .align = Align::left},
               {.key = "driver", .header = "CUDA and driver", .align = Align::left},
               {.key = "version", .header = "ninefold", .align = Align::left},
               {.key = "commit", .header = "commit", .align = Align::left},
               {.key = "date", .header = "date", .align = Align::left}});
  TableBlock block{{}, std::move(table)};
  std::set<std::string> commits;
  bool is_changed = false, has_threads = false;
  for (const Row& row : rows_) {
    const RunOrigin& origin = row.origin;
    block.table.add_row({row.what, or_not_recorded(origin.machine),
                         is_host_alone(origin) ? "" : or_not_recorded(origin.driver),
                         or_not_recorded(origin.version), or_not_recorded(origin.commit),
                         or_not_recorded(origin.date)});
    block.links.push_back({row.link});
    if (!origin.commit.empty()) commits.insert(origin.commit);
    is_changed = is_changed || origin.commit.find("-dirty") != std::string::npos;
    has_threads = has_threads || origin.machine.find(" thread") != std::string::npos;
  }
  Section made{"provenance", "What ran where", {std::move(block)}};
  std::vector<std::string> notes;
  if (commits.size() > 1) notes.emplace_back("Not all of this is of one commit.");
  if (is_changed) {
    notes.emplace_back("\"-dirty\": built from files that differed from the commit.");
  }
  if (has_threads) {
    notes.emplace_back(
        "Threads: those that this part had of the machine; results have the same "
        "bits for any number of them.");
  }
  if (!notes.empty()) {
    made.blocks.emplace_back(Paragraph{fmt::format("{}", fmt::join(notes, "  "))});
  }
  return made;
}

}  // namespace ninefold
