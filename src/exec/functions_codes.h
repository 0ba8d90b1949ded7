// Codes over text that stand for its sound or prove it was typed right.
#pragma once

#include "exec/row_function.h"

namespace iceblink::exec {

Datum Soundex(const RowArgs& args);
// Whether the digits of the text pass the Luhn check.
Datum Luhn(const RowArgs& args);

}  // namespace iceblink::exec
