// The values of a constant, and the types of values while a model is compiled.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/ir/gather_map.hpp"
#include "isa/data_format.hpp"

namespace ttsim::impl::ir {

using Dims = std::vector<std::int64_t>;

/// Element types of a model. On the device all of them are floats; integer and bool elements then have integral values.
enum class DType : std::uint8_t { F32, F16, BF16, F64, I8, I16, I32, I64, U8, U16, U32, U64, Bool };
std::string_view to_string(DType dtype);
std::optional<DType> parse_dtype(std::string_view name);
inline bool is_float(DType dtype) { return dtype <= DType::F64; }

float from_half(std::uint16_t bits);  ///< IEEE binary16

/// A model tensor (any rank), or with `format` a device tensor whose dims are {z, rt, ct} in tiles.
struct Type {
    DType dtype = DType::F32;
    Dims dims;
    std::optional<DataFormat> format;
    friend bool operator==(const Type&, const Type&) = default;
};
std::string to_string(const Type& type);  ///< "f32[2, 3]", "Float16_b[1, 4, 4]"

/// Limits on the elements of a tensor: for constants computed by the compiler, and for tensors read from a file. Larger
/// ones would exhaust memory.
inline constexpr std::int64_t max_constant_elements = std::int64_t{1} << 26, max_read_elements = std::int64_t{1} << 31;

std::int64_t count(const Dims& dims);  ///< number of elements; saturates at the largest int64
/// The same with dimensions of 0 counted as 1, so that no count derived from these dims is larger. -1: a dimension is
/// negative. Saturates too for ranks above the supported maximum.
std::int64_t extent(const Dims& dims);
/// Throws Error(Unsupported) for more than `most` elements.
void check_element_count(const Dims& dims, std::int64_t most = max_constant_elements);
std::int64_t to_integer(double value);  ///< drops the fraction; saturates; NaN gives 0
Dims strides(const Dims& dims);         ///< row-major

/// Elements in row-major order: floats, or integers for the integer types and bool. Copies share the elements until one
/// of them is changed. A caller that changes elements from several threads must get the reference to them first.
class Literal {
public:
    Literal() = default;
    /// Zeros. Throws Error(Unsupported) for more than `most` elements.
    Literal(DType dtype, Dims dims, std::int64_t most = max_constant_elements);
    static Literal scalar(DType dtype, double value);
    static Literal vector(const std::vector<std::int64_t>& values);  ///< i64[n]
    /// Of a float type; the elements are rounded to it. As many as the dims have.
    static Literal of_floats(DType dtype, Dims dims, std::vector<float>&& elements);
    /// Of an integer type or bool; the elements are in its range. As many as the dims have.
    static Literal of_integers(DType dtype, Dims dims, std::vector<std::int64_t>&& elements);
    /// The elements; moved if no other literal shares them.
    std::vector<float> take_floats() &&;
    std::vector<std::int64_t> take_integers() &&;
    /// i8 or u8, stored as one byte an element until integer_elements() is called.
    static Literal of_bytes(DType dtype, Dims dims, std::string bytes);
    /// i32 from a gather map, -1 where no row is gathered; stored as runs until integer_elements() is called.
    static Literal of_gather_map(Dims dims, GatherMap gather);
    /// A float type whose elements `make` computes when floats() is called. `make` must return the same elements on
    /// every call, from any thread.
    static Literal computed_on_read(DType dtype, Dims dims, std::function<std::vector<float>()> make);
    /// A splat of the only element of `one`; stores that element only. Reading all elements throws Error(Unsupported)
    /// for more than max_constant_elements.
    static Literal filled(const Literal& one, Dims dims);
    /// Whether filled() made it.
    bool is_filled() const { return (packed_ && packed_->fill) || (lazy_ && lazy_->fill); }

    DType dtype() const { return dtype_; }
    const Dims& dims() const { return dims_; }
    std::int64_t size() const {
        if (packed_) return packed_->size;
        if (lazy_) return lazy_->size;
        return static_cast<std::int64_t>(is_float(dtype_) ? floats_->size() : integers_->size());
    }
    /// How many elements it stores: for a gather map those of its runs, for a splat one.
    std::int64_t stored_elements() const {
        constexpr std::int64_t elements_of_run = 5;
        if (is_filled()) return 1;
        return gather_map() ? elements_of_run * static_cast<std::int64_t>(gather_map()->runs().size()) : size();
    }
    double at(std::int64_t i) const {
        const auto k = static_cast<std::size_t>(i);
        if (lazy_ && lazy_->fill) return static_cast<double>(*lazy_->fill);
        if (is_float(dtype_)) return static_cast<double>(floats()[k]);
        const std::int64_t v = packed_ ? packed_->at(k) : (*integers_)[k];
        return dtype_ == DType::U64 ? static_cast<double>(static_cast<std::uint64_t>(v)) : static_cast<double>(v);
    }
    /// An element of an integer type, exactly (compiler/ir/integers.hpp). Of a float the fraction is dropped.
    std::int64_t integer(std::int64_t i) const;
    void set(std::int64_t i, double value);  ///< rounds to a float type; converts by integer_of() to an integer type
    void set_integer(std::int64_t i, std::int64_t value);  ///< modulo 2^n; rounds to a float type
    /// Converts element `from` of another literal to this type; exact if both are integers or both are floats.
    void copy(std::int64_t i, const Literal& source, std::int64_t from);
    void reshape(Dims dims) { dims_ = std::move(dims); }
    bool is_splat() const;  ///< all elements are equal, and there is at least one
    std::vector<std::int64_t> integers() const;
    std::vector<float>& floats() {
        if (is_cached_ || lazy_) floats_ = std::make_shared<std::vector<float>>(copied_floats());
        is_cached_ = false;
        lazy_ = nullptr;
        return own(floats_);
    }
    const std::vector<float>& floats() const { return lazy_ ? lazy_->cached() : *floats_; }
    /// A copy of the elements, and the result of `use` on them. Neither caches elements that are computed on read.
    std::vector<float> copied_floats() const { return lazy_ ? lazy_->make() : *floats_; }
    template <class Use>
    auto with_floats(const Use& use) const {
        return lazy_ ? use(lazy_->make()) : use(*floats_);
    }
    std::vector<std::int64_t>& integer_elements() {
        if (packed_) integers_ = std::make_shared<std::vector<std::int64_t>>(packed_->integer_elements());
        packed_ = nullptr;
        return own(integers_);
    }
    const std::vector<std::int64_t>& integer_elements() const {
        return packed_ ? packed_->integer_elements() : *integers_;
    }
    /// Null: the elements are not stored as runs.
    const GatherMap* gather_map() const { return packed_ && packed_->gather ? &*packed_->gather : nullptr; }
    /// Calls use(i, value) for the integer elements first <= i < end that are not negative, in order.
    template <class Use>
    void for_each_gathered(std::int64_t first, std::int64_t end, const Use& use) const {
        if (const GatherMap* runs = gather_map()) return runs->each(first, end, use);
        const std::int64_t* const values = integer_elements().data();
        for (std::int64_t i = first; i < end; ++i)
            if (values[i] >= 0) use(i, values[i]);
    }
    friend bool operator==(const Literal&, const Literal&);

    /// The storage of the elements, which copies share.
    std::shared_ptr<const void> block() const {
        if (packed_) return packed_;
        if (lazy_) return lazy_;
        return is_float(dtype_) ? Block(floats_) : Block(integers_);
    }
    /// Floats in the cache of DerivedConstants, with the storage of the constants they are derived from, which they
    /// keep alive.
    struct CachedFloats {
        std::vector<float> floats;
        std::vector<std::shared_ptr<const void>> of;
    };
    /// Attaches the storage of the source constants to the elements, which must be floats.
    std::shared_ptr<CachedFloats> attach_sources(std::vector<std::shared_ptr<const void>> of);
    static Literal of(DType dtype, Dims dims, const std::shared_ptr<CachedFloats>& cached);

private:
    using Block = std::shared_ptr<const void>;
    struct Packed {
        std::int64_t size;
        std::string bytes;  // one element each; else `gather` or `fill` is set
        bool has_sign = false;
        std::optional<GatherMap> gather{};
        std::optional<std::int64_t> fill{};  ///< the value of all elements
        std::once_flag once{};               // several threads may read it
        std::vector<std::int64_t> expanded{};
        Packed(std::string given, bool with_sign)
            : size(static_cast<std::int64_t>(given.size())), bytes(std::move(given)), has_sign(with_sign) {}
        Packed(std::int64_t count, GatherMap given) : size(count), gather(std::move(given)) {}
        Packed(std::int64_t count, std::int64_t element) : size(count), fill(element) {}
        std::int64_t at(std::size_t k) const {
            if (fill) return *fill;
            if (gather) return gather->at(static_cast<std::int64_t>(k));
            return has_sign ? std::int64_t{static_cast<std::int8_t>(bytes[k])}
                            : std::int64_t{static_cast<std::uint8_t>(bytes[k])};
        }
        bool is_splat() const;
        const std::vector<std::int64_t>& integer_elements();
    };
    struct Lazy {
        std::int64_t size;
        std::function<std::vector<float>()> make;
        std::optional<float> fill{};  ///< the value of all elements
        std::once_flag once{};        // several threads may read them
        std::vector<float> elements{};
        Lazy(std::int64_t count, std::function<std::vector<float>()> how) : size(count), make(std::move(how)) {}
        const std::vector<float>& cached();
    };
    template <class T>
    using Data = std::shared_ptr<std::vector<T>>;  // never null
    template <class T>
    static std::vector<T>& own(Data<T>& data) {
        if (data.use_count() > 1) data = std::make_shared<std::vector<T>>(*data);
        return *data;
    }
    template <class T>
    static const Data<T>& none() {
        static const Data<T> empty = std::make_shared<std::vector<T>>();
        return empty;
    }

    DType dtype_ = DType::F32;
    Dims dims_;
    bool is_cached_ = false;  // elements are in the cache and must not be changed in place
    Data<float> floats_ = none<float>();
    Data<std::int64_t> integers_ = none<std::int64_t>();  // integer types and bool
    std::shared_ptr<Packed> packed_;                      // replaces integers_; null: integers_ is used
    std::shared_ptr<Lazy> lazy_;                          // replaces floats_; null: floats_ is used
};
using LiteralPtr = std::shared_ptr<const Literal>;

}  // namespace ttsim::impl::ir
