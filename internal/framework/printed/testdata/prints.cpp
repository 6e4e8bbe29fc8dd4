// Adds CuTe's prints in C++ to prints.txt: g++ -std=c++17 -I cutlass/include -I cuda/include prints.cpp && ./a.out >> prints.txt
// CUTLASS 4.2 of PyPI's nvidia-cutlass 4.2.0.0, headers of CUDA 12.9; needs no GPU.
#include <cute/tensor.hpp>
using namespace cute;

template <class T>
void line(T const& tensor) {
  print(tensor);
  printf("\t\t");
  for_each(make_seq<rank_v<T>>{}, [&](auto i) { printf(i == 0 ? "%d" : ",%d", int(get<i>(tensor.shape()))); });
  for_each(make_seq<rank_v<T>>{}, [&](auto i) { printf(i == 0 ? ":%d" : ",%d", int(get<i>(tensor.stride()))); });
  printf("@0\n");
}

int main() {
  static float f[4096];
  static half_t h[4096];
  static uint8_t b[4096];
  auto mixed = make_layout(make_shape(8, Int<64>{}), make_stride(Int<64>{}, 1));
  auto fixed = Layout<Shape<_8, _4, _2>, Stride<_1, _16, _8>>{};
  line(make_tensor(make_gmem_ptr(&h[0]), mixed));
  line(make_tensor(make_gmem_ptr(&b[0]), fixed));
  line(make_tensor(make_smem_ptr(&h[0]), fixed));
  line(make_tensor(make_smem_ptr(&f[0]), mixed));
  line(make_tensor(&f[0], fixed));
  line(make_tensor(&b[0], make_layout(make_shape(5, 7))));
  line(make_tensor(make_tmem_ptr<float>(0), mixed));
  line(make_tensor(make_rmem_ptr(&f[0]), fixed));
}
