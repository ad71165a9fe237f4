// Thoughts that no vendor sealed: they go back word for word to the member that had them, or to its vendor, through every client
// API, and to no other member. A conversation that lacks them is asked again with what the member takes in their place.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { thoughtMaker } from "#ai/failover/adaptations/unsealed-reasoning.ts";
import type { Member } from "#ai/pools/member.ts";
import { anthropic } from "#providers/anthropic/anthropic.ts";
import { openaiCompatible } from "#providers/openai/openai-compatible.ts";
import { fold } from "#providers/translate/fold.ts";
import { fieldsIn } from "#providers/translate/json.ts";
import { anthropicMessage } from "../../../http/anthropic-peer.ts";
import { answered, json, type Reply, type Script, script, streamed } from "../../scripted-members.ts";
import { call, run } from "../chain-calls.ts";
import { blocksOf, chatDoor, type Door, doors } from "../thought-doors.ts";

type Fields = Record<string, unknown>;

const thought = 'Grüße: I need the "weather" first.\n';
const args = { city: "Paris" };

const toolCall = {
  index: 0,
  id: "call_00000001",
  type: "function",
  function: { name: "weather", arguments: JSON.stringify(args) },
};
const chunk = (delta: object, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "theirs", choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
const asked = (message: object, deltas: readonly object[]) => ({
  whole: json({
    id: "c",
    object: "chat.completion",
    choices: [
      { index: 0, message: { role: "assistant", content: null, ...message }, finish_reason: "tool_calls" },
    ],
  }),
  stream: streamed(...deltas.map((delta) => chunk(delta)), chunk({}, "tool_calls"), "data: [DONE]\n\n"),
});

/** Of the next request: the message of the assistant, as the member got it. */
const assistantIn = (body: Fields) => fieldsIn(body.messages).find(({ role }) => role === "assistant") ?? {};

/** How a member tells its thoughts, and where it finds them in the next request. */
interface Vendor {
  whole: Reply;
  stream: Reply;
  settings: Fields;
  provider?: typeof anthropic;
  sentBack(body: Fields): unknown;
  /** What it finds there. */
  expected: unknown;
}

const inField = (field: string): Vendor => ({
  ...asked({ [field]: thought, tool_calls: [toolCall] }, [
    { [field]: thought.slice(0, 7) },
    { [field]: thought.slice(7) },
    { tool_calls: [toolCall] },
  ]),
  settings: {},
  sentBack: (body) => assistantIn(body)[field],
  expected: thought,
});

const signedCall = { ...toolCall, extra_content: { google: { thought_signature: "U0lH" } } };
const unsigned = [
  { type: "thinking", thinking: thought },
  { type: "tool_use", id: "toolu_00000001", name: "weather", input: args },
];
const anthropicEvent = (type: string, fields: object) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;

const vendors: Record<string, Vendor> = {
  reasoning_content: inField("reasoning_content"),
  reasoning: inField("reasoning"),
  "a signature of Google's beside the call": {
    ...asked({ tool_calls: [signedCall] }, [{ tool_calls: [signedCall] }]),
    settings: {},
    sentBack: (body) =>
      (fieldsIn(assistantIn(body).tool_calls)[0]?.extra_content as Fields | undefined)?.google,
    expected: { thought_signature: "U0lH" },
  },
  "thinking without a signature": {
    whole: json(anthropicMessage("glm", unsigned, "tool_use")),
    stream: streamed(
      anthropicEvent("message_start", {
        message: { ...anthropicMessage("glm", [], "tool_use"), stop_reason: null },
      }),
      anthropicEvent("content_block_start", { index: 0, content_block: { type: "thinking", thinking: "" } }),
      anthropicEvent("content_block_delta", {
        index: 0,
        delta: { type: "thinking_delta", thinking: thought },
      }),
      anthropicEvent("content_block_stop", { index: 0 }),
      anthropicEvent("content_block_start", { index: 1, content_block: { ...unsigned[1], input: {} } }),
      anthropicEvent("content_block_delta", {
        index: 1,
        delta: { type: "input_json_delta", partial_json: JSON.stringify(args) },
      }),
      anthropicEvent("content_block_stop", { index: 1 }),
      anthropicEvent("message_delta", { delta: { stop_reason: "tool_use" }, usage: { output_tokens: 5 } }),
      anthropicEvent("message_stop", {}),
    ),
    settings: {},
    provider: anthropic,
    sentBack: (body) => fieldsIn(assistantIn(body).content)[0],
    expected: unsigned[0],
  },
};

function member(
  it: Script,
  name: string,
  { provider, settings }: Vendor,
  replies: readonly Reply[],
  more: Fields = {},
) {
  if (provider === anthropic)
    return it.member(name, replies, {
      provider,
      models: ["glm-5"],
      settings: anthropic.settings.parse({ api_key: "key", base_url: `http://${name}.test`, ...more }),
    });
  const own = { base_url: `http://${name}.test/v1`, responses: false, ...settings, ...more };
  return it.member(name, replies, { settings: openaiCompatible.settings.parse(own) });
}

/** What the client gets, and of which member. */
async function answerTo(it: Script, members: readonly Member[], { api }: Door, body: Fields) {
  const mode = body.stream === true ? "buffered" : "chat";
  const request = api(body);
  const result = await run(
    it,
    call(members, mode, { text: JSON.stringify(body), body, api: request, pool: { params: "adapt" } }),
  );
  assert.ok(result.kind === "answer" || result.kind === "buffered", JSON.stringify(result));
  const { won } = result;
  const rules = {
    model: "asked",
    created: 1,
    served: { provider: won.choice.member.name, model: "m", latency_ms: 1, attempts: 1 },
    promptTokens: 1,
    maker: thoughtMaker(won.choice.member),
  };
  const writer = request.writer(rules, won.forwarded);
  const text =
    result.kind === "answer"
      ? request.answer(result.text, won.forwarded, rules)
      : result.chunks.map((one) => writer.chunk(one)).join("") + writer.done();
  return { text, adapted: won.adapted };
}

const bodyAt = (it: Script, at: number): Fields => JSON.parse(String(it.asked[at]?.request.body));
const down = json({ error: { message: "Broken.", type: "server_error" } }, 503, { "retry-after": "60" });

/** Google's signatures are all that Gemini wants back: they need a place, which responses have where it was asked for. */
const hasPlace = (door: string, vendor: string) =>
  !(door === "responses" && vendor.startsWith("a signature"));

/** The member speaks the client's own format, and gets everything as it came. */
const isOwn = (door: string, vendor: string) => door.startsWith("messages") && vendor.startsWith("thinking");

for (const [doorName, door] of Object.entries(doors))
  describe(doorName, () => {
    for (const [vendorName, vendor] of Object.entries(vendors))
      for (const stream of [false, true]) {
        const { first: request, next } = door;
        const first = stream ? { ...request, stream: true } : request;
        const reply = stream ? vendor.stream : vendor.whole;
        if (!hasPlace(doorName, vendorName) || isOwn(doorName, vendorName)) continue;
        test(`${vendorName}${stream ? ", streamed" : ""}: goes back to its maker and to its maker's vendor alone`, async () => {
          const it = script();
          const maker = member(it, "maker", vendor, [reply, reply, down]);
          const members = [maker, it.member("other", [answered()])];
          const { text } = await answerTo(it, members, door, first);
          const second = next(first, text);
          const { adapted } = await answerTo(it, members, door, second);
          assert.deepEqual(vendor.sentBack(bodyAt(it, 1)), vendor.expected);
          assert.ok(!JSON.stringify(bodyAt(it, 1)).includes("trunkline"), "and nothing of the gateway's");
          assert.deepEqual(adapted, []);
          const elsewhere = await answerTo(
            it,
            members,
            door,
            stream ? { ...second, stream: undefined } : second,
          );
          const sent = JSON.stringify(bodyAt(it, it.asked.length - 1));
          assert.equal(it.asked.at(-1)?.member, "other");
          for (const secret of [thought.slice(7, 20), "U0lH", "trunkline", "reasoning"])
            assert.ok(!sent.includes(secret), `${secret} is not sent to another vendor: ${sent}`);
          assert.ok(elsewhere.adapted.includes("messages"));
        });
      }
  });

test("members of one vendor, and members at one address, get the thoughts of one another", async () => {
  const door = doors["messages, with thinking"]!;
  const vendor = vendors.reasoning_content!;
  for (const [one, other, expected] of [
    [{ vendor: "deepseek" }, { vendor: "deepseek" }, thought],
    [{ base_url: "http://same.test/v1" }, { base_url: "http://same.test/v1" }, thought],
    [{ vendor: "deepseek" }, { vendor: "moonshot" }, undefined],
    [{ vendor: "vllm" }, { vendor: "vllm" }, undefined],
  ] as const) {
    const it = script();
    const name = "base_url" in one ? "same" : "one";
    const { text } = await answerTo(
      it,
      [member(it, name, vendor, [vendor.whole, answered()], one)],
      door,
      door.first,
    );
    const next =
      name === "same"
        ? member(it, name, vendor, [answered()], other)
        : member(it, "two", vendor, [answered()], other);
    await answerTo(it, [next], door, door.next(door.first, text));
    assert.equal(vendor.sentBack(bodyAt(it, 1)), expected, JSON.stringify([one, other]));
  }
});

test("a client that did not ask for thoughts gets a block without any, and none where no tool is called", async () => {
  const door = doors["messages, without thinking"]!;
  const vendor = vendors.reasoning_content!;
  const it = script();
  const { text } = await answerTo(it, [member(it, "maker", vendor, [vendor.whole])], door, door.first);
  const [block] = blocksOf(text, false);
  assert.deepEqual([block?.type, block?.thinking], ["thinking", ""]);
  const plain = asked({ reasoning_content: thought, content: "Sunny." }, []).whole;
  const spoken = await answerTo(it, [member(it, "plain", vendor, [plain])], door, door.first);
  assert.deepEqual(
    blocksOf(spoken.text, false).map(({ type }) => type),
    ["text"],
  );
});

/** The client folds the chunks, as clients do. */
const folded = (text: string) =>
  text.startsWith("{")
    ? text
    : fold(
        text
          .split("\n")
          .filter((line) => line.startsWith("data: {"))
          .map((line) => ({ ...emptyChunk, text: line.slice(6) })),
      ).text;
const emptyChunk = {
  kind: "chunk",
  output: true,
  finish: false,
  usage: null,
  usageOnly: false,
  units: 0,
} as const;

describe("chat completions", () => {
  for (const field of ["reasoning_content", "reasoning"])
    for (const stream of [false, true]) {
      const vendor = inField(field);
      const door = chatDoor(stream ? { stream: true } : {});
      const reply = stream ? vendor.stream : vendor.whole;
      const ask = async (it: Script, members: readonly Member[], body: Fields) =>
        folded((await answerTo(it, members, door, body)).text);

      test(`${field}${stream ? ", streamed" : ""}: goes back to its maker's vendor alone`, async () => {
        const it = script();
        const maker = member(it, "maker", vendor, [reply, reply, down], { vendor: "deepseek" });
        const other = it.member("other", [answered()]);
        const second = door.next(door.first, await ask(it, [maker, other], door.first));
        await ask(it, [maker, other], second);
        const plain = { ...second, stream: false };
        await ask(it, [maker, other], plain);
        const twin = member(it, "twin", vendor, [answered()], { vendor: "deepseek" });
        await ask(it, [{ ...other, priority: twin.priority }, twin], plain);
        assert.deepEqual(it.names(), ["maker", "maker", "maker", "other", "twin"]);
        const sent = [1, 2, 3, 4].map((at) => assistantIn(bodyAt(it, at))[field]);
        assert.deepEqual(sent, [thought, thought, undefined, thought]);
      });
    }

  for (const [words, param] of [
    ["Unknown parameter: 'messages[1].reasoning_content'.", "messages[1].reasoning_content"],
    ["'messages.1' : for 'role:assistant' property 'reasoning_content' is unsupported", null],
  ] as const)
    test(`a member that does not know the field is asked without it: ${words}`, async () => {
      const it = script();
      const refused = json(
        { error: { message: words, type: "invalid_request_error", param, code: null } },
        400,
      );
      const [user, assistant, result] = lacking.messages;
      const messages = [user, { ...assistant, reasoning_content: thought }, result];
      await answerTo(it, [it.member("openai", [refused, answered()])], chatDoor({}), {
        ...lacking,
        messages,
      });
      const sent = [0, 1].map((at) => assistantIn(bodyAt(it, at)));
      assert.deepEqual(sent, [messages[1], assistant]);
    });
});

const lacking = {
  ...chatDoor({}).first,
  messages: [
    { role: "user", content: "hi" },
    { role: "assistant", content: null, tool_calls: [toolCall] },
    { role: "tool", tool_call_id: toolCall.id, content: "sunny" },
  ],
};
const refusing = (message: string) =>
  json({ error: { message, type: "invalid_request_error", param: null, code: null } }, 400);

/** What vendors, and gateways in front of them, say of a conversation that lacks thoughts. */
const refusals: Record<string, [words: string, filled: Fields]> = {
  DeepSeek: [
    "The `reasoning_content` in the thinking mode must be passed back to the API.",
    { reasoning_content: " " },
  ],
  Kimi: [
    "thinking is enabled but reasoning_content is missing in assistant tool call message at index 1",
    { reasoning_content: " " },
  ],
  MiMo: [
    "Missing `reasoning_content` field in the assistant message at message index 1.",
    { reasoning_content: " " },
  ],
  "LiteLLM before DeepSeek": [
    "litellm.BadRequestError: DeepseekException - The `reasoning_content` in the thinking mode must be passed back to the API.",
    { reasoning_content: " " },
  ],
  Google: [
    "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly.",
    {
      tool_calls: [
        { ...toolCall, extra_content: { google: { thought_signature: "skip_thought_signature_validator" } } },
      ],
    },
  ],
};
for (const [name, [words, filled]] of Object.entries(refusals)) {
  test(`${name}: a conversation without thoughts is asked again once, and at once the next time`, async () => {
    const it = script();
    const members = [it.member("strict", [refusing(words), answered(), answered()])];
    const door = chatDoor({});
    await answerTo(it, members, door, lacking);
    await answerTo(it, members, door, lacking);
    const sent = [0, 1, 2].map((at) => assistantIn(bodyAt(it, at)));
    const [, assistant] = lacking.messages;
    assert.deepEqual(sent, [assistant, { ...assistant, ...filled }, { ...assistant, ...filled }]);
  });

  test(`${name}: a member that refuses that too is left for the next one, and stays healthy`, async () => {
    const it = script();
    const members = [it.member("strict", [refusing(words)]), it.member("other", [answered()])];
    await answerTo(it, members, chatDoor({}), lacking);
    assert.deepEqual(it.names(), ["strict", "strict", "other"]);
    assert.deepEqual(it.down, []);
    assert.deepEqual(assistantIn(bodyAt(it, 2)), lacking.messages[1]);
  });
}

test("thoughts that the conversation has are not replaced", async () => {
  const it = script();
  const members = [it.member("strict", [refusing(refusals.Kimi![0]), answered()])];
  const [user, assistant, result] = lacking.messages;
  const messages = [user, { ...assistant, reasoning_content: thought }, result, assistant, result];
  await answerTo(it, members, chatDoor({}), { ...lacking, messages });
  const sent = fieldsIn(bodyAt(it, 1).messages).map(({ reasoning_content: content }) => content);
  assert.deepEqual(sent, [undefined, thought, undefined, " ", undefined]);
});

test("chat completions: thinking without a signature goes back to its maker alone", async () => {
  const vendor = vendors["thinking without a signature"]!;
  const door = chatDoor({});
  const it = script();
  const maker = member(it, "maker", vendor, [vendor.whole, vendor.whole, down]);
  const { text } = await answerTo(it, [maker], door, door.first);
  const second = door.next(door.first, text);
  await answerTo(it, [maker], door, second);
  assert.deepEqual(vendor.sentBack(bodyAt(it, 1)), vendor.expected);
  const claude = it.member(
    "claude",
    [json(anthropicMessage("claude", [{ type: "text", text: "ok" }], "end_turn"))],
    {
      provider: anthropic,
      models: ["claude-sonnet-4-5"],
      settings: anthropic.settings.parse({ api_key: "key", base_url: "http://claude.test" }),
    },
  );
  await answerTo(it, [maker, claude], door, second);
  assert.ok(!JSON.stringify(bodyAt(it, it.asked.length - 1)).includes('"thinking"'));
});
