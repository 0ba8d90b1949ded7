// Everything of the library. Guide: doc/cpp.md.
#pragma once

#include "iceblink/catalog.h"      // IWYU pragma: export
#include "iceblink/changes.h"      // IWYU pragma: export
#include "iceblink/data_writer.h"  // IWYU pragma: export
#include "iceblink/scan.h"         // IWYU pragma: export
#include "iceblink/session.h"      // IWYU pragma: export
#include "iceblink/transaction.h"  // IWYU pragma: export
#include "iceblink/updates.h"      // IWYU pragma: export
