// Detects from a vendor's refusal that the request allows a longer answer than the model gives, and the maximum. The vendor's field for the
// parameter decides first, then the opening of its message, which contains nothing of the request but a number. Sources: refusals of
// OpenAI, DeepSeek, Mistral, Groq, Qwen, Anthropic, Gemini in users' reports.

/** The names of the answer limit in the vendors' formats. */
const parameter = /^[`'"]?(?:max_(?:completion_|output_|new_)?tokens|maxOutputTokens)[`'"]?$/;

/** A message that begins with the parameter. */
const opening =
  /^(?:<\d{3}> [\w.]{1,80}: )?(?:invalid |the parameter |range of |unable to submit request because it has an? )?[`'"]?(?:max_(?:completion_|output_|new_)?tokens|maxOutputTokens)\b/i;

/** Codes that by themselves mean that the number is too large. */
const tooGreat: readonly string[] = ["integer_above_max_value", "less_than_equal"];

/** The phrases around the largest number that the vendor accepts. */
const greatest: readonly RegExp[] = [
  /\bat most [`'"]?(\d{1,10}(?:,\d{3}){0,3})/i,
  /(?:\bless than or equal to|<=) ?[`'"]?(\d{1,10}(?:,\d{3}){0,3})/i,
  /(?:\[\d{1,10}, ?|\bbetween \d{1,10} and )(\d{1,10}(?:,\d{3}){0,3})/i,
  /: \d{1,16} > (\d{1,10}(?:,\d{3}){0,3})/i,
  /\b(?:maximum|limit)(?: allowed)?(?: value)?(?: of| is)? (\d{1,10}(?:,\d{3}){0,3})/i,
];
const below = /\bto (\d{1,10}(?:,\d{3}){0,3}) \(exclusive\)/i;
const withoutNumber = /\btoo (?:large|high|big|long)\b|\bexceed|\babove\b|\bmaximum\b/i;

/** The relevant parts of the vendor's error. `max`: the limit from a separate field, if the error has one. */
interface Refused {
  param: string | null;
  codes: readonly string[];
  message: string;
  max?: number | null;
}

/**
 * The maximum answer tokens that the refusal states, at least 1; null if it states none that can be read. Undefined if the refusal is about
 * something else.
 */
export function outputLimit({ param, codes, message, max = null }: Refused): number | null | undefined {
  if (param === null ? !opening.test(message) : !parameter.test(param)) return undefined;
  if (max !== null) return inRange(max);
  const exclusive = numberIn(below, message);
  if (exclusive !== null) return inRange(exclusive - 1);
  for (const pattern of greatest) {
    const named = numberIn(pattern, message);
    if (named !== null) return inRange(named);
  }
  return withoutNumber.test(message) || codes.some((code) => tooGreat.includes(code)) ? null : undefined;
}

function numberIn(pattern: RegExp, message: string): number | null {
  const digits = pattern.exec(message)?.[1];
  return digits === undefined ? null : Number(digits.replaceAll(",", ""));
}

const inRange = (tokens: number): number | null =>
  Number.isSafeInteger(tokens) && tokens >= 1 ? tokens : null;
