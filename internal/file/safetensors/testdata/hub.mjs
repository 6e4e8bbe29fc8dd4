// Lists safetensors files with @huggingface/hub, which reads them from this program's own server on the loopback interface.
// Run as: node hub.mjs FOLDER, where FOLDER/node_modules has the package. Reads a folder of files a line, which holds
// model.safetensors or model.safetensors.index.json; writes what parseSafetensorsMetadata says, a line of JSON.
import { createServer } from "node:http";
import { createInterface } from "node:readline";
import { createRequire } from "node:module";
import { readFileSync, existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import path from "node:path";

const require = createRequire(path.join(process.argv[2], "/"));
const { parseSafetensorsMetadata } = await import(pathToFileURL(require.resolve("@huggingface/hub")));
const version = JSON.parse(readFileSync(path.join(process.argv[2], "node_modules/@huggingface/hub/package.json"))).version;

let folder = "";
const server = createServer((request, response) => {
  const file = path.join(folder, path.basename(new URL(request.url, "http://localhost").pathname));
  if (!existsSync(file)) {
    response.writeHead(404, { "X-Error-Code": "EntryNotFound" }).end();
    return;
  }
  const bytes = readFileSync(file);
  const range = /bytes=(\d+)-(\d*)/.exec(request.headers.range ?? "");
  const from = range ? Number(range[1]) : 0;
  const to = range && range[2] ? Math.min(Number(range[2]), bytes.length - 1) : bytes.length - 1;
  response.writeHead(range ? 206 : 200, {
    ETag: '"x"', "Content-Length": to - from + 1,
    ...(range && { "Content-Range": `bytes ${from}-${to}/${bytes.length}` }),
  });
  response.end(request.method === "HEAD" ? undefined : bytes.subarray(from, to + 1));
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));
const hubUrl = `http://127.0.0.1:${server.address().port}`;

console.log("@huggingface/hub", version);
for await (const line of createInterface({ input: process.stdin })) {
  folder = line;
  let answer;
  try {
    const { sharded, header, headers, index } = await parseSafetensorsMetadata({ repo: "a/b", hubUrl });
    const list = (h) => Object.entries(h).map(([name, entry]) => ({ name, ...entry }));
    answer = { headers: sharded ? Object.fromEntries(Object.entries(headers).map(([f, h]) => [f, list(h)])) : { "": list(header) },
      weight_map: index?.weight_map };
  } catch (error) {
    answer = { error: String(error) };
  }
  console.log(JSON.stringify(answer));
}
server.close();
