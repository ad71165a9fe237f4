// Reads answers from a socket one at a time, no further than their length: a parser would cost the load client
// more than the server pays for the request.

export interface Answers {
  /** Forgets the last answer; what comes next is another one. */
  begin(): void;
  /** `broken`: it does not say how long it is. */
  feed(chunk: Buffer): "more" | "whole" | "broken";
  /** Of the answer that is being read; 0 before its head has come. */
  status(): number;
  /** What was kept of it: its head, and the rest too if bodies are kept or it is no success. */
  text(): string;
}

export function createAnswers(keepBodies: boolean): Answers {
  let pieces: Buffer[] = [];
  let got = 0;
  let expected = -1;
  let status = 0;
  return {
    begin() {
      pieces = [];
      got = 0;
      expected = -1;
      status = 0;
    },
    feed(chunk) {
      got += chunk.length;
      if (expected === -1 || keepBodies || status >= 300) pieces.push(chunk);
      if (expected === -1) {
        const text = (pieces.length === 1 ? chunk : Buffer.concat(pieces)).toString("latin1", 0, 2048);
        const bodyAt = text.indexOf("\r\n\r\n");
        if (bodyAt === -1) return "more";
        status = Number(text.slice(9, 12));
        expected = bodyAt + 4 + Number(/content-length: *(\d+)/i.exec(text)?.[1] ?? Number.NaN);
        if (Number.isNaN(expected)) return "broken";
      }
      return got < expected ? "more" : "whole";
    },
    status: () => status,
    text: () => Buffer.concat(pieces).toString("utf8"),
  };
}
