// Spelling of identifiers: when a name needs back-quotes and how they are written.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace iceblink::sql {

using Name = std::vector<std::string>;  // a multi-part name: catalog, namespace..., table; or
                                        // column, field...

// Returns `name` in back-quotes with inner back-quotes doubled: the form of error messages.
std::string QuoteIdentifier(std::string_view name);

// Returns `name` as written when it consists of ASCII letters, digits and _ and is not all digits;
// back-quoted otherwise.
std::string QuoteIfNeeded(std::string_view name);

// Join the parts with dots: `a`.`b` (every part quoted), or a.`b c` (where needed).
std::string QuoteName(const Name& name);
std::string QuoteNameIfNeeded(const Name& name);

}  // namespace iceblink::sql
