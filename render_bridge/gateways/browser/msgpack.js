// msgpack, as much of it as headers of the frame protocol need: maps with text keys, arrays, text, binary,
// integers up to 2^53, floats, booleans. Integers beyond 2^53 are BigInt.

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });
const MAX_DEPTH = 6;
const MAX_ITEMS = 1024;

/** A plain value → Uint8Array. */
export function encode(value) {
  const parts = [];
  write(parts, value);
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

function sized(tag, bytes, count) {
  const head = new Uint8Array(1 + bytes);
  head[0] = tag;
  for (let k = bytes; k > 0; k--, count = Math.floor(count / 256)) head[k] = count % 256;
  return head;
}

function write(parts, value) {
  if (value === true || value === false) parts.push(Uint8Array.of(value ? 0xc3 : 0xc2));
  else if (typeof value === "bigint" || Number.isSafeInteger(value)) parts.push(integer(BigInt(value)));
  else if (typeof value === "number") parts.push(float(value));
  else if (typeof value === "string") {
    const bytes = encoder.encode(value);
    parts.push(sized(0xda, 2, bytes.length), bytes);
  } else if (value instanceof Uint8Array) parts.push(sized(0xc5, 2, value.length), value);
  else if (Array.isArray(value)) {
    parts.push(sized(0xdc, 2, value.length));
    for (const item of value) write(parts, item);
  } else if (value !== null && typeof value === "object") {
    const entries = Object.entries(value).filter(([, item]) => item !== undefined);
    parts.push(sized(0xde, 2, entries.length));
    for (const [key, item] of entries) {
      write(parts, key);
      write(parts, item);
    }
  } else throw new TypeError(`msgpack cannot hold ${value}`);
}

function integer(value) {
  if (value >= 0n && value < 128n) return Uint8Array.of(Number(value));
  const bytes = new Uint8Array(9);
  bytes[0] = value < 0n ? 0xd3 : 0xcf;
  const view = new DataView(bytes.buffer);
  if (value < 0n) view.setBigInt64(1, value);
  else view.setBigUint64(1, value);
  return bytes;
}

function float(value) {
  const bytes = new Uint8Array(9);
  bytes[0] = 0xcb;
  new DataView(bytes.buffer).setFloat64(1, value);
  return bytes;
}

/** Uint8Array → the one value that it holds. Throws Error for anything that is not legal. */
export function decode(bytes) {
  const reader = { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), bytes, at: 0 };
  const value = read(reader, 1);
  if (reader.at !== bytes.length) throw new Error(`${bytes.length - reader.at} bytes follow the header`);
  return value;
}

function take(reader, count) {
  if (reader.at + count > reader.bytes.length) throw new Error("the header is cut short");
  reader.at += count;
  return reader.at - count;
}

function length(reader, bytes) {
  const at = take(reader, bytes);
  return bytes === 1 ? reader.view.getUint8(at) : bytes === 2 ? reader.view.getUint16(at) : reader.view.getUint32(at);
}

function small(big) {
  return big >= -(2n ** 53n) && big <= 2n ** 53n ? Number(big) : big;
}

function read(reader, depth) {
  if (depth > MAX_DEPTH) throw new Error(`nested deeper than ${MAX_DEPTH}`);
  const tag = reader.view.getUint8(take(reader, 1));
  const { view } = reader;
  if (tag < 0x80) return tag;
  if (tag < 0x90) return map(reader, tag & 15, depth);
  if (tag < 0xa0) return array(reader, tag & 15, depth);
  if (tag < 0xc0) return text(reader, tag & 31);
  if (tag >= 0xe0) return tag - 256;
  switch (tag) {
    case 0xc2: return false;
    case 0xc3: return true;
    case 0xc4: case 0xc5: case 0xc6: return binary(reader, length(reader, 1 << (tag - 0xc4)));
    case 0xca: return view.getFloat32(take(reader, 4));
    case 0xcb: return view.getFloat64(take(reader, 8));
    case 0xcc: return view.getUint8(take(reader, 1));
    case 0xcd: return view.getUint16(take(reader, 2));
    case 0xce: return view.getUint32(take(reader, 4));
    case 0xcf: return small(view.getBigUint64(take(reader, 8)));
    case 0xd0: return view.getInt8(take(reader, 1));
    case 0xd1: return view.getInt16(take(reader, 2));
    case 0xd2: return view.getInt32(take(reader, 4));
    case 0xd3: return small(view.getBigInt64(take(reader, 8)));
    case 0xd9: case 0xda: case 0xdb: return text(reader, length(reader, 1 << (tag - 0xd9)));
    case 0xdc: case 0xdd: return array(reader, length(reader, 2 << (tag - 0xdc)), depth);
    case 0xde: case 0xdf: return map(reader, length(reader, 2 << (tag - 0xde)), depth);
    default: throw new Error(`byte ${tag} begins no legal value`);
  }
}

function text(reader, count) {
  const at = take(reader, count);
  return decoder.decode(reader.bytes.subarray(at, at + count));
}

function binary(reader, count) {
  const at = take(reader, count);
  return reader.bytes.slice(at, at + count);
}

function array(reader, count, depth) {
  if (count > MAX_ITEMS) throw new Error(`an array of ${count}`);
  return Array.from({ length: count }, () => read(reader, depth + 1));
}

function map(reader, count, depth) {
  if (count > MAX_ITEMS) throw new Error(`a map of ${count}`);
  const made = Object.create(null);
  for (let k = 0; k < count; k++) {
    const key = read(reader, depth + 1);
    if (typeof key !== "string") throw new Error(`keys are text, got ${key}`);
    if (key in made) throw new Error(`the key ${key} occurs twice`);
    made[key] = read(reader, depth + 1);
  }
  return made;
}
