#include "base/strings.h"
#include "sql/printer.h"
#include "sql/printer_parts.h"

namespace iceblink::sql {

namespace {

std::string PrintChange(const ColumnChange& change) {
  std::string out = PrintName(change.column);
  if (change.type) out += " TYPE " + change.type->SqlString();
  if (change.comment) out += " COMMENT " + PrintString(*change.comment);
  if (change.position)
    out += change.position->after.empty() ? " FIRST"
                                          : " AFTER " + PrintIdentifier(change.position->after);
  if (change.not_null) out += *change.not_null ? " SET NOT NULL" : " DROP NOT NULL";
  if (change.set_default) out += " SET DEFAULT " + PrintExpression(*change.set_default->expr);
  return change.drop_default ? out + " DROP DEFAULT" : out;
}

std::string PrintDuration(int64_t millis) {
  struct Unit {
    int64_t millis;
    std::string_view name;
  };
  for (const Unit& unit : {Unit{86'400'000, " DAYS"}, Unit{3'600'000, " HOURS"}}) {
    if (millis % unit.millis == 0)
      return std::to_string(millis / unit.millis) + std::string(unit.name);
  }
  return std::to_string(millis / 60'000) + " MINUTES";
}

std::string PrintOrder(const OrderField& field) {
  return PrintTransform(field.transform) + (field.descending ? " DESC" : " ASC") +
         (field.nulls_first ? " NULLS FIRST" : " NULLS LAST");
}

class ChangePrinter {
 public:
  std::string operator()(const AddColumns& n) const {
    return "ADD COLUMNS (" + PrintColumns(n.columns) + ")";
  }
  std::string operator()(const ReplaceColumns& n) const {
    return "REPLACE COLUMNS (" + PrintColumns(n.columns) + ")";
  }
  std::string operator()(const RenameColumn& n) const {
    return "RENAME COLUMN " + PrintName(n.column) + " TO " + PrintIdentifier(n.to);
  }
  std::string operator()(const DropColumns& n) const {
    return std::string("DROP COLUMNS ") + (n.if_exists ? "IF EXISTS " : "") + "(" +
           PrintNames(n.columns) + ")";
  }
  std::string operator()(const AlterColumns& n) const {
    const ColumnChange& first = n.changes[0];
    if (!first.type || (!first.comment && !first.position))
      return "ALTER COLUMN " + PrintList(n.changes, PrintChange);
    // Only Hive's form says several things of one column.
    const std::string place = !first.position ? ""
                              : first.position->after.empty()
                                  ? " FIRST"
                                  : " AFTER " + PrintIdentifier(first.position->after);
    return "CHANGE COLUMN " + PrintName(first.column) + " " + PrintIdentifier(first.column.back()) +
           " " + first.type->SqlString() +
           (first.comment ? " COMMENT " + PrintString(*first.comment) : "") + place;
  }
  std::string operator()(const SetProperties& n) const {
    return "SET TBLPROPERTIES " + PrintProperties(n.properties);
  }
  std::string operator()(const UnsetProperties& n) const {
    return std::string("UNSET TBLPROPERTIES ") + (n.if_exists ? "IF EXISTS " : "") + "(" +
           PrintList(n.keys, PrintString) + ")";
  }
  std::string operator()(const RenameTo& n) const { return "RENAME TO " + PrintName(n.to); }
  std::string operator()(const SetLocation& n) const {
    return (n.partition.empty() ? "" : PrintPartition(n.partition) + " ") + "SET LOCATION " +
           PrintString(n.location);
  }
  std::string operator()(const AddPartitions& n) const {
    std::string out = std::string("ADD") + (n.if_not_exists ? " IF NOT EXISTS" : "");
    for (const AddPartitions::Entry& entry : n.partitions) {
      out += " " + PrintPartition(entry.partition) +
             (entry.location ? " LOCATION " + PrintString(*entry.location) : "");
    }
    return out;
  }
  std::string operator()(const DropPartitions& n) const {
    return std::string("DROP ") + (n.if_exists ? "IF EXISTS " : "") +
           PrintList(n.partitions, PrintPartition) + (n.purge ? " PURGE" : "");
  }
  std::string operator()(const RenamePartition& n) const {
    return PrintPartition(n.from) + " RENAME TO " + PrintPartition(n.to);
  }
  std::string operator()(const RecoverPartitions&) const { return "RECOVER PARTITIONS"; }
  std::string operator()(const ClusterBy& n) const {
    return n.columns.empty() ? "CLUSTER BY NONE" : "CLUSTER BY (" + PrintNames(n.columns) + ")";
  }
  std::string operator()(const AddPartitionField& n) const {
    return "ADD PARTITION FIELD " + PrintTransform(n.transform) + As(n.name);
  }
  std::string operator()(const DropPartitionField& n) const {
    return "DROP PARTITION FIELD " + PrintTransform(n.transform);
  }
  std::string operator()(const ReplacePartitionField& n) const {
    return "REPLACE PARTITION FIELD " + PrintTransform(n.from) + " WITH " + PrintTransform(n.to) +
           As(n.name);
  }
  std::string operator()(const WriteOrder& n) const {
    const std::string order = n.order.empty() ? "" : "ORDERED BY " + PrintList(n.order, PrintOrder);
    if (n.distribution == "hash")
      return "WRITE DISTRIBUTED BY PARTITION " + (order.empty() ? "UNORDERED" : "LOCALLY " + order);
    if (n.distribution == "none") return "WRITE UNORDERED";
    return "WRITE " + (n.distribution.empty() ? "LOCALLY " + order : order);
  }
  std::string operator()(const SetIdentifierFields& n) const {
    return "SET IDENTIFIER FIELDS " + PrintNames(n.fields);
  }
  std::string operator()(const DropIdentifierFields& n) const {
    return "DROP IDENTIFIER FIELDS " + PrintNames(n.fields);
  }
  std::string operator()(const PutRef& n) const {
    std::string out = n.replace ? (n.create ? "CREATE OR REPLACE " : "REPLACE ") : "CREATE ";
    out += std::string(n.tag ? "TAG " : "BRANCH ") + (n.if_not_exists ? "IF NOT EXISTS " : "") +
           PrintIdentifier(n.name);
    if (n.snapshot_id) out += " AS OF VERSION " + std::to_string(*n.snapshot_id);
    if (n.max_ref_age_ms) out += " RETAIN " + PrintDuration(*n.max_ref_age_ms);
    if (n.min_snapshots_to_keep || n.max_snapshot_age_ms) out += " WITH SNAPSHOT RETENTION";
    if (n.min_snapshots_to_keep)
      out += " " + std::to_string(*n.min_snapshots_to_keep) + " SNAPSHOTS";
    if (n.max_snapshot_age_ms) out += " " + PrintDuration(*n.max_snapshot_age_ms);
    return out;
  }
  std::string operator()(const DropRef& n) const {
    return std::string("DROP ") + (n.tag ? "TAG " : "BRANCH ") + (n.if_exists ? "IF EXISTS " : "") +
           PrintIdentifier(n.name);
  }

 private:
  static std::string As(const std::string& name) {
    return name.empty() ? "" : " AS " + PrintIdentifier(name);
  }
};

}  // namespace

std::string PrintTableChange(const TableChange& change) {
  return std::visit(ChangePrinter(), change);
}

std::string PrintTransform(const Transform& transform) {
  const auto print = [](const TransformArgument& arg) {
    const auto* name = std::get_if<Name>(&arg);
    return name ? PrintName(*name) : PrintLiteral(std::get<Literal>(arg));
  };
  if (transform.name == "identity" && transform.args.size() == 1) return print(transform.args[0]);
  return PrintIdentifier(transform.name) + "(" + PrintList(transform.args, print) + ")";
}

}  // namespace iceblink::sql
