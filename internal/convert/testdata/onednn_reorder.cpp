// Reorders real buffers with oneDNN. A request is a line "f32 abcd aBcd16b 4096 2 20 5 4": type, tags of the source and the result by
// position, bytes of the source, logical sizes; then the source. The answer is a line with the number of bytes of the result, and
// those; or "none", where this oneDNN has not both tags, or no such reorder.
#include <oneapi/dnnl/dnnl.hpp>
#include <oneapi/dnnl/dnnl_debug.h>

#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

using dnnl::memory;

int main() {
    std::map<std::string, memory::format_tag> tags;
    for (int t = 2; t < dnnl_format_tag_last; t++) tags[dnnl_fmt_tag2str((dnnl_format_tag_t)t)] = (memory::format_tag)t;
    std::map<std::string, memory::data_type> types = {{"f32", memory::data_type::f32}, {"s32", memory::data_type::s32},
        {"bf16", memory::data_type::bf16}, {"f16", memory::data_type::f16}, {"s8", memory::data_type::s8}, {"u8", memory::data_type::u8}};
    dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
    dnnl::stream stream(cpu);
    const auto *v = dnnl_version();
    std::cout << "oneDNN " << v->major << "." << v->minor << "." << v->patch << std::endl;
    for (std::string line; std::getline(std::cin, line);) {
        std::istringstream words(line);
        std::string type, from, to;
        size_t bytes;
        memory::dims dims;
        words >> type >> from >> to >> bytes;
        for (long long n; words >> n;) dims.push_back(n);
        std::vector<char> source(bytes + 1);
        std::cin.read(source.data(), bytes);
        if (!tags.count(from) || !tags.count(to)) {
            std::cout << "none" << std::endl;
            continue;
        }
        try {
            memory::desc in(dims, types[type], tags[from]), out(dims, types[type], tags[to]);
            if (in.get_size() != bytes) {
                std::cout << "the source has " << in.get_size() << " bytes" << std::endl;
                continue;
            }
            std::vector<char> result(out.get_size() + 1, 0x5a);
            memory a(in, cpu, source.data()), b(out, cpu, result.data());
            dnnl::reorder(a, b).execute(stream, a, b);
            stream.wait();
            std::cout << out.get_size() << "\n";
            std::cout.write(result.data(), out.get_size());
            std::cout.flush();
        } catch (dnnl::error &e) {
            std::cout << "none" << std::endl;
        }
    }
}
