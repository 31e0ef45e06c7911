#include "compiler/onnx/raw_weights.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

namespace ttsim::impl::ir {

FileBytes::FileBytes(int descriptor, std::uint64_t bytes) : mapped_(static_cast<std::size_t>(bytes)) {
    void* const at =
        bytes > 0 ? ::mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) : MAP_FAILED;
    if (at == MAP_FAILED) return;
    at_ = static_cast<char*>(at);
    while (size_ < mapped_) {
        const ::ssize_t got = ::pread(descriptor, at_ + size_, mapped_ - size_, static_cast<::off_t>(size_));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        size_ += static_cast<std::size_t>(got);
    }
}
FileBytes::~FileBytes() {
    if (at_) ::munmap(at_, mapped_);
}

void forget(std::string_view data) {
    const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    const auto begin = reinterpret_cast<std::uintptr_t>(data.data()), end = begin + data.size();
    const std::uintptr_t first = (begin + page - 1) / page * page, last = end / page * page;
    if (first < last) (void)::madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
}

namespace {

// numbers of fields in onnx.proto
constexpr std::uint64_t model_graph = 7, graph_initializer = 5, tensor_raw_data = 9;
constexpr std::uint64_t varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5;  // wire types

/// A field of a message: its number, its type, its contents, and all of its bytes.
struct Field {
    std::uint64_t number = 0, type = 0;
    std::string_view contents, all;
};

/// Reads the fields of a message in order.
class Fields {
public:
    explicit Fields(std::string_view message) : rest_(message) {}

    /// The next field; nullopt at the end or at an error.
    std::optional<Field> next() {
        if (rest_.empty()) return std::nullopt;
        const std::string_view begin = rest_;
        const std::uint64_t tag = number();
        Field field{tag >> 3, tag & 7, {}, {}};
        std::uint64_t size = 0;
        if (field.type == varint)
            (void)number();
        else if (field.type == bytes)
            size = number();
        else if (field.type == fixed64 || field.type == fixed32)
            size = field.type == fixed64 ? 8 : 4;
        else
            failed_ = true;
        if (failed_ || size > rest_.size()) {
            failed_ = true;
            return std::nullopt;
        }
        field.contents = rest_.substr(0, static_cast<std::size_t>(size));
        rest_.remove_prefix(field.contents.size());
        field.all = begin.substr(0, begin.size() - rest_.size());
        return field;
    }
    bool failed() const { return failed_; }

private:
    std::uint64_t number() {
        std::uint64_t value = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            if (rest_.empty()) break;
            const auto byte = static_cast<unsigned char>(rest_.front());
            rest_.remove_prefix(1);
            value |= std::uint64_t{byte & 127U} << shift;
            if (byte < 128) return value;
        }
        failed_ = true;
        return 0;
    }

    std::string_view rest_;
    bool failed_ = false;
};

void add_number(std::string& to, std::uint64_t value) {
    for (; value >= 128; value >>= 7) to.push_back(static_cast<char>(value | 128));
    to.push_back(static_cast<char>(value));
}

void add_message(std::string& to, std::uint64_t number, std::string_view contents) {
    add_number(to, number << 3 | bytes);
    add_number(to, contents.size());
    to += contents;
}

/// Adds an initializer, without its data if that is large, and returns this data. nullopt: it is broken.
std::optional<std::string_view> add_tensor(std::string& to, std::string_view tensor) {
    constexpr std::size_t large = 1 << 16;  // bytes
    std::string_view data;
    std::string others;
    Fields fields(tensor);
    int raw_fields = 0;
    while (const auto field = fields.next()) {
        const bool is_raw = field->number == tensor_raw_data && field->type == bytes;
        raw_fields += is_raw ? 1 : 0;
        if (is_raw && field->contents.size() >= large)
            data = field->contents;
        else
            others += field->all;
        if (others.size() > large) break;  // data in other fields
    }
    if (fields.failed()) return std::nullopt;
    const bool is_split = !data.empty() && raw_fields == 1 && others.size() <= large;
    add_message(to, graph_initializer, is_split ? std::string_view(others) : tensor);
    return is_split ? data : std::string_view();
}

}  // namespace

std::optional<SplitModel> split_model(std::string_view model) {
    SplitModel split;
    bool any = false;
    Fields fields(model);
    while (const auto field = fields.next()) {
        if (field->number != model_graph || field->type != bytes) {
            split.message += field->all;
            continue;
        }
        std::string graph;
        Fields parts(field->contents);
        while (const auto part = parts.next()) {
            if (part->number != graph_initializer || part->type != bytes) {
                graph += part->all;
                continue;
            }
            const auto data = add_tensor(graph, part->contents);
            if (!data) return std::nullopt;
            split.data.push_back(*data);
            any = any || !data->empty();
        }
        if (parts.failed()) return std::nullopt;
        add_message(split.message, model_graph, graph);
    }
    if (fields.failed() || !any) return std::nullopt;
    return split;
}

}  // namespace ttsim::impl::ir
