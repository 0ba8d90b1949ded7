// Both ways with PyIceberg: it reads what this room writes, and this room reads what it wrote. Runs
// where the project's virtual environment is installed.
#include "spec/single_value.h"
#include "table/metadata_tables.h"
#include "table/test_tables.h"

namespace iceblink::table {
namespace {

constexpr const char* kPython = ".venv/bin/python";

std::string TempFolder(const std::string& name) {
  const std::string folder = testing::TempDir() + "iceblink_" + name;
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  return folder;
}

// Runs a program and returns what it printed.
std::string RunPython(const std::string& folder, const std::string& program) {
  std::ofstream(folder + "/program.py") << program;
  const std::string command = std::string(kPython) + " " + folder + "/program.py > " + folder +
                              "/out 2> " + folder + "/err";
  const int code = std::system(command.c_str());
  std::stringstream out;
  out << std::ifstream(folder + (code == 0 ? "/out" : "/err")).rdbuf();
  EXPECT_EQ(code, 0) << out.str();
  return out.str();
}

constexpr const char* kReader = R"(
import sys
from pyiceberg.io.pyarrow import PyArrowFileIO
from pyiceberg.manifest import read_manifest_list
io = PyArrowFileIO()
folder = sys.argv[0].rsplit('/', 1)[0]
for m in read_manifest_list(io.new_input(folder + '/list.avro')):
    print(m.content.value, m.sequence_number, m.min_sequence_number, m.added_snapshot_id, m.added_files_count,
          m.existing_files_count, m.deleted_files_count, m.added_rows_count, [(p.contains_null, p.lower_bound) for p in m.partitions])
    for e in m.fetch_manifest_entry(io, discard_deleted=False):
        f = e.data_file
        print(e.status.value, e.snapshot_id, e.sequence_number, e.file_sequence_number, f.content.value, f.file_format.value,
              f.partition[0], f.record_count, dict(f.value_counts), dict(f.lower_bounds), f.split_offsets, f.sort_order_id, f.spec_id)
)";

TEST(PyIcebergTest, ReadsOurManifests) {
  if (!std::filesystem::exists(kPython)) GTEST_SKIP() << kPython << " is not installed";
  const std::string folder = TempFolder("ours");
  io::LocalFileSystem files;
  const spec::TableMetadata metadata = SmallTable();
  ManifestWriteOptions options;
  options.snapshot_id = 7;
  auto writer =
      Must(ManifestWriter::Create(files, folder + "/m.avro", metadata.schema(), metadata.spec(),
                                  PartitionTypes(metadata).Find(0)->type, options));
  spec::DataFile file = SmallFile("a", "x");
  file.lower_bounds.Set(1, Bytes{std::string("\1\0\0\0", 4)});
  ASSERT_OK(writer->AddAdded(file));
  ASSERT_OK(writer->AddExisting(SmallFile("b", Value()), 5, 3, 2));
  ManifestListOptions list_options;
  list_options.snapshot_id = 7;
  list_options.sequence_number = 4;
  auto list = Must(ManifestListWriter::Create(files, folder + "/list.avro", list_options));
  Must(list->Add(Must(writer->Close())));
  ASSERT_OK(list->Close());
  EXPECT_EQ(RunPython(folder, kReader),
            "0 4 3 7 1 1 0 10 [(True, b'x')]\n"
            "1 7 4 4 0 PARQUET x 10 {1: 10, 2: 10, 3: 10} {1: b'\\x01\\x00\\x00\\x00'} [4] 0 0\n"
            "0 5 3 2 0 PARQUET None 10 {1: 10, 2: 10, 3: 10} {} [4] 0 0\n");
}

constexpr const char* kWriter = R"(
import sys
import pyarrow as pa
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.schema import Schema
from pyiceberg.types import NestedField, LongType, StringType, DateType, DecimalType
from pyiceberg.partitioning import PartitionSpec, PartitionField
from pyiceberg.transforms import IdentityTransform
folder = sys.argv[0].rsplit('/', 1)[0]
catalog = SqlCatalog('c', uri='sqlite:///' + folder + '/c.db', warehouse='file://' + folder)
catalog.create_namespace('db')
schema = Schema(NestedField(1, 'id', LongType()), NestedField(2, 's', StringType()),
                NestedField(3, 'day', DateType()), NestedField(4, 'd', DecimalType(9, 2)))
spec = PartitionSpec(PartitionField(3, 1000, IdentityTransform(), 'day'), PartitionField(4, 1001, IdentityTransform(), 'd'))
t = catalog.create_table('db.t', schema, location='file://' + folder + '/t', partition_spec=spec)
import datetime, decimal
def rows(n):
    return pa.table({'id': pa.array(range(n), pa.int64()), 's': ['x' + str(i) for i in range(n)],
        'day': [datetime.date(2026, 1, 1 + i % 3) for i in range(n)],
        'd': pa.array([decimal.Decimal('1.50')] * n, pa.decimal128(9, 2))})
t.append(rows(10))
t.append(rows(4))
t.delete("id < 2")
for f in t.inspect.files().sort_by('file_path').to_pylist():
    p = f['partition']
    print(p['day'], p['d'], f['record_count'], f['readable_metrics']['s']['lower_bound'], dict(f['value_counts'])[1])
)";

TEST(PyIcebergTest, WeReadItsTable) {
  if (!std::filesystem::exists(kPython)) GTEST_SKIP() << kPython << " is not installed";
  const std::string folder = TempFolder("theirs");
  const std::string expected = RunPython(folder, kWriter);
  const ForeignTable table = OpenForeign(folder + "/t");
  MetadataTableRequest request;
  request.kind = MetadataTableKind::kFiles;
  request.metadata = table.metadata;
  request.snapshot_id = table.metadata->current_snapshot_id;
  auto rows = Must(OpenMetadataTable(table.context(), request));
  std::map<std::string, std::string> lines;
  while (true) {
    const std::vector<ValueList> batch = Must(rows->Next());
    if (batch.empty()) break;
    for (const ValueList& row : batch) {
      const ValueList& partition = row[4].fields();
      const ValueList& metrics = row.back().fields();  // d, day, id, s
      std::stringstream line;
      line << spec::HumanString(spec::Type::Date(), partition[0]) << ' '
           << spec::HumanString(spec::Type::Decimal(9, 2), partition[1]) << ' ' << row[5].AsInt64()
           << ' ' << metrics[3].fields()[4].As<std::string>() << ' '
           << row[8].entries()[0].second.AsInt64() << '\n';
      lines[row[1].As<std::string>()] = line.str();
    }
  }
  std::string ours;
  for (const auto& [path, line] : lines) ours += line;
  EXPECT_EQ(ours, expected);
  EXPECT_GT(lines.size(), 4u);
}

}  // namespace
}  // namespace iceblink::table
