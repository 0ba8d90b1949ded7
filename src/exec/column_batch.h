// Columns of a result in the layout that Arrow gives to the Spark type of each, so that a front
// door that speaks Arrow copies bytes and no values. Plain values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace iceblink::exec {

struct ColumnData {
  int64_t length = 0;
  int64_t nulls = 0;
  std::string
      validity;  // a bit a row, the lowest first, set where there is a value; empty: no nulls
  std::string offsets;  // int32, length + 1 of them: texts, binary, arrays, maps
  std::string values;   // of fixed width, bits of booleans, or the bytes of texts one after another
  std::vector<ColumnData> children;  // fields of a struct; the elements of an array; key and value
};

struct ColumnBatch {
  int64_t rows = 0;
  std::vector<ColumnData> columns;
};

}  // namespace iceblink::exec
