// Work on a request is linear in its size, at every client API and every provider: one caller's request keeps the event loop
// from all others while it is read and written. The lists are the registries, so that a new API and a new provider are tested.
// Runs in a process of its own: it counts the calls of built-in functions, which tests beside it would make too.

import assert from "node:assert/strict";
import test from "node:test";
import { clientApis, errorShapeOf, inShape } from "#ai/apis/apis.ts";
import type { ClientApi } from "#ai/apis/client-api.ts";
import { maxToolCalls } from "#contract/ai/chat.ts";
import { isProblem } from "#contract/problem.ts";
import type { ClientFormat } from "#providers/provider.ts";
import { providers } from "#providers/registry.ts";
import { requestOf } from "../../providers/conformance-cases.ts";
import { type Shape, shapes, writers } from "./conversations.ts";
import { tooSteep } from "./measure.ts";
import { memberOf } from "./members.ts";

const formats = Object.keys(writers) as ClientFormat[];

const textOf = (format: ClientFormat, shape: Shape, size: number) =>
  JSON.stringify(writers[format](shape.make(size)));

const withoutEmbeddings = ({ operations }: ClientApi) =>
  operations.filter(({ path }) => !/embed/i.test(path));

/** A request of the API is read, and written as a chat completion. */
function translated(api: ClientApi, text: string): void {
  for (const { read, path } of withoutEmbeddings(api).slice(0, 2)) {
    const request = read(text, { model: "m" });
    assert.ok(!isProblem(request), `${path} ${JSON.stringify(isProblem(request) ? request.body : "")}`);
    const received = { headers: {}, stem: "stem", created: 1, query: new URLSearchParams() };
    const written = api.request(request, received);
    written.chat();
    assert.ok(written.estimated);
  }
}

for (const api of clientApis)
  test(`requests of ${api.format} are read and translated in linear time`, () => {
    const works = shapes.map((shape) => ({
      ...shape,
      make: (size: number) => {
        const text = textOf(api.format, shape, size);
        return () => translated(api, text);
      },
    }));
    assert.deepEqual(tooSteep(works), []);
  });

for (const api of clientApis.filter(({ format }) => format !== "completions"))
  test(`a request of ${api.format} has at most 10,000 tool calls`, () => {
    const text = (count: number) => {
      const items = Array.from(
        { length: count },
        (_, at) => ({ role: "call", id: `c${at}`, name: "t" }) as const,
      );
      return JSON.stringify(writers[api.format]({ items }));
    };
    const [accepted, refused] = [text(maxToolCalls), text(maxToolCalls + 1)];
    for (const { read, path } of withoutEmbeddings(api)) {
      assert.ok(!isProblem(read(accepted, { model: "m" })), path);
      const problem = read(refused, { model: "m" });
      assert.ok(isProblem(problem), path);
      const shaped = inShape(errorShapeOf(path.replace("{model}", "m")), problem, "req_1");
      assert.equal(shaped.status, 400, path);
      assert.match(JSON.stringify(shaped.body), /'\w+' has 10001 tool calls; the limit is 10000\./, path);
    }
  });

for (const provider of providers) {
  const { settings, models } = memberOf(provider);
  for (const model of models)
    test(`requests for ${model} at ${provider.kind} are written in linear time`, () => {
      const chats = shapes.map((shape) => ({
        ...shape,
        make: (size: number) => {
          const request = requestOf(writers.chat_completions(shape.make(size)), model);
          return () => {
            provider.chat(request, settings);
            provider.toolsApi(settings)?.chat(request);
          };
        },
      }));
      const natives = formats.flatMap((format) => {
        const api = provider.native(format, settings, model);
        if (!api) return [];
        return shapes.map((shape) => ({
          ...shape,
          name: `${shape.name}, ${format}`,
          make: (size: number) => {
            const request = { ...requestOf(writers[format](shape.make(size)), model), headers: {} };
            return () => {
              const foreign = new Set(api.sealed?.in(request.body));
              api.sealed?.essential?.(request.body);
              api.prepare({ ...request, foreign });
              api.countTokens?.(request);
            };
          },
        }));
      });
      assert.deepEqual(tooSteep([...chats, ...natives]), []);
    });
}
