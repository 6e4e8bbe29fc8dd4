"""Three mistakes that a checker of types must find, and no other: python/verify.sh counts them."""

import numpy as np

import tlayout

x = np.zeros((2, 3, 4, 5), np.float32)
tlayout.nonsense  # mistake
tlayout.assert_layout(x, contigous="c")  # mistake
tlayout.assert_layout(x, contiguous=3)  # mistake
tlayout.assert_layout(x, contiguous="channels_last", expect_shape=(2, "*", 4, 5), accepted_by=["numpy"], packed=True)
with tlayout.watch() as watched:
    pass
lost: "str | None" = watched.lost
report: tlayout.Report = watched.report()
graph: tlayout.Graph = tlayout.graph("net.pt2")
r: tlayout.Relation = tlayout.relate(x, x, rtol=1e-5, atol=0)
largest: "float | None" = r.largest
strides: "tuple[int, ...]" = tlayout.layout(x).strides
tlayout.show(x, x, all=True)
version: str = tlayout.__version__
