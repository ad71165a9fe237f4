// A text as a QR code (ISO/IEC 18004:2015): bytes, error correction level L, the smallest version that holds it.

/** By version: codewords in all, and those of error correction in each of the blocks. */
const versions: readonly (readonly [total: number, correction: number, blocks: number])[] = [
  [26, 7, 1],
  [44, 10, 1],
  [70, 15, 1],
  [100, 20, 1],
  [134, 26, 1],
  [172, 18, 2],
  [196, 20, 2],
  [242, 24, 2],
  [292, 30, 2],
  [346, 18, 4],
  [404, 20, 4],
  [466, 24, 4],
  [532, 26, 4],
  [581, 30, 4],
  [655, 22, 6],
  [733, 24, 6],
  [815, 28, 6],
  [901, 30, 6],
  [991, 28, 7],
  [1085, 28, 8],
];

/** Powers of 2 in GF(256) modulo x^8 + x^4 + x^3 + x^2 + 1, and their logarithms. */
const powers = new Uint8Array(255);
const logarithms = new Uint8Array(256);
for (let exponent = 0, value = 1; exponent < 255; exponent += 1) {
  powers[exponent] = value;
  logarithms[value] = exponent;
  value = (value << 1) ^ (value >= 128 ? 0x11d : 0);
}
const product = (a: number, b: number): number =>
  a === 0 || b === 0 ? 0 : (powers[((logarithms[a] ?? 0) + (logarithms[b] ?? 0)) % 255] ?? 0);

/** The codewords of error correction (Reed-Solomon). */
function correctionOf(data: Uint8Array, count: number): Uint8Array {
  let generator = Uint8Array.of(1);
  for (let root = 0; root < count; root += 1) {
    const next = new Uint8Array(generator.length + 1);
    generator.forEach((coefficient, at) => {
      next[at] = (next[at] ?? 0) ^ coefficient;
      next[at + 1] = (next[at + 1] ?? 0) ^ product(coefficient, powers[root] ?? 0);
    });
    generator = next;
  }
  const rest = new Uint8Array(data.length + count);
  rest.set(data);
  for (let at = 0; at < data.length; at += 1) {
    const factor = rest[at] ?? 0;
    generator.forEach((coefficient, offset) => {
      rest[at + offset] = (rest[at + offset] ?? 0) ^ product(coefficient, factor);
    });
  }
  return rest.subarray(data.length);
}

/** The codewords as they are placed: those of all blocks in turn, then their error correction in turn. */
function codewordsOf(text: Uint8Array, version: number): Uint8Array {
  const [total, correction, blockCount] = versions[version - 1] ?? [0, 0, 1];
  const capacity = total - correction * blockCount;
  const bits: number[] = [];
  const push = (value: number, length: number) => {
    for (let bit = length - 1; bit >= 0; bit -= 1) bits.push((value >> bit) & 1);
  };
  push(0b0100, 4);
  push(text.length, version < 10 ? 8 : 16);
  for (const byte of text) push(byte, 8);
  push(0, Math.min(4, capacity * 8 - bits.length));
  while (bits.length % 8 !== 0) bits.push(0);
  for (let pad = 0xec; bits.length < capacity * 8; pad ^= 0xec ^ 0x11) push(pad, 8);
  const data = Uint8Array.from({ length: capacity }, (_, at) =>
    bits.slice(at * 8, at * 8 + 8).reduce((byte, bit) => byte * 2 + bit, 0),
  );
  const short = Math.floor(capacity / blockCount);
  const longBlocks = capacity % blockCount;
  const blocks: Uint8Array[] = [];
  for (let block = 0, at = 0; block < blockCount; block += 1) {
    const length = short + (block >= blockCount - longBlocks ? 1 : 0);
    blocks.push(data.subarray(at, at + length));
    at += length;
  }
  const corrections = blocks.map((block) => correctionOf(block, correction));
  const placed: number[] = [];
  for (const [parts, length] of [[blocks, short + 1] as const, [corrections, correction] as const])
    for (let at = 0; at < length; at += 1)
      for (const part of parts) if (at < part.length) placed.push(part[at] ?? 0);
  return Uint8Array.from(placed);
}

/** Modules that are dark; null: not decided yet. */
class Grid {
  readonly size: number;
  readonly #dark: (boolean | null)[];

  constructor(size: number) {
    this.size = size;
    this.#dark = Array(size * size).fill(null);
  }

  get(x: number, y: number): boolean | null {
    return this.#dark[y * this.size + x] ?? null;
  }

  set(x: number, y: number, dark: boolean): void {
    if (x >= 0 && y >= 0 && x < this.size && y < this.size) this.#dark[y * this.size + x] = dark;
  }
}

function alignmentCentres(version: number): number[] {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2;
  const step = Math.ceil((version * 4 + 4) / (2 * count - 2)) * 2;
  const last = version * 4 + 10;
  return [6, ...Array.from({ length: count - 1 }, (_, at) => last - (count - 2 - at) * step)];
}

/** A code word of a BCH code: the data, then the remainder. */
function withRemainder(data: number, generator: number, length: number): number {
  let rest = data;
  for (let bit = 0; bit < length; bit += 1) rest = (rest << 1) ^ ((rest >> (length - 1)) * generator);
  return (data << length) | rest;
}

function drawPatterns(grid: Grid, version: number): void {
  const { size } = grid;
  for (let at = 0; at < size; at += 1) {
    grid.set(6, at, at % 2 === 0);
    grid.set(at, 6, at % 2 === 0);
  }
  for (const [centreX, centreY] of [
    [3, 3],
    [size - 4, 3],
    [3, size - 4],
  ] as const)
    for (let dy = -4; dy <= 4; dy += 1)
      for (let dx = -4; dx <= 4; dx += 1) {
        const ring = Math.max(Math.abs(dx), Math.abs(dy));
        grid.set(centreX + dx, centreY + dy, ring !== 2 && ring !== 4);
      }
  const centres = alignmentCentres(version);
  const last = centres.length - 1;
  centres.forEach((x, column) => {
    centres.forEach((y, row) => {
      const isFinder =
        (column === 0 && row === 0) || (column === 0 && row === last) || (column === last && row === 0);
      if (isFinder) return;
      for (let dy = -2; dy <= 2; dy += 1)
        for (let dx = -2; dx <= 2; dx += 1)
          grid.set(x + dx, y + dy, Math.max(Math.abs(dx), Math.abs(dy)) !== 1);
    });
  });
  if (version < 7) return;
  const bits = withRemainder(version, 0x1f25, 12);
  for (let bit = 0; bit < 18; bit += 1) {
    const dark = ((bits >> bit) & 1) === 1;
    const [far, near] = [size - 11 + (bit % 3), Math.floor(bit / 3)];
    grid.set(far, near, dark);
    grid.set(near, far, dark);
  }
}

/** The mask is number 0; level L is 01. */
function drawFormat(grid: Grid): void {
  const { size } = grid;
  const bits = withRemainder(0b01000, 0x537, 10) ^ 0x5412;
  const dark = (bit: number) => ((bits >> bit) & 1) === 1;
  for (let bit = 0; bit < 6; bit += 1) grid.set(8, bit, dark(bit));
  grid.set(8, 7, dark(6));
  grid.set(8, 8, dark(7));
  grid.set(7, 8, dark(8));
  for (let bit = 9; bit < 15; bit += 1) grid.set(14 - bit, 8, dark(bit));
  for (let bit = 0; bit < 8; bit += 1) grid.set(size - 1 - bit, 8, dark(bit));
  for (let bit = 8; bit < 15; bit += 1) grid.set(8, size - 15 + bit, dark(bit));
  grid.set(8, size - 8, true);
}

/** Two columns at a time, from the right, up and down in turn; the mask inverts every second module. */
function drawData(grid: Grid, codewords: Uint8Array): void {
  const { size } = grid;
  let bit = 0;
  for (let right = size - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5;
    const isUp = ((right + 1) & 2) === 0;
    for (let step = 0; step < size; step += 1)
      for (const x of [right, right - 1]) {
        const y = isUp ? size - 1 - step : step;
        if (grid.get(x, y) !== null) continue;
        const value = ((codewords[bit >> 3] ?? 0) >> (7 - (bit & 7))) & 1;
        bit += 1;
        grid.set(x, y, (value === 1) !== ((x + y) % 2 === 0));
      }
  }
}

/** The modules of the code, row by row; true: dark. Throws when the text is longer than some 850 bytes. */
export function qrModules(text: string): boolean[][] {
  const bytes = new TextEncoder().encode(text);
  const version =
    versions.findIndex(([total, correction, blocks], at) => {
      const head = at + 1 < 10 ? 2 : 3;
      return bytes.length + head <= total - correction * blocks;
    }) + 1;
  if (version === 0) throw new Error("The text is too long for a QR code.");
  const grid = new Grid(version * 4 + 17);
  drawPatterns(grid, version);
  drawFormat(grid);
  drawData(grid, codewordsOf(bytes, version));
  const { size } = grid;
  return Array.from({ length: size }, (_, y) =>
    Array.from({ length: size }, (_unused, x) => grid.get(x, y) === true),
  );
}

const quietZone = 4;

/** The code as an SVG with its quiet zone; it has no size of its own. */
export function qrSvg(text: string): string {
  const modules = qrModules(text);
  const size = modules.length + 2 * quietZone;
  const dark = modules.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`M${x + quietZone} ${y + quietZone}h1v1h-1z`] : [])),
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path d="${dark.join("")}"/></svg>`;
}
