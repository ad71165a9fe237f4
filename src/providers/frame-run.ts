// Frames of a stream that are passed on without being parsed.

/** What precedes and follows the text of the delta in chunks of a stream: JSON. */
export interface FrameForm {
  prefix: string;
  suffix: string;
}

/** Consecutive chunks that differ in the text of the delta alone. */
export interface FrameRun {
  form: FrameForm;
  /** The texts, as spelled in JSON. */
  texts: readonly string[];
  /** The frames as they were received. */
  wire: string;
}
