// Finds the frames of a stream of chat completions that differ from a parsed one in the text of their delta alone, and in OpenAI's padding
// if there is any: most frames of a stream. They are compared as text and never parsed, which costs about a fifth.

import type { FrameForm, FrameRun } from "#providers/frame-run.ts";
import { openaiStream } from "#providers/openai/stream.ts";
import type { Chunk } from "#providers/provider.ts";
import { LruCache } from "#runtime/lru-cache.ts";

/** A part of a read: bytes or text to be parsed, or a run of plain frames. Texts begin and end between frames. */
type FramePart = Buffer | string | FrameRun;

const lineEnd = 0x0a;
const emptyLine = Buffer.from("\n\n");
/** The contents of a JSON string, as spelled. */
const isSpelled = /^[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})[^"\\\u0000-\u001f]*)*$/;
/** The same, wherever it begins and ends. */
const spelled = /[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})[^"\\\u0000-\u001f]*)*/y;
/** Any character does, because the texts that are searched are spelled correctly. */
const escapes = /\\(?:u.{4}|.)/g;
/** Is put between texts that are tested together, so that none forms an escape with the next one. */
const separator = " ";

/** Number of frames that are looked at for a form in one read, and number of forms that are learned from one read. */
const maxLooked = 4;
/** After this many forms in a row of which no second frame followed, no more are learned. */
const maxUnused = 3;

/** Splits the reads of one stream. */
export class PlainFrames {
  #form: FrameForm | null = null;
  /** What precedes and follows the text of a plain frame, and what is between the texts of two. */
  #start = "";
  #end = "";
  #joint = "";
  #unused = 0;

  /**
   * The parts of a read, in order; null if it has no plain frame and is to be parsed as a whole. `isBetweenEvents`: the read begins where an
   * event may begin.
   */
  split(read: Buffer, isBetweenEvents: boolean): FramePart[] | null {
    if (this.#unused >= maxUnused) return null;
    const firstEnd = isBetweenEvents ? 0 : read.indexOf(emptyLine);
    if (firstEnd === -1) return null;
    const from = isBetweenEvents ? 0 : firstEnd + emptyLine.length;
    const { length } = read;
    const isWhole = read[length - 1] === lineEnd && read[length - 2] === lineEnd;
    const to = isWhole ? length : read.lastIndexOf(emptyLine) + emptyLine.length;
    if (to <= from || to < emptyLine.length) return null;
    const parts: FramePart[] = from === 0 ? [] : [read.subarray(0, from)];
    // Invalid bytes become U+FFFD, as in `TextDecoder`.
    if (!this.#splitText(read.toString("utf8", from, to), parts)) return null;
    if (to < read.length) parts.push(read.subarray(to));
    return parts;
  }

  /** Adds the parts of whole frames; returns whether one of them is a run. */
  #splitText(text: string, parts: FramePart[]): boolean {
    let rest = this.#form === null ? text : this.#divide(text, parts);
    let hasRun = rest.length < text.length;
    for (let learned = 0; learned < maxLooked && rest !== "" && this.#unused < maxUnused; learned++) {
      const end = this.#learn(rest);
      if (end === null) break;
      parts.push(rest.slice(0, end));
      const behind = rest.slice(end);
      rest = this.#divide(behind, parts);
      hasRun ||= rest.length < behind.length;
    }
    if (rest !== "") parts.push(rest);
    return hasRun;
  }

  /** Learns the form of one of the first frames; returns the position after that frame, or null if none has a form. */
  #learn(text: string): number | null {
    let at = 0;
    for (let looked = 0; looked < maxLooked && at < text.length; looked++) {
      const end = text.indexOf("\n\n", at);
      if (end === -1) return null;
      const candidate = text.startsWith("data: ", at) ? formIn(text.slice(at + 6, end)) : null;
      at = end + 2;
      if (candidate === null) continue;
      this.#unused += 1;
      if (!isPlain(candidate)) continue;
      this.#form = candidate;
      this.#start = `data: ${candidate.prefix}`;
      this.#end = `${candidate.suffix}\n\n`;
      this.#joint = this.#end + this.#start;
      return at;
    }
    return null;
  }

  /**
   * Adds the parts up to the last plain frame that is found; returns the text after it, or the whole text if there is none. One search finds
   * all places where one plain frame follows another.
   */
  #divide(text: string, parts: FramePart[]): string {
    const form = this.#form!;
    let from = 0;
    if (!text.startsWith(this.#start)) {
      from = text.indexOf(`\n\n${this.#start}`) + 2;
      if (from === 1) return text;
    }
    const found: FramePart[] = from === 0 ? [] : [text.slice(0, from)];
    // Each of these begins inside a frame, after the form's prefix, and all but the last end before the form's suffix.
    const pieces = text.slice(from + this.#start.length).split(this.#joint);
    const last = pieces.pop()!;
    let texts: string[] = [];
    let bodies: string[] = [];
    let hasRun = false;
    let at = from;
    const flush = () => {
      if (texts.length === 0) return;
      let end = at + texts.length * (this.#start.length + this.#end.length);
      for (const body of bodies) end += body.length;
      found.push({ form, texts, bodies, wire: text.slice(at, end) });
      at = end;
      texts = [];
      bodies = [];
      hasRun = true;
    };
    const add = (body: string): boolean => {
      const inside = textIn(body, form);
      if (inside === null) return false;
      texts.push(inside);
      bodies.push(body);
      return true;
    };
    /** Adds the frame that begins inside the piece if it is plain; returns the rest of the piece. */
    const addFirst = (piece: string): string => {
      const end = piece.indexOf(this.#end);
      const isAdded = end !== -1 && add(piece.slice(0, end));
      return isAdded ? piece.slice(end + this.#end.length) : this.#start + piece;
    };
    if (form.middle === null && isSpelled.test(pieces.join(separator))) {
      texts = pieces;
      bodies = texts.slice();
    } else
      for (const piece of pieces) {
        if (add(piece)) continue;
        const rest = addFirst(piece) + this.#end;
        flush();
        found.push(rest);
        at += rest.length;
      }
    const rest = addFirst(last);
    flush();
    if (!hasRun) return text;
    for (const part of found) parts.push(part);
    this.#unused = 0;
    return rest;
  }
}

/** The text in the body of a frame; null if the frame is not plain. */
function textIn(body: string, { middle }: FrameForm): string | null {
  if (middle === null) return isSpelled.test(body) ? body : null;
  const end = body.indexOf(middle);
  if (end === -1 || !isSpelled.test(body.slice(end + middle.length))) return null;
  const text = body.slice(0, end);
  return isSpelled.test(text) ? text : null;
}

/** The run as one chunk. */
export const asChunk = (run: FrameRun): Chunk => ({ ...chunkOf("", unitsIn(run.texts.join(""))), run });

/** The chunks of a run. */
export const chunksOf = ({ form: { prefix, suffix }, texts, bodies }: FrameRun): Chunk[] =>
  bodies.map((body, at) => chunkOf(prefix + body + suffix, unitsIn(texts[at]!)));

function chunkOf(text: string, units: number): Chunk {
  return { kind: "chunk", text, output: units > 0, finish: false, usage: null, usageOnly: false, units };
}

/** UTF-16 units of a text as spelled in JSON. */
function unitsIn(text: string): number {
  let units = text.length;
  if (text.includes("\\")) for (const [escaped] of text.matchAll(escapes)) units -= escaped.length - 1;
  return units;
}

/** The form of the data of a frame that has content, and perhaps padding after it; null if it has no content. */
function formIn(data: string): FrameForm | null {
  const content = stringAt(data, '"content":');
  if (content === null || content.start === content.end) return null;
  const prefix = copied(data.slice(0, content.start));
  const rest = data.slice(content.end);
  const padding = stringAt(rest, '"obfuscation":');
  if (padding === null) return { prefix, middle: null, suffix: copied(rest) };
  return {
    prefix,
    middle: copied(rest.slice(0, padding.start)),
    suffix: copied(rest.slice(padding.end)),
  };
}

/** Where the string is that follows the last such key; null if there is none. */
function stringAt(json: string, key: string): { start: number; end: number } | null {
  const at = json.lastIndexOf(key);
  if (at === -1) return null;
  let start = at + key.length;
  while (json[start] === " ") start += 1;
  if (json[start] !== '"') return null;
  spelled.lastIndex = start + 1;
  spelled.test(json);
  const end = spelled.lastIndex;
  return json[end] === '"' ? { start: start + 1, end } : null;
}

/** V8 would keep the whole read for a part of it. */
const copied = (text: string) => Buffer.from(text).toString();

/**
 * Whether the reader takes nothing from frames of the form but their text: an empty one is no output and has no units, and one of a letter
 * is output of one unit. Padding must be on the top level, without anything before it that the writer changes.
 */
function isPlain(form: FrameForm): boolean {
  const kind = kindOf(form);
  const known = knownForms.get(kind);
  if (known !== undefined) return known;
  const is = isProvenPlain(form);
  if (kind.length <= maxKnownLength) knownForms.set(kind, is);
  return is;
}

/** Forms that were looked at before. Streams of a vendor differ in the id and date of their answer. */
const knownForms = new LruCache<string, boolean>(1_000);
/** Longer ones, UTF-16 units, are not kept. */
const maxKnownLength = 2_000;

/** The form without the values of ids and dates, which no reader uses. Empty ids and dates of 0 count as missing and remain. */
const kindOf = ({ prefix, middle, suffix }: FrameForm): string =>
  JSON.stringify(
    [prefix, middle, suffix].map((part) =>
      part?.replaceAll(/("(?:id|created)":)(?:"[\w-]+"|[1-9]\d*)(?=[,}])/g, "$1"),
    ),
  );

function isProvenPlain({ prefix, middle, suffix }: FrameForm): boolean {
  // For JSON a line end between values is a blank, but it ends the line of the frame.
  if (/[\r\n]/.test(prefix + (middle ?? "") + suffix)) return false;
  if (middle !== null && /"model"|"created"|\\u/.test(middle)) return false;
  return ["", "x"].every((text) => {
    const data = prefix + text + (middle === null ? "" : `${middle}${text}`) + suffix;
    const piece = openaiStream({ body: {} }).push({ event: null, data })[0];
    if (piece?.kind !== "chunk" || piece.finish || piece.usage !== null || piece.text !== data) return false;
    if (middle !== null && JSON.parse(data).obfuscation !== text) return false;
    return piece.units === text.length && piece.output === (text !== "");
  });
}
