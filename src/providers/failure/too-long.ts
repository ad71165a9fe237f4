// Detects whether a vendor says that the prompt is too long for its model. Vendors use some forty phrasings, most of which are one
// sentence: a length, "exceeds", a limit. The sentence must open the message, and only known words and numbers may precede its verb, so
// that client text is never evaluated. Sources: the vendors' errors as found in users' reports and in the lists of agents (LiteLLM, pi,
// Cline, Crush).

const words = (list: string): ReadonlySet<string> => new Set(list.split(" "));

/** What may precede the verb: a name of the prompt, and its attributes. */
const before = words(
  "a about and are chat combined contains context conversation count current decoder draft encoder estimated for has history in input inputs is length limit message messages model model's number of prompt prompts provided query request request's requested sequence size text that the this token tokens total used was which window with your",
);
/** One of them is required. */
const subjects = words(
  "chat context conversation history input inputs message messages prompt prompts query request sequence text token tokens",
);
/** They denote a length by themselves; a request or a text may be too large in other ways. */
const lengths = words("context prompt prompts token tokens");
/** Their "length" is counted in tokens; that of a message or a text may be in characters. */
const counted = words("input inputs sequence conversation query");
const verbs = words("exceed exceeds exceeded exceeding overflow overflows overflowed surpasses");
const comparisons = words("longer larger greater bigger more over above beyond");
const tooMuch = words("long large big");
const limits = words(
  "context token tokens model model's length window prompt input sequence limit maximum max allowed",
);
/** The limits that distinguish a request that is too long from one with too many bytes. */
const modelLimits = words("context token tokens model model's window prompt");
/** Limits of something else: of a rate, an account, a field's characters, images. */
const otherLimits =
  /\b(?:per[ -](?:minute|day|hour|second|month)|rate|quota|tpm|rpm|tpd|characters?|bytes?|[kmg]i?b|megabytes?|pixels?)\b/i;

/** How far a sentence is read, UTF-16 units and words. */
const maxUnits = 400;
const maxWords = 40;

function isSentence(text: string): boolean {
  const head = text.slice(0, maxUnits);
  // What a vendor quotes from a request begins with a quotation mark.
  if (otherLimits.test(head) || /^['"`]/.test(head)) return false;
  const read = head
    .toLowerCase()
    .split(/[^a-z0-9'_+]+/)
    .filter((word) => word !== "")
    .slice(0, maxWords);
  let at = 0;
  let length = false;
  let subject = false;
  for (; at < read.length; at++) {
    const word = read[at]!;
    if (!before.has(word) && !/^\d+k?$/.test(word)) break;
    subject ||= subjects.has(word);
    length ||= lengths.has(word) || (word === "length" && counted.has(read[at - 1] ?? ""));
  }
  if (!subject) return false;
  while (at < read.length && /^(?:been|cannot|can't|must|not|will|would|by|far)$/.test(read[at]!)) at += 1;
  const verb = read[at] ?? "";
  const next = read[at + 1] ?? "";
  const rest = read.slice(at + 1);
  if (verbs.has(verb)) return (length && rest.length < 2) || rest.some(isLimitOf(length));
  if (verb === "too" && tooMuch.has(next)) return length || rest.some((word) => modelLimits.has(word));
  return comparisons.has(verb) && next === "than" && rest.some((word) => modelLimits.has(word));
}

const isLimitOf = (length: boolean) => (word: string) => (length ? limits : modelLimits).has(word);

/** Phrasings with another sentence structure. */
const openings: readonly RegExp[] = [
  /^(?:(?:this|the) (?:model|endpoint)'s )?max(?:imum)? (?:context|prompt|input|sequence|token|model)(?: tokens?)? ?(?:length|window|size|limit|count)? (?:is|of) \d/i,
  /^'max_tokens' or 'max_completion_tokens' is too large: \d+\. this model's maximum context length/i,
  /^please (?:reduce|shorten) the (?:length|size|number of tokens) (?:of|in) (?:the|your) (?:messages|prompt|input|conversation)/i,
  /^(?:the )?(?:prompt|input|request) (?:has|contains) \d[\d,]* (?:input )?tokens?,? but\b/i,
  /^input length and `max_tokens` exceed context limit: \d/i,
  /^`inputs` (?:tokens \+ `max_new_tokens` must be <=|must have less than) \d/i,
  /^range of input length should be/i,
  /^trying to keep the first \d+ tokens when context/i,
  /^the number of tokens to keep from the initial prompt is greater than the context length/i,
  /^you (?:passed|requested|sent|provided) (?:about )?\d[\d,]* (?:input )?tokens\b.{0,120}\bcontext length\b/i,
  /^requested generation length \d+ is not possible\b/i,
  /^reached context length of \d/i,
  /^unable to submit request because the input token count\b/i,
  /^max(?:imum)? (?:context|prompt|input) (?:length|window|size|tokens?) (?:limit )?(?:was |has been )?(?:exceeded|reached)\b/i,
  /^total tokens of image and text exceed\b/i,
  /^too many (?:input |prompt |total )?tokens\b/i,
  /^(?:the )?input token count\b/i,
  /^context[_ -]?(?:length|window)[_ -]?exceeded\b/i,
  /^prompt ?超长|^(?:输入|上下文)(?:内容)?(?:的)?长度(?:超|过)/i,
];

/** Whether the text, without a server's prefixes, says that the prompt is too long for the model. */
export const isTooLong = (text: string): boolean =>
  isSentence(text) ||
  (!otherLimits.test(text.slice(0, maxUnits)) && openings.some((opening) => opening.test(text)));
