// Frames of a stream that are passed on without being parsed.

/** What precedes and follows the text of the delta in chunks of a stream: JSON. */
export interface FrameForm {
  prefix: string;
  /** What is between the text and OpenAI's padding (`obfuscation`), which differs in each chunk too; null if there is no padding. */
  middle: string | null;
  suffix: string;
}

/** Consecutive chunks that differ in the text of the delta alone. */
export interface FrameRun {
  form: FrameForm;
  /** The texts, as spelled in JSON. */
  texts: readonly string[];
  /** What differs in each chunk: the text or, with padding, the text, `middle` and the padding. */
  bodies: readonly string[];
  /** The frames as they were received. */
  wire: string;
}
