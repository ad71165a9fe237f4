// Every regular expression of the source, run on the texts that are worst for it. One that is linear needs a few
// milliseconds for each; one that is quadratic needs half a second and more, and is stopped.

import assert from "node:assert/strict";
import test from "node:test";
import { createContext, Script } from "node:vm";
import { attacksOn } from "./attack.ts";
import { readSources } from "./source.ts";

/**
 * Long enough that a quadratic one takes four times the limit on a fast machine: a start at every sixth character makes
 * 10^9 steps, 0.6 to 3 s; one at every character 4 to 20 s.
 */
const length = 120_000;
const limitMs = 150;
/** A busy machine may make a linear one slow, but not this often. */
const tries = 6;

const script = new Script("texts.forEach((text) => { regex.lastIndex = 0; text.replace(regex, ''); })");

/** Whether the expression gets through all of the texts in time. V8 looks for the limit while it matches. */
function isQuick(regex: RegExp, texts: readonly string[], max = tries): boolean {
  const context = createContext({ regex, texts });
  for (let left = max; left > 0; left--) {
    try {
      script.runInContext(context, { timeout: limitMs });
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw error;
    }
  }
  return false;
}

const slowText = (regex: RegExp, max = tries) =>
  attacksOn(regex, length).find((text) => !isQuick(regex, [text], max));

test("no regular expression of src takes more than linear time on the texts made to be its worst", () => {
  const slow: string[] = [];
  let attacked = 0;
  for (const { path, regexes } of readSources("src")) {
    for (const { source, flags, line } of regexes) {
      const regex = new RegExp(source, flags);
      const texts = attacksOn(regex, length);
      attacked += texts.length;
      if (texts.length === 0 || isQuick(regex, texts, 1)) continue;
      // Many texts together may take long without any of them being slow.
      const text = slowText(regex);
      if (text !== undefined) slow.push(`${path}:${line} ${regex} on ${JSON.stringify(text.slice(0, 40))}…`);
    }
  }
  assert.deepEqual(slow, []);
  assert.ok(attacked > 1000, `only ${attacked} texts were tried`);
});

test("the test sees what is more than linear, and lets pass what is not", () => {
  const slow = [
    /[ \t]+$/gm,
    /(?:a+)+b/,
    /\s*\s+x/,
    /^.*,.*,.*;$/,
    /x[^>]*>/,
    /^(?:a|ab|b)*c/,
    /violat\w* x/,
    /\/+$/,
  ];
  for (const regex of slow) assert.notEqual(slowText(regex, 1), undefined, String(regex));
  const quick = [/(?<![ \t])[ \t]+$/gm, /^a+b/, /<[^<>]*>/, /=[ \t]*\n/g, /^[a-z]+:\/\/[^/?]*/i, /a{1,20}$/];
  for (const regex of quick) assert.equal(slowText(regex), undefined, String(regex));
});
