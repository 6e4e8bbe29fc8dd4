use ndarray::{Array2, Array3, Axis, ShapeBuilder};
fn line<D: ndarray::Dimension, T: std::fmt::Debug + Clone>(x: &ndarray::ArrayView<T, D>) {
    let t: Vec<String> = x.shape().iter().map(|n| n.to_string()).collect();
    let s: Vec<String> = x.strides().iter().map(|n| n.to_string()).collect();
    println!("{}\t\t{}:{}@0", format!("{:?}", x).replace('\n', "\\n"), t.join(","), s.join(","));
}
fn main() {
    let a = Array2::<f32>::zeros((2, 3));
    line(&a.view());
    line(&a.t());
    line(&a.slice(ndarray::s![.., ..2]));
    line(&Array2::<i64>::zeros((3, 2).f()).view());
    let b = Array3::<f64>::from_shape_fn((2, 3, 4), |(i, j, k)| (i + j) as f64 + k as f64 / 2.0);
    line(&b.view());
    line(&b.view().permuted_axes([2, 0, 1]));
    line(&b.index_axis(Axis(1), 2));
    line(&ndarray::Array1::<u8>::zeros(5).view());
    line(&b.view().into_dyn());
}
