// Times layout conversions by oneDNN's reorder, and memcpy as their limit, on one thread.
// README.md says what a line of input asks and what the answer means.

#include <oneapi/dnnl/dnnl.hpp>

#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iostream>
#include <list>
#include <memory>
#include <new>
#include <sstream>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

using dnnl::memory;
using tag = memory::format_tag;

const double shortRun = 20e-3;     // seconds; a shorter run is repeated
const double repeatedFor = 40e-3;  // seconds that the repetitions fill, about
const size_t rowsKept = 2;         // so that a conversion and memcpy can take turns without a new set-up

// A layout's axes from the slowest to the fastest; c counts blocks where block > 1, and the offset in the block is
// the fastest axis of all.
struct Layout {
    std::string axes;
    int64_t block;
    tag nchwTag;  // the layout of a tensor whose logical dimensions are N, C, H, W
};

const std::unordered_map<std::string, Layout> layouts = {
    {"nchw", {"nchw", 1, tag::abcd}},      {"nhwc", {"nhwc", 1, tag::acdb}},
    {"chwn", {"chwn", 1, tag::bcda}},      {"nchw4", {"nchw", 4, tag::aBcd4b}},
    {"nchw8", {"nchw", 8, tag::aBcd8b}},   {"nchw16", {"nchw", 16, tag::aBcd16b}},
    {"nchw32", {"nchw", 32, tag::aBcd32b}}, {"chwn4", {"chwn", 4, tag::undef}},
};

struct Row {
    int64_t n, c, h, w, itemSize;
    std::string from, to;

    int64_t elements() const { return n * c * h * w; }
    bool isMemcpy() const { return from == "memcpy" && to == "memcpy"; }
    bool isValid() const {
        bool sizes = n > 0 && c > 0 && h > 0 && w > 0;
        bool item = itemSize == 1 || itemSize == 2 || itemSize == 4 || itemSize == 8 || itemSize == 16;
        return sizes && item && (isMemcpy() || (layouts.count(from) && layouts.count(to)));
    }
};

int64_t roundUp(int64_t n, int64_t multiple) { return (n + multiple - 1) / multiple * multiple; }

// Elements from one index to the next along each axis; c is the stride from one block to the next.
struct Strides {
    int64_t n = 0, c = 0, h = 0, w = 0, block, total;

    Strides(const Row& r, const Layout& l) : block(l.block), total(l.block) {
        for (size_t i = l.axes.size(); i-- > 0;) {
            switch (l.axes[i]) {
            case 'n': n = total; total *= r.n; break;
            case 'c': c = total; total *= roundUp(r.c, block) / block; break;
            case 'h': h = total; total *= r.h; break;
            case 'w': w = total; total *= r.w; break;
            }
        }
    }
    int64_t offset(int64_t in, int64_t ic, int64_t ih, int64_t iw) const {
        return in * n + ic / block * c + ic % block + ih * h + iw * w;
    }
};

struct Free {
    void operator()(void* p) const { std::free(p); }
};
using Buffer = std::unique_ptr<uint8_t, Free>;

// A buffer of which every page was written.
Buffer touchedBuffer(size_t bytes, int value) {
    void* p = std::aligned_alloc(64, roundUp(bytes, 64));
    if (!p) {
        throw std::bad_alloc();
    }
    std::memset(p, value, bytes);
    return Buffer(static_cast<uint8_t*>(p));
}

// The item at a logical position: different for different positions as far as the size allows, otherwise a hash; never
// zero. It is a normal number in f32, bf16 and f16, so that no arithmetic on it could change it.
template <typename T>
T itemAt(int64_t position) {
    uint64_t hash = uint64_t(position) * 0x9e3779b97f4a7c15u;
    switch (sizeof(T)) {
    case 1: return T(hash >> 40) | 1;
    case 2: return T(0x2000 + (hash >> 40) % 0x4000);
    default: return T(0x20000000 + (uint64_t(position) * 0x9e3779b1u) % 0x40000000);
    }
}

// Calls visit(position, n, c, h, w) for every element in the order of NCHW.
template <typename F>
void eachElement(const Row& r, F visit) {
    int64_t position = 0;
    for (int64_t n = 0; n < r.n; n++)
        for (int64_t c = 0; c < r.c; c++)
            for (int64_t h = 0; h < r.h; h++)
                for (int64_t w = 0; w < r.w; w++) visit(position++, n, c, h, w);
}

template <typename T>
void fillSource(const Row& r, const Strides& from, uint8_t* src) {
    T* items = reinterpret_cast<T*>(src);
    eachElement(r, [&](int64_t p, int64_t n, int64_t c, int64_t h, int64_t w) {
        items[from.offset(n, c, h, w)] = itemAt<T>(p);
    });
}

// Whether dst holds every element where the layout puts it, and zero elsewhere.
template <typename T>
bool isConverted(const Row& r, const Strides& to, const uint8_t* dst) {
    const T* items = reinterpret_cast<const T*>(dst);
    bool same = true;
    eachElement(r, [&](int64_t p, int64_t n, int64_t c, int64_t h, int64_t w) {
        same &= items[to.offset(n, c, h, w)] == itemAt<T>(p);
    });
    Row padding = r;
    padding.c = roundUp(r.c, to.block) - r.c;
    eachElement(padding, [&](int64_t, int64_t n, int64_t c, int64_t h, int64_t w) {
        same &= items[to.offset(n, r.c + c, h, w)] == 0;
    });
    return same;
}

// What one row needs to be run again and again.
struct Prepared {
    Row row;
    Buffer src = nullptr, dst = nullptr;
    std::function<void()> run = nullptr;  // empty where oneDNN cannot do the conversion
    bool correct = true;
};

// The types to try for items of this size, the best supported first.
std::vector<memory::data_type> typesOfSize(int64_t itemSize) {
    switch (itemSize) {
    case 1: return {memory::data_type::u8};
    case 2: return {memory::data_type::bf16, memory::data_type::f16};
    case 4: return {memory::data_type::f32};
    }
    return {};
}

// CHWN4 has a name only for a tensor whose logical dimensions are C, H, W, N: there it is Abcd4a (as for weights), and
// the layouts without blocks are given by their strides. The other blocked layouts cannot be said in that order.
memory::desc describe(const Row& r, const std::string& name, bool inOrderCHWN, memory::data_type type) {
    const Layout& l = layouts.at(name);
    if (!inOrderCHWN) {
        return memory::desc({r.n, r.c, r.h, r.w}, type, l.nchwTag);
    }
    memory::dims dims = {r.c, r.h, r.w, r.n};
    if (name == "chwn4") {
        return memory::desc(dims, type, tag::Abcd4a);
    }
    if (l.block > 1) {
        throw dnnl::error(dnnl_unimplemented, "no such format");
    }
    Strides s(r, l);
    return memory::desc(dims, type, memory::dims{s.c, s.h, s.w, s.n});
}

std::function<void()> reorderOf(const Row& r, memory::data_type type, uint8_t* src, uint8_t* dst) {
    static dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
    static dnnl::stream stream(cpu);
    bool inOrderCHWN = r.from == "chwn4" || r.to == "chwn4";
    memory from(describe(r, r.from, inOrderCHWN, type), cpu, src);
    memory to(describe(r, r.to, inOrderCHWN, type), cpu, dst);
    dnnl::reorder reorder(from, to);
    return [=]() mutable {
        reorder.execute(stream, from, to);
        stream.wait();
    };
}

template <typename T>
void prepareReorder(Prepared& p) {
    const Row& r = p.row;
    Strides from(r, layouts.at(r.from)), to(r, layouts.at(r.to));
    p.src = touchedBuffer(from.total * sizeof(T), 0);
    p.dst = touchedBuffer(to.total * sizeof(T), 0xff);
    for (auto type : typesOfSize(sizeof(T))) {
        try {
            p.run = reorderOf(r, type, p.src.get(), p.dst.get());
            break;
        } catch (const dnnl::error&) {
        }
    }
    if (p.run) {
        fillSource<T>(r, from, p.src.get());
        p.run();
        p.correct = isConverted<T>(r, to, p.dst.get());
    }
}

void prepareMemcpy(Prepared& p) {
    size_t bytes = p.row.elements() * p.row.itemSize;
    p.src = touchedBuffer(bytes, 0x55);
    p.dst = touchedBuffer(bytes, 0xff);
    // Through a volatile pointer: the compiler can neither replace memcpy nor leave it out.
    static void* (*volatile copy)(void*, const void*, size_t) = std::memcpy;
    p.run = [src = p.src.get(), dst = p.dst.get(), bytes] { copy(dst, src, bytes); };
    p.run();
    p.correct = std::memcmp(p.src.get(), p.dst.get(), bytes) == 0;
}

void prepare(Prepared& p) {
    if (p.row.isMemcpy()) {
        prepareMemcpy(p);
        return;
    }
    switch (p.row.itemSize) {
    case 1: return prepareReorder<uint8_t>(p);
    case 2: return prepareReorder<uint16_t>(p);
    case 4: return prepareReorder<uint32_t>(p);
    }
}

// The row of this text, prepared, from among the last ones where it is there.
Prepared& preparedRow(const std::string& text, const Row& row) {
    static std::list<std::pair<std::string, Prepared>> kept;
    for (auto it = kept.begin(); it != kept.end(); ++it) {
        if (it->first == text) {
            kept.splice(kept.begin(), kept, it);
            return it->second;
        }
    }
    if (kept.size() == rowsKept) {
        kept.pop_back();
    }
    kept.emplace_front(text, Prepared{row});
    prepare(kept.front().second);
    return kept.front().second;
}

double secondsOf(const std::function<void()>& run, int64_t times) {
    auto start = std::chrono::steady_clock::now();
    for (int64_t i = 0; i < times; i++) run();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double secondsPerRun(const std::function<void()>& run) {
    double once = secondsOf(run, 1);
    if (once >= shortRun) {
        return once;
    }
    int64_t times = int64_t(repeatedFor / std::max(once, 1e-7)) + 1;
    return secondsOf(run, times) / times;
}

std::string answer(const std::string& text) {
    std::istringstream in(text);
    Row r;
    in >> r.n >> r.c >> r.h >> r.w >> r.itemSize >> r.from >> r.to;
    if (!in || !r.isValid()) {
        return "! not a row";
    }
    Prepared& p = preparedRow(text, r);
    if (!p.run) {
        return "-";
    }
    if (!p.correct) {
        return "! mismatch";
    }
    char seconds[32];
    std::snprintf(seconds, sizeof seconds, "%.6g", secondsPerRun(p.run));
    return seconds;
}

int main() {
    omp_set_num_threads(1);
    std::string line;
    while (std::getline(std::cin, line)) {
        std::istringstream in(line);
        std::string id, row;
        in >> id;
        if (id == "version") {
            const dnnl_version_t* v = dnnl_version();
            std::cout << "version oneDNN " << v->major << "." << v->minor << "." << v->patch << std::endl;
        } else if (!id.empty()) {
            std::getline(in >> std::ws, row);
            std::cout << id << " " << answer(row) << std::endl;
        }
    }
}
