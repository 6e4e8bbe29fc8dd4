"""Converts a small network to TensorFlow Lite in some ways, and answers its constant tensors as TensorFlow's interpreter reads them.

Reads one JSON request a line from standard input, writes one JSON reply a line to standard output. Needs tensorflow and numpy.
"""
import json
import os
import sys
import warnings

os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="")
warnings.filterwarnings("ignore")
errors = os.dup(2)
answers = os.fdopen(os.dup(1), "w")
os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # TensorFlow writes to both whatever is set
os.dup2(2, 1)
try:
    import numpy as np
    import tensorflow as tf
except ModuleNotFoundError:
    os.dup2(errors, 2)
    raise
from tensorflow.lite.python import schema_py_generated as schema  # noqa: E402

print("tensorflow", tf.__version__, file=answers, flush=True)
layers = tf.keras.layers
net = tf.keras.Sequential([tf.keras.Input((8, 8, 3)), layers.Conv2D(5, 3, padding="same", bias_initializer="ones"), layers.DepthwiseConv2D(3),
                           layers.Conv2DTranspose(4, 3), layers.Flatten(), layers.Dense(7)])


def convert(way):
    c = tf.lite.TFLiteConverter.from_keras_model(net)
    if way != "plain":
        c.optimizations = [tf.lite.Optimize.DEFAULT]
    if way == "int8":
        c.representative_dataset = lambda: ([np.random.rand(1, 8, 8, 3).astype("f4")] for _ in range(4))
    if way == "float16":
        c.target_spec.supported_types = [tf.float16]
    if way == "offsets":  # as in models of more than 2 GiB
        c._experimental_use_buffer_offset = True
    return c.convert()


for line in sys.stdin:
    request = json.loads(line)
    content = convert(request["way"])
    with open(request["path"], "wb") as f:
        f.write(content)
    model = schema.Model.GetRootAs(content, 0)
    i = tf.lite.Interpreter(model_content=content, experimental_op_resolver_type=tf.lite.experimental.OpResolverType.BUILTIN_REF)
    i.allocate_tensors()
    graph = model.Subgraphs(0)
    reply = []
    for n in range(graph.TensorsLength()):
        t = graph.Tensors(n)
        b = model.Buffers(t.Buffer())
        if b.DataLength() == 0 and b.Offset() <= 1:
            continue
        x = i.get_tensor(n)
        reply.append({"name": t.Name().decode(), "dtype": x.dtype.name, "shape": list(x.shape), "bytes": np.ascontiguousarray(x).tobytes().hex(),
                      "offset": b.Offset()})
    print(json.dumps(reply), file=answers, flush=True)
os._exit(0)
