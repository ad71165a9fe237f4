// Conversations that OpenAI would accept, drawn at random: system text anywhere, parts and texts, empty contents,
// rounds of parallel calls answered in any order, ids that repeat and that other vendors would refuse.

import fc from "fast-check";

export type Message = Record<string, unknown>;

const text = fc.oneof(fc.constantFrom("", " ", "\n", "Hi", "Grüße 🎉"), fc.string({ maxLength: 8 }));
const textPart = text.map((words) => ({ type: "text", text: words }));
const picture = fc.constantFrom(
  { type: "image_url", image_url: { url: "data:image/png;base64,AA==" } },
  { type: "image_url", image_url: { url: "https://x.test/a.png" } },
);
const texts = fc.oneof(text, fc.array(textPart, { maxLength: 3 }));
const anything = fc.oneof(text, fc.array(fc.oneof(textPart, picture), { maxLength: 3 }));

const system = fc.record({ role: fc.constantFrom("system", "developer"), content: texts });
const user = fc
  .record({ role: fc.constant("user"), content: anything })
  .chain((message) => fc.constantFrom<Message>(message, { ...message, name: "Ann" }));
const assistant = fc.record({ role: fc.constant("assistant"), content: fc.oneof(texts, fc.constant(null)) });

const ids = fc.constantFrom("call_0", "call_1", "functions.get:0", "call_äöü", "", "x".repeat(100));
const args = fc.constantFrom("", "{}", '{"a":1}', '{"n":12345678901234567890}', "{broken", "[1]", '"text"');

/** A round: calls, their results in another order, perhaps a system message in between. */
const round = fc
  .record({
    content: fc.oneof(texts, fc.constant(null)),
    calls: fc.uniqueArray(fc.tuple(ids, args), { minLength: 1, maxLength: 3, selector: ([id]) => id }),
    results: fc.array(texts, { minLength: 3, maxLength: 3 }),
    backwards: fc.boolean(),
    between: fc.option(system, { nil: undefined }),
  })
  .map(({ content, calls, results, backwards, between }): Message[] => {
    const answers = calls.map(([id], at) => ({ role: "tool", tool_call_id: id, content: results[at] }));
    return [
      {
        role: "assistant",
        content,
        tool_calls: calls.map(([id, text], at) => ({
          id,
          type: "function",
          function: { name: `tool_${at}`, arguments: text },
        })),
      },
      ...(between ? [between] : []),
      ...(backwards ? answers.reverse() : answers),
    ];
  });

/** `messages` of a request that OpenAI accepts. */
export const conversations: fc.Arbitrary<Message[]> = fc
  .array(
    fc.oneof(
      system.map((one) => [one]),
      user.map((one) => [one]),
      assistant.map((one) => [one]),
      round,
    ),
    { minLength: 1, maxLength: 8 },
  )
  .map((parts) => parts.flat());

/** Every text that is not whitespace, of everybody but the system, in the order it was said. */
export function textsOf(messages: readonly Message[], roles: readonly string[]): string[] {
  return messages
    .filter(({ role }) => roles.includes(String(role)))
    .flatMap(({ content }) => (Array.isArray(content) ? content : [{ text: content }]))
    .map((part: { text?: unknown }) => part.text)
    .filter((words): words is string => typeof words === "string" && words.trim() !== "");
}
