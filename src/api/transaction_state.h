// How a Transaction begins. Internal to the library.
#pragma once

#include <memory>

#include "api/state.h"
#include "iceblink/transaction.h"

namespace iceblink {

// `table` hears of the commit; null: there is none yet.
Transaction BeginTransaction(std::shared_ptr<CatalogState> catalog, catalog::TableIdentifier id,
                             commit::Transaction transaction, std::shared_ptr<TableState> table);

}  // namespace iceblink
