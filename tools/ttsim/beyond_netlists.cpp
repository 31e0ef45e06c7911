#include "tools/ttsim/beyond_netlists.hpp"

#include "tools/ttsim/model.hpp"
#include "tools/ttsim/page_of_run.hpp"

namespace ttsim::impl::cli {

namespace {

class ReportedModel : public ModelResult {
public:
    explicit ReportedModel(report::ModelReport report) : report_(std::move(report)) {}
    const sim::RunReport& device() const override { return report_.device; }
    bool pass() const override { return report_.pass(); }
    std::string text(std::optional<std::size_t> width) const override { return report::text(report_, width); }
    std::string json() const override { return report::json(report_); }

private:
    report::ModelReport report_;
};

class ModelsAndPages : public BeyondNetlists {
public:
    std::unique_ptr<ModelResult> run_model(const ir::ModelRunValues& given,
                                           const sim::RunOptions& options) const override {
        return std::make_unique<ReportedModel>(run_compiled(given, options));
    }
    void check_page() const override { (void)report::page_template(); }
    void write_page(const OutputFile& out, const RunForPage& run) const override { write_run_page(out, run); }
};

}  // namespace

const BeyondNetlists& models_and_pages() {
    static const ModelsAndPages all;
    return all;
}

}  // namespace ttsim::impl::cli
