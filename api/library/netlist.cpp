#include "netlist/netlist.hpp"

#include <ttsim/netlist.hpp>

#include "api/library/internal.hpp"
#include "base/text.hpp"
#include "isa/data_format.hpp"
#include "netlist/checks/validate.hpp"
#include "netlist/text/reader.hpp"

namespace ttsim {

namespace {

bool read_by_graph(const impl::Netlist& netlist, const std::string& queue) {
    for (const impl::Graph& graph : netlist.graphs)
        for (const impl::Op& op : graph.ops)
            if (std::find(op.inputs.begin(), op.inputs.end(), queue) != op.inputs.end()) return true;
    return false;
}

QueueInfo describe(const impl::Netlist& netlist, const impl::Queue& queue) {
    QueueInfo info;
    info.name = queue.name;
    info.ram = queue.type == impl::QueueType::Ram;
    info.host_fills = queue.host_fed();
    info.host_empties = !info.ram && !info.host_fills && !read_by_graph(netlist, queue.name);
    info.filled_by = queue.from_host() ? "" : queue.input;
    info.entries = queue.entries;
    const impl::Tensor entry(impl::TileShape{0, queue.shape().rt, queue.shape().ct}, queue.tile);
    info.z = queue.shape().z;
    info.rows = entry.rows;
    info.columns = entry.cols;
    info.format = std::string(impl::to_string(queue.df));
    info.chip = queue.device();
    return info;
}

template <class Named>
std::vector<std::string> names_of(const std::vector<Named>& list) {
    std::vector<std::string> names;
    for (const Named& item : list) names.push_back(item.name);
    return names;
}

Netlist make(impl::Netlist&& read) {
    return Netlist(std::make_shared<const Netlist::Impl>(Netlist::Impl{impl::resolve(std::move(read))}));
}

}  // namespace

Netlist::Netlist(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

Netlist Netlist::from_file(const std::string& path) {
    return guarded([&] { return make(impl::read_netlist(path)); });
}

Netlist Netlist::from_text(const std::string& text, const std::string& name) {
    return guarded([&] { return make(impl::read_netlist_text(text, name)); });
}

std::vector<QueueInfo> Netlist::queues() const {
    std::vector<QueueInfo> list;
    for (const impl::Queue& queue : impl_->netlist.queues) list.push_back(describe(impl_->netlist, queue));
    return list;
}

QueueInfo Netlist::queue(const std::string& name) const {
    return guarded([&] {
        if (const impl::Queue* queue = impl_->netlist.find_queue(name)) return describe(impl_->netlist, *queue);
        impl::fail_input({impl_->netlist.file, 0, 0}, "the netlist has no queue '{}'{}", name,
                         impl::did_you_mean(name, names_of(impl_->netlist.queues)));
    });
}

std::vector<std::string> Netlist::programs() const { return names_of(impl_->netlist.programs); }
std::vector<std::string> Netlist::graphs() const { return names_of(impl_->netlist.graphs); }
std::vector<std::string> Netlist::chips() const { return impl_->netlist.archs; }
std::vector<std::string> Netlist::notes() const { return impl_->netlist.notes; }

}  // namespace ttsim
