#include "trace/writer.hpp"

namespace ttsim::impl::trace {

Writer::Writer(const std::string& path)
    : file_(path, FileKind::Trace), database_(file_.temporary(), path, Database::Open::Write) {
    // The file is visible only when it is complete, so it needs neither rollback nor crash safety.
    database_.run(
        "PRAGMA page_size = 16384; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = "
        "EXCLUSIVE; BEGIN;");
    database_.run(create_schema());
}

Statement& Writer::statement(Table table) {
    const auto at = static_cast<std::size_t>(table);
    if (!inserts_[at]) inserts_[at] = std::make_unique<Statement>(database_, insert_sql(tables[at]));
    return *inserts_[at];
}

void Writer::finish() {
    database_.run(create_indexes() + "COMMIT");
    for (auto& insert : inserts_) insert.reset();
    database_.close();
    file_.commit();
}

}  // namespace ttsim::impl::trace
