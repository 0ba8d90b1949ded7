#include "iceblink/session.h"

#include "api/row_reader.h"
#include "api/state.h"

namespace iceblink {

Result<std::vector<ValueList>> RowReader::All() {
  std::vector<ValueList> all;
  while (true) {
    ASSIGN_OR_RETURN(std::vector<ValueList> rows, Next());
    if (rows.empty()) return all;
    all.insert(all.end(), std::make_move_iterator(rows.begin()),
               std::make_move_iterator(rows.end()));
  }
}

ResultReader::ResultReader(engine::StatementResult result, std::unique_ptr<engine::Session> session)
    : session_(std::move(session)), result_(std::move(result)) {
  for (const engine::ResultColumn& column : result_.columns())
    columns_.push_back({column.name, column.type.SimpleString(), column.nullable});
}

Result<std::vector<ValueList>> ResultReader::Next() { return result_.Next(); }

struct Session::State {
  explicit State(const std::map<std::string, std::string>& settings)
      : session({.settings = settings}) {}
  engine::Session session;
};

Session::Session(const std::map<std::string, std::string>& settings)
    : state_(std::make_unique<State>(settings)) {}
Session::~Session() = default;
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;

void Session::AddCatalog(const Catalog& catalog) {
  state_->session.state().catalogs.Put(catalog.state()->catalog);
}

Result<std::unique_ptr<RowReader>> Session::Sql(std::string_view text) {
  ASSIGN_OR_RETURN(engine::StatementResult result, state_->session.Execute(text));
  return std::make_unique<ResultReader>(std::move(result), nullptr);
}

void Session::Interrupt() { state_->session.Interrupt(); }

}  // namespace iceblink
