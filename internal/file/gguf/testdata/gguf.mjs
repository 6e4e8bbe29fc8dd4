// Lists GGUF files with @huggingface/gguf, and writes their metadata again with it.
// Run as: node gguf.mjs FOLDER, where FOLDER/node_modules has the package. Reads {"path", "again"} a line; writes what gguf says of
// the file, a line of JSON, and, if again is the name of a file, the same metadata and tensors there, serialized anew.
import { createInterface } from "node:readline";
import { createRequire } from "node:module";
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import path from "node:path";

const require = createRequire(path.join(process.argv[2], "/"));
const { gguf, serializeGgufMetadata, GGMLQuantizationType } = await import(pathToFileURL(require.resolve("@huggingface/gguf")));
const version = JSON.parse(readFileSync(path.join(process.argv[2], "node_modules/@huggingface/gguf/package.json"))).version;

const plain = (key, value) => (typeof value === "bigint" ? value.toString() : value);

console.log("@huggingface/gguf", version);
for await (const line of createInterface({ input: process.stdin })) {
  const { path: file, again } = JSON.parse(line);
  let answer;
  try {
    const { metadata, tensorInfos, tensorDataOffset, littleEndian, typedMetadata, tensorInfoByteRange } =
      await gguf(file, { allowLocalFile: true, typedMetadata: true });
    answer = {
      littleEndian, begin: Number(tensorDataOffset), keys: Object.keys(metadata).slice(3), alignment: metadata["general.alignment"] ?? 32,
      tensors: tensorInfos.map((t) => ({ name: t.name, ne: t.shape.map(Number), type: GGMLQuantizationType[t.dtype], offset: Number(t.offset) })),
    };
    if (again) {
      const raw = readFileSync(file);
      const head = Buffer.from(serializeGgufMetadata(typedMetadata, { littleEndian, alignment: 1 }));
      const infos = raw.subarray(...tensorInfoByteRange);
      const pad = Buffer.alloc(tensorInfos.length ? (answer.alignment - ((head.length + infos.length) % answer.alignment)) % answer.alignment : 0);
      writeFileSync(again, Buffer.concat([head, infos, pad, raw.subarray(answer.begin)]));
    }
  } catch (error) {
    answer = { error: String(error) };
  }
  console.log(JSON.stringify(answer, plain));
}
