// JSON as Spark's functions and readers take it from text.
#pragma once

#include <optional>
#include <string>

#include "base/json.h"

namespace iceblink::exec {

// The first value of a text; what follows it is ignored, as by Spark's parser. Nothing when the
// text does not begin with a value.
std::optional<Json> FirstJson(const std::string& text);

}  // namespace iceblink::exec
