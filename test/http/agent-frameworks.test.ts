// `@openai/agents` and LangChain, unmodified, against a listening server, with members of three formats on this machine.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { HumanMessage, ToolMessage } from "@langchain/core/messages";
import { tool as langchainTool } from "@langchain/core/tools";
import { ChatOpenAI } from "@langchain/openai";
import {
  Agent,
  OpenAIChatCompletionsModel,
  OpenAIResponsesModel,
  Runner,
  setTracingDisabled,
  tool,
} from "@openai/agents";
import OpenAI from "openai";
import { z } from "zod";
import { type Members, openMembers } from "../ai-peers/peers.ts";
import { formatNames, poolMember } from "../ai-peers/pool-member.ts";
import { city, greeting, nextStep } from "../clients/script.ts";
import { type Pooled, type PoolOptions, pooled } from "./pooled.ts";

const model = "weather-model";
const question = "What is the weather in Zürich?";
const sunny = "The tool said: sunny in Zürich";
const shape = z.object({ city: z.string(), degrees: z.number() });
const filled = { city, degrees: 21 };
const parameters = z.object({ city: z.string() });
const about = { name: "weather", description: "The weather of a city" };

let members: Members;
let it: Pooled;
const keys = new Map<string, string>();
before(async () => {
  members = await openMembers(nextStep);
  const poolOf = (format: (typeof formatNames)[number]) =>
    ({
      name: format,
      members: [poolMember({ name: format, format, model, url: members.url(format) })],
    }) as PoolOptions;
  it = await pooled(poolOf("chat"));
  keys.set("chat", it.key);
  for (const format of ["messages", "responses"] as const) keys.set(format, await it.pool(poolOf(format)));
  setTracingDisabled(true);
});
after(async () => {
  await it?.close();
  await members?.close();
});

for (const format of formatNames) {
  const client = () => new OpenAI({ baseURL: it.baseUrl, apiKey: keys.get(format)!, maxRetries: 0 });
  const weather = tool({ ...about, parameters, execute: async (input) => `sunny in ${input.city}` });
  const models = {
    responses: () => new OpenAIResponsesModel(client(), model),
    "chat completions": () => new OpenAIChatCompletionsModel(client(), model),
  };
  for (const [api, modelOf] of Object.entries(models)) {
    test(`@openai/agents over ${api}, at a member with ${format}`, async () => {
      const runner = new Runner({ tracingDisabled: true });
      const agent = new Agent({ name: "it", instructions: "Help.", model: modelOf(), tools: [weather] });
      assert.equal((await runner.run(agent, question)).finalOutput, sunny);
      const streamed = await runner.run(agent, question, { stream: true });
      let text = "";
      for await (const event of streamed) {
        if (event.type === "raw_model_stream_event" && event.data.type === "output_text_delta") {
          text += event.data.delta;
        }
      }
      await streamed.completed;
      assert.equal(streamed.finalOutput, sunny);
      assert.ok(text.endsWith(sunny), text);
      const shaped = new Agent({ name: "it", instructions: "Help.", model: modelOf(), outputType: shape });
      assert.deepEqual((await runner.run(shaped, question)).finalOutput, filled);
    });
  }

  for (const useResponsesApi of [false, true]) {
    const api = useResponsesApi ? "responses" : "chat completions";
    test(`LangChain over ${api}, at a member with ${format}`, async () => {
      const chat = new ChatOpenAI({
        model,
        useResponsesApi,
        apiKey: keys.get(format)!,
        maxRetries: 0,
        configuration: { baseURL: it.baseUrl },
      });
      assert.equal((await chat.invoke("Hi")).text, greeting);
      let text = "";
      for await (const chunk of await chat.stream("Hi")) text += chunk.text;
      assert.equal(text, greeting);
      const bound = chat.bindTools([langchainTool(async () => "", { ...about, schema: parameters })]);
      const first = await bound.invoke([new HumanMessage(question)]);
      const [call] = first.tool_calls!;
      assert.deepEqual(call?.args, { city });
      const result = new ToolMessage({ content: "sunny in Zürich", tool_call_id: call!.id! });
      assert.equal((await bound.invoke([new HumanMessage(question), first, result])).text, sunny);
      assert.deepEqual(await chat.withStructuredOutput(shape).invoke(question), filled);
    });
  }
}

test("the members refused nothing", () => {
  for (const format of formatNames) {
    assert.deepEqual(
      members.log(format).refused.map(({ message }) => message),
      [],
    );
  }
});
