// What a request holds that decides the answer, in any format, and the answer.

export type Json = Record<string, unknown>;

/** A tool as the request offers it. */
export interface Offered {
  name: string;
  /** Of a tool that has one: the format's name of the group. */
  namespace?: string;
  /** `custom`: its input is one text. */
  kind: "function" | "custom";
  /** Names of its parameters. */
  parameters: readonly string[];
}

/** What a request holds that decides the answer. */
export interface Turn {
  model: string;
  tools: readonly Offered[];
  /** Texts of the results of calls, in order. */
  results: readonly string[];
  stream: boolean;
  /** The JSON schema that the answer has to fit; null: any text. */
  schema: Json | null;
}

export interface ToolCall {
  tool: Offered;
  /** Arguments as JSON; the text of a custom tool. */
  input: string;
}

export interface Step {
  thought: string | null;
  text: string;
  call: ToolCall | null;
}

/** Decides what a scripted model answers. */
export type Script = (turn: Turn) => Step;
