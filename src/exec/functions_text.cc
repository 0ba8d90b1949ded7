// Strings as Spark has them.
#include "exec/row_function.h"
namespace iceblink::exec {
void RegisterTextFunctions(duckdb::ExtensionLoader&) {}
void RegisterDatetimeFunctions(duckdb::ExtensionLoader&) {}
void RegisterHashFunctions(duckdb::ExtensionLoader&) {}
}
