// A stream of the Responses API as OpenAI sends it: a summary of thoughts, a text, and two calls whose arguments come interleaved.

const usage = {
  input_tokens: 100,
  input_tokens_details: { cached_tokens: 60 },
  output_tokens: 40,
  output_tokens_details: { reasoning_tokens: 15 },
  total_tokens: 140,
};
const call = (name: string, text: string) => ({
  type: "function_call",
  id: `fc_${name}`,
  call_id: `call_${name}`,
  name,
  arguments: text,
});
const message = {
  type: "message",
  id: "msg_1",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text: "Grüße 🌍", annotations: [], logprobs: [] }],
};
const reasoning = { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "Two files." }] };

const output = [reasoning, message, call("read", '{"n":12345678901234567890}'), call("list", '{"p":"é"}')];

/** The whole answer of the same. */
export const wholeResponse = {
  id: "resp_1",
  object: "response",
  created_at: 1_767_225_600,
  status: "completed",
  model: "gpt-6-2026",
  output,
  usage,
};

const opened = (index: number, item: object) => ({
  type: "response.output_item.added",
  output_index: index,
  item,
});
const closed = (index: number) => ({
  type: "response.output_item.done",
  output_index: index,
  item: output[index],
});
const argued = (index: number, delta: string) => ({
  type: "response.function_call_arguments.delta",
  output_index: index,
  delta,
});

export const responseEvents: readonly ({ type: string } & Record<string, unknown>)[] = [
  {
    type: "response.created",
    response: { ...wholeResponse, status: "in_progress", output: [], usage: null },
  },
  opened(0, { ...reasoning, summary: [] }),
  { type: "response.reasoning_summary_text.delta", output_index: 0, summary_index: 0, delta: "Two files." },
  closed(0),
  opened(1, { ...message, content: [] }),
  { type: "response.output_text.delta", output_index: 1, content_index: 0, delta: "Grüße " },
  { type: "response.output_text.delta", output_index: 1, content_index: 0, delta: "🌍" },
  closed(1),
  opened(2, call("read", "")),
  opened(3, call("list", "")),
  argued(2, '{"n":123456789'),
  argued(3, '{"p":'),
  argued(2, "01234567890}"),
  argued(3, '"é"}'),
  closed(2),
  closed(3),
  { type: "response.completed", response: wholeResponse },
];

export const wireOf = (events: readonly { type: string }[]) =>
  events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
