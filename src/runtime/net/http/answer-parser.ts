// Reads one answer after another from the bytes of a connection. Strict: everything that RFC 9112 calls an error is one, and so is what it
// lets a recipient repair (bare line feeds, folded lines, spaces before a colon or in a chunk's size).

import { type AnswerHead, bodyToTheClose, chunkedBody, readAnswerHead } from "./answer-head.ts";
import { HttpError, invalid } from "./http-error.ts";

/** The longest head, bytes. Trailers share the limit. */
export const maxHeadBytes = 32 * 1024;
/** Informational answers (1xx) before the one that counts. */
const maxInformational = 32;
/** The longest list of extensions behind a chunk's size, bytes. */
const maxExtension = 1024;
/** A chunk's size has at most this many digits, so that it is exact. */
const maxSizeDigits = 12;

const cr = 13;
const lf = 10;
const endOfHead = Buffer.from("\r\n\r\n");
const beginning = Buffer.from("HTTP/1.");

type State =
  | "head"
  | "length"
  | "to_the_close"
  | "size"
  | "extension"
  | "size_lf"
  | "data"
  | "data_cr"
  | "data_lf"
  | "trailer"
  | "trailer_name"
  | "trailer_value"
  | "trailer_lf"
  | "end_lf"
  | "done";

/** The value of a hexadecimal digit, by its character; 255 for other characters. */
const hexDigits = new Uint8Array(256).fill(255);
for (let value = 0; value < 16; value += 1) {
  const digit = value.toString(16);
  hexDigits[digit.charCodeAt(0)] = value;
  hexDigits[digit.toUpperCase().charCodeAt(0)] = value;
}

/** Characters that may stand in a header's name. */
const nameChars = new Uint8Array(256);
for (let char = 33; char < 127; char += 1)
  if (/[!#$%&'*+\-.^_`|~\dA-Za-z]/.test(String.fromCharCode(char))) nameChars[char] = 1;
const isNameChar = (char: number) => nameChars[char] === 1;
const isControl = (char: number) => (char < 32 && char !== 9) || char === 127;

/** `begin`, then `push` for each read until `isDone`; `end` when the connection ends before that. */
export class AnswerParser {
  /** The answer's head, from the read in which it became complete. */
  head: AnswerHead | null = null;
  /** The part of the body that the last read brought, a view of its bytes; null if it brought none. */
  piece: Buffer | null = null;
  /** In how many chunks that part came. */
  chunks = 0;
  isDone = false;
  /** Bytes came after the end of the answer. */
  hasMore = false;
  #state: State = "done";
  #toHead = false;
  #informational = 0;
  /** The beginning of a head whose end has not come; its length is `#keptBytes`. */
  #kept: Buffer | null = null;
  #keptBytes = 0;
  /** Of a body with a length, or of a chunk: the bytes still to come. */
  #left = 0;
  #digits = 0;
  /** Bytes of the extension, or of the trailers. */
  #extra = 0;

  /** Expects an answer. `toHead`: to a HEAD request, so it has no body. */
  begin(toHead: boolean): void {
    this.head = null;
    this.piece = null;
    this.isDone = false;
    this.hasMore = false;
    this.#state = "head";
    this.#toHead = toHead;
    this.#informational = 0;
    this.#kept = null;
    this.#keptBytes = 0;
  }

  /**
   * Reads what came. The chunks of one read are moved together in `bytes`, which is changed by that. Returns the rule that the answer breaks,
   * or null; `head` and `piece` have what came before the mistake.
   */
  push(bytes: Buffer): HttpError | null {
    this.piece = null;
    this.chunks = 0;
    try {
      this.#read(bytes);
      return null;
    } catch (error) {
      if (error instanceof HttpError) return error;
      throw error;
    }
  }

  /** The connection ended in order. Null: that completes the answer. */
  end(): HttpError | null {
    if (this.#state === "to_the_close") {
      this.isDone = true;
      return null;
    }
    return this.head === null
      ? new HttpError("closed", "the connection ended before the answer began")
      : new HttpError("cut", "the connection ended inside the answer");
  }

  #read(bytes: Buffer): void {
    let at = 0;
    if (this.#state === "head") {
      const rest = this.#readHeads(bytes);
      if (rest === null) return;
      bytes = rest;
    }
    const state = this.#state;
    if (state === "length" || state === "to_the_close") {
      const take = state === "length" ? Math.min(this.#left, bytes.length) : bytes.length;
      if (take > 0) this.#take(bytes, 0, take);
      this.#left -= take;
      at = take;
      if (state === "length" && this.#left === 0) this.#state = "done";
    } else if (state !== "done") at = this.#readChunks(bytes);
    if (this.#state !== "done") return;
    this.isDone = true;
    this.hasMore = at < bytes.length;
  }

  #take(bytes: Buffer, from: number, to: number): void {
    this.piece = from === 0 && to === bytes.length ? bytes : bytes.subarray(from, to);
    this.chunks = Math.max(this.chunks, 1);
  }

  /** Reads heads until one is final; returns what follows it, or null if it is not complete. */
  #readHeads(read: Buffer): Buffer | null {
    let bytes = read;
    for (;;) {
      const before = this.#keptBytes;
      if (this.#kept !== null) bytes = this.#joined(bytes);
      // An empty line that began in the read before ends here.
      const end = bytes.indexOf(endOfHead, Math.max(0, before - 3));
      if (end === -1 ? bytes.length > maxHeadBytes : end > maxHeadBytes)
        throw new HttpError("long_head", "the head is too long");
      if (end === -1) {
        checkBeginning(bytes, before);
        if (this.#kept === null) this.#joined(bytes);
        return null;
      }
      const head = readAnswerHead(bytes.toString("latin1", 0, end), this.#toHead);
      this.#kept = null;
      this.#keptBytes = 0;
      bytes = bytes.subarray(end + 4);
      if (head.status >= 200) {
        this.head = head;
        this.#expectBody(head.length);
        return bytes;
      }
      if (head.status === 101) throw invalid("it changes the protocol");
      this.#informational += 1;
      if (this.#informational > maxInformational) throw invalid("it has too many informational answers");
      if (bytes.length === 0) return null;
    }
  }

  /** Adds to the head that is being kept, whose room doubles so that heads of single bytes cost no more than others. */
  #joined(bytes: Buffer): Buffer {
    const length = this.#keptBytes + bytes.length;
    if (this.#kept === null || this.#kept.length < length) {
      const room = Buffer.allocUnsafeSlow(Math.max(1024, 2 * length));
      this.#kept?.copy(room, 0, 0, this.#keptBytes);
      this.#kept = room;
    }
    bytes.copy(this.#kept, this.#keptBytes);
    this.#keptBytes = length;
    return this.#kept.subarray(0, length);
  }

  #expectBody(length: number): void {
    this.#left = Math.max(0, length);
    this.#digits = 0;
    this.#extra = 0;
    if (length === chunkedBody) this.#state = "size";
    else if (length === bodyToTheClose) this.#state = "to_the_close";
    else this.#state = length === 0 ? "done" : "length";
  }

  /** Returns where it stopped: behind the last byte, or behind the end of the answer. */
  #readChunks(bytes: Buffer): number {
    const length = bytes.length;
    let state = this.#state;
    /** The body's part in `bytes`: the first chunk stays where it is, the others are moved up to it. */
    let from = 0;
    let to = 0;
    let at = 0;
    try {
      while (at < length && state !== "done") {
        if (state === "data") {
          const take = Math.min(this.#left, length - at);
          if (from === to) {
            from = at;
            to = at;
          } else bytes.copyWithin(to, at, at + take);
          to += take;
          at += take;
          this.#left -= take;
          this.chunks += 1;
          if (this.#left === 0) state = "data_cr";
          continue;
        }
        const char = bytes[at]!;
        at += 1;
        state = this.#step(state, char);
      }
    } finally {
      this.#state = state;
      if (to > from) this.#take(bytes, from, to);
    }
    return at;
  }

  /** One character outside of a chunk's data. */
  #step(state: State, char: number): State {
    switch (state) {
      case "size": {
        const digit = hexDigits[char]!;
        if (digit !== 255) {
          this.#digits += 1;
          if (this.#digits > maxSizeDigits) throw invalid("a chunk is too large");
          this.#left = this.#left * 16 + digit;
          return "size";
        }
        if (this.#digits === 0) throw invalid("a chunk has no size");
        if (char === cr) return "size_lf";
        if (char === 59) return "extension";
        throw invalid("a chunk's size is not a number");
      }
      case "extension":
        if (char === cr) return "size_lf";
        if (isControl(char)) throw invalid("a chunk's extension has a control character");
        this.#extra += 1;
        if (this.#extra > maxExtension) throw invalid("a chunk's extension is too long");
        return "extension";
      case "size_lf":
        expectLf(char);
        this.#extra = 0;
        return this.#left === 0 ? "trailer" : "data";
      case "data_cr":
        if (char !== cr) throw invalid("a chunk does not end where it says");
        return "data_lf";
      case "data_lf":
        expectLf(char);
        this.#digits = 0;
        return "size";
      case "end_lf":
        expectLf(char);
        return "done";
      default:
        return this.#trailerStep(state, char);
    }
  }

  #trailerStep(state: State, char: number): State {
    this.#extra += 1;
    if (this.#extra > maxHeadBytes) throw new HttpError("long_head", "the trailers are too long");
    switch (state) {
      case "trailer":
        if (char === cr) return "end_lf";
        if (!isNameChar(char)) throw invalid("a trailer's name is not a token");
        return "trailer_name";
      case "trailer_name":
        if (char === 58) return "trailer_value";
        if (!isNameChar(char)) throw invalid("a trailer's name is not a token");
        return "trailer_name";
      case "trailer_value":
        if (char === cr) return "trailer_lf";
        if (isControl(char)) throw invalid("a trailer's value has a control character");
        return "trailer_value";
      default:
        expectLf(char);
        return "trailer";
    }
  }
}

function expectLf(char: number): void {
  if (char !== lf) throw invalid("it has a bare carriage return");
}

/** Refuses a head at once that can only become a bad one, instead of waiting for its end. */
function checkBeginning(bytes: Buffer, from: number): void {
  const length = Math.min(bytes.length, beginning.length);
  if (from < beginning.length && bytes.compare(beginning, 0, length, 0, length) !== 0)
    throw invalid("the status line is not that of HTTP/1");
  for (let at = bytes.indexOf(lf, from); at !== -1; at = bytes.indexOf(lf, at + 1))
    if (bytes[at - 1] !== cr) throw invalid("it has a bare line feed");
}
