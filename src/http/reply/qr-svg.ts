// A text as a QR code (ISO/IEC 18004:2015): bytes, error correction level L, the smallest version that fits.

import { encode } from "uqr";

/** Versions up to 20 can contain 858 bytes; denser codes are hard to scan from a screen. */
const maxVersion = 20;

/** The modules of the code, row by row; true is dark. Throws if the text is longer than 858 bytes. */
export function qrModules(text: string): boolean[][] {
  // One mask, so that a text always has the same code; bytes, because an alphanumeric code would not be smaller for URLs.
  const options = { ecc: "L", boostEcc: false, maskPattern: 0, maxVersion, border: 0 } as const;
  return encode([...new TextEncoder().encode(text)], options).data;
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
