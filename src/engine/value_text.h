// Values as text: Spark's cast to string, for people, and the line format of programs (one JSON
// array a row).
//
// Pure functions; timestamps are shown in the zone that is passed.
#pragma once

#include <string>

#include "base/time_zone.h"
#include "base/value.h"
#include "sql/data_type.h"

namespace iceblink::engine {

// Appends Spark's CAST(value AS STRING); "NULL" for a null at the top, "null" inside nested values.
void AppendText(const Value& value, const sql::DataType& type, const TimeZone& zone,
                std::string& out);

// Appends one JSON value: numbers and booleans plain, NaN and infinities as strings, decimal, date,
// timestamp and interval as strings, binary as base64, an array as list, a struct as list of its
// fields, a map as list of pairs.
void AppendJson(const Value& value, const sql::DataType& type, const TimeZone& zone,
                std::string& out);

// Appends one JSON value for people: as AppendJson, but structs are objects and maps with string
// keys too.
void AppendJsonObject(const Value& value, const sql::DataType& type, const TimeZone& zone,
                      std::string& out);

// Appends the text in double quotes with JSON's escapes.
void AppendJsonString(std::string_view text, std::string& out);

}  // namespace iceblink::engine
