# Answers for each line {"from": "BSHD", "to": "BHSD", "sizes": {...}}: what NumPy makes of x with dims "from", copied into the
# memory order "to" and seen with dims "from" again: its strides in elements, and the numbers of the elements in memory.
import json, sys
import numpy as np

print("numpy", np.__version__, flush=True)
for line in sys.stdin:
    q = json.loads(line)
    x = np.arange(np.prod([q["sizes"][c] for c in q["from"]])).reshape([q["sizes"][c] for c in q["from"]])
    y = np.ascontiguousarray(x.transpose([q["from"].index(c) for c in q["to"]]))
    back = y.transpose([q["to"].index(c) for c in q["from"]])
    print(json.dumps({"shape": x.shape, "strides": [s // x.itemsize for s in back.strides], "memory": y.ravel().tolist()}), flush=True)
