// Answers what oneDNN's descriptor of a format tag holds: for each line "aBcd16b 2 20 5 4", of a tag by position and logical sizes,
// a line of JSON, or null if oneDNN has no such tag. Memory is where a reorder from row-major order puts the elements, numbered
// from 1; 0 is padding.
#include <oneapi/dnnl/dnnl.hpp>
#include <oneapi/dnnl/dnnl_debug.h>

#include <cstring>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

using dnnl::memory;

template <typename Numbers>
static void print(const char *name, const Numbers &numbers, size_t n) {
    std::cout << ", \"" << name << "\": [";
    for (size_t i = 0; i < n; i++) std::cout << (i ? ", " : "") << (long long)numbers[i];
    std::cout << "]";
}

static void describe(const memory::desc &md) {
#if DNNL_VERSION_MAJOR >= 3
    auto padded = md.get_padded_dims(), strides = md.get_strides(), blocks = md.get_inner_blks(), dims = md.get_inner_idxs();
    print("padded", padded, padded.size());
    print("strides", strides, strides.size());
    print("blocks", blocks, blocks.size());
    print("block_dims", dims, dims.size());
#else
    const auto &d = md.data;
    const auto &b = d.format_desc.blocking;
    print("padded", d.padded_dims, d.ndims);
    print("strides", b.strides, d.ndims);
    print("blocks", b.inner_blks, b.inner_nblks);
    print("block_dims", b.inner_idxs, b.inner_nblks);
#endif
}

static std::vector<float> reordered(const memory::desc &md, const memory::dims &dims, const dnnl::engine &cpu) {
    memory::dims rows(dims.size());
    long long n = 1;
    for (size_t i = dims.size(); i-- > 0; n *= dims[i]) rows[i] = n;
    std::vector<float> plain(n), blocked(md.get_size() / sizeof(float), -1);
    for (long long i = 0; i < n; i++) plain[i] = i + 1;
    memory from({dims, memory::data_type::f32, rows}, cpu, plain.data()), to(md, cpu, blocked.data());
    dnnl::stream stream(cpu);
    dnnl::reorder(from, to).execute(stream, from, to);
    stream.wait();
    return blocked;
}

int main() {
    std::map<std::string, memory::format_tag> tags;
    for (int t = 2; t < dnnl_format_tag_last; t++) tags[dnnl_fmt_tag2str((dnnl_format_tag_t)t)] = (memory::format_tag)t;
    dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
    const auto *v = dnnl_version();
    std::cout << "oneDNN " << v->major << "." << v->minor << "." << v->patch << std::endl;
    for (std::string line; std::getline(std::cin, line);) {
        std::istringstream words(line);
        std::string tag;
        memory::dims dims;
        words >> tag;
        for (long long n; words >> n;) dims.push_back(n);
        if (!tags.count(tag)) {
            std::cout << "null" << std::endl;
            continue;
        }
        memory::desc md(dims, memory::data_type::f32, tags[tag]);
        std::cout << "{\"bytes\": " << md.get_size();
        describe(md);
        auto elements = md.get_size() ? reordered(md, dims, cpu) : std::vector<float>();
        print("memory", elements, elements.size());
        std::cout << "}" << std::endl;
    }
}
