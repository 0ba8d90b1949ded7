// Session: Spark SQL, as `iceblink sql` runs it.
//
//   Session session({{"spark.sql.catalog.prod", "org.apache.iceberg.spark.SparkCatalog"}, ...});
//   session.AddCatalog(catalog);
//   auto result = session.Sql("MERGE INTO prod.shop.orders t USING ...");
//
// A statement either happens or does not. Errors carry Spark's class, condition and SQLSTATE.
// Threads: one statement at a time; Interrupt from any thread. A streamed result is read to its
// end, or dropped, before the next statement and before the session.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "iceblink/catalog.h"
#include "iceblink/value.h"

namespace iceblink {

struct ResultColumn {
  std::string name;
  std::string type;  // Spark's text: "bigint", "array<string>"
  bool nullable = true;
};

// Rows in order, in batches of at most some thousands. One thread.
class RowReader {
 public:
  virtual ~RowReader() = default;
  virtual const std::vector<ResultColumn>& columns() const = 0;
  // The next rows, one value per column; empty at the end.
  virtual Result<std::vector<ValueList>> Next() = 0;
  // All rows that are left.
  Result<std::vector<ValueList>> All();
};

class Session {
 public:
  // `settings` are Spark's, as --conf and spark-defaults.conf have them.
  explicit Session(const std::map<std::string, std::string>& settings = {});
  ~Session();
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;

  // Lets statements use an open catalog under its name.
  void AddCatalog(const Catalog& catalog);
  // Runs one statement. The reader of one that answers nothing has no columns.
  Result<std::unique_ptr<RowReader>> Sql(std::string_view text);
  void Interrupt();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace iceblink
