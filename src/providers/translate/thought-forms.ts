// The forms in which members return thoughts that they did not seal, and accept them back.

/** The fields in which members that speak chat completions return their thoughts. */
export type ThoughtField = "reasoning_content" | "reasoning";

/**
 * How a member accepts its own unsealed thoughts: in fields of the message, or as details, which its adapter writes as blocks. Null if it
 * accepts only signatures of calls.
 */
export type ThoughtForm = "fields" | "blocks" | null;

/** What a member accepts in place of thoughts that the conversation lacks. */
export type ThoughtFiller = "text" | "signature";
