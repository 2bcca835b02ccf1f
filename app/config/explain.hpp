#pragma once
#include <string>
#include <vector>

#include "app/config/key_description.hpp"

namespace cardiowarp {

// The keys of the YAML file in words, from their descriptions (key_description.hpp), for `cardiowarp explain`, the page
// docs/configuration.md, completion and the man page. Names that are for measurements alone are left out.

/// All keys with their full names, `stimuli.start`, in the order of the file. Those inside a `where` stand once, in the
/// section of the boundary, which has all kinds of places.
std::vector<std::string> full_names_of_keys();

/// Every section with what it is for, a line each.
std::string explained_sections();

/// The key or the section with this full name; entries of lists may have numbers: `stimuli[0].start`. Throws InputError
/// with the nearest name where there is none.
std::string explained_key(const std::string& full_name);

/// The table of a section in Markdown, a row a key. Throws InputError where there is no such section.
std::string key_table(const std::string& section);

/// The JSON schema of the file, of draft 7, with which editors check and complete it.
std::string key_schema();

}  // namespace cardiowarp
