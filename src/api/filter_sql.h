// A filter as the text of a Spark SQL condition. Internal to the library.
#pragma once

#include <string>

#include "expr/expression.h"

namespace iceblink {

// `filter` is bound. `system` is the quoted name of the catalog's functions ("`c`.system").
std::string FilterSql(const expr::Expression& filter, const std::string& system);

}  // namespace iceblink
