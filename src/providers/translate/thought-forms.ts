// The forms in which members tell thoughts that they did not seal, and take them back.

/** The fields in which members that speak chat completions tell their thoughts. */
export type ThoughtField = "reasoning_content" | "reasoning";

/**
 * How a member takes its own unsealed thoughts back: in fields of the message, or as details, which its adapter writes as
 * blocks. Null: it takes signatures of calls alone.
 */
export type ThoughtForm = "fields" | "blocks" | null;

/** What a member takes in place of thoughts that the conversation lacks. */
export type ThoughtFiller = "text" | "signature";
