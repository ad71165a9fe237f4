// QR codes: against one that a reader of another hand reads, and by the sizes of the standard.

import assert from "node:assert/strict";
import { test } from "node:test";
import { qrModules, qrSvg } from "#http/reply/qr-svg.ts";

test("a code has its modules where readers look for them", () => {
  const drawn = qrModules("HELLO").map((row) => row.map((dark) => (dark ? "#" : ".")).join(""));
  assert.deepEqual(drawn, [
    "#######..#.##.#######",
    "#.....#..###..#.....#",
    "#.###.#.##.##.#.###.#",
    "#.###.#..#.#..#.###.#",
    "#.###.#...#.#.#.###.#",
    "#.....#.....#.#.....#",
    "#######.#.#.#.#######",
    "........##.##........",
    "###.########.##...#..",
    "...#....#.....#....#.",
    "#.#...#...#.#...#####",
    "##..#...#.#...#....#.",
    "#.#..##..##.#.#.#.#..",
    "........##.#.#.#..##.",
    "#######.#..#.###..###",
    "#.....#.######.##....",
    "#.###.#.#..#.###..###",
    "#.###.#...#...##..##.",
    "#.###.#.###.#...#.#.#",
    "#.....#.##....#.#..#.",
    "#######.##..#.##..###",
  ]);
});

test("longer texts take larger codes, up to 858 bytes", () => {
  const size = (bytes: number) => qrModules("x".repeat(bytes)).length;
  assert.deepEqual([17, 18, 154, 230, 271, 858].map(size), [21, 25, 45, 53, 57, 97]);
  assert.throws(() => qrModules("x".repeat(859)), /too long/);
});

test("the image has a quiet zone, and nothing of the text", () => {
  const svg = qrSvg("<script>alert(1)</script>");
  assert.match(svg, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="0 0 33 33"/);
  assert.doesNotMatch(svg, /script/);
});
