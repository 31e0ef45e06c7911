// node onnx_run.js ONNXRUNTIME MODEL INPUT SHAPE IN.f32 OUT.f32: runs a model on every sample of a file of floats.
const fs = require('fs');
const [runtime, model, name, shape, from, to] = process.argv.slice(2);
const ort = require(runtime);
const dims = shape.split(',').map(Number);
const size = dims.reduce((a, b) => a * b, 1);

async function main() {
  const session = await ort.InferenceSession.create(model, {intraOpNumThreads: 1});
  const bytes = fs.readFileSync(from);
  const all = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  const results = [];
  for (let at = 0; at < all.length; at += size) {
    const output = await session.run({[name]: new ort.Tensor('float32', all.slice(at, at + size), dims)});
    results.push(Buffer.from(output[session.outputNames[0]].data.slice().buffer));
  }
  fs.writeFileSync(to, Buffer.concat(results));
}
main().catch((error) => {
  console.error(String(error));
  process.exit(1);
});
