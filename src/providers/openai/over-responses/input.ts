// Writes the messages of a chat completion as items of the Responses API. Each message, call and result is a separate item. Source:
// platform.openai.com/docs/guides/migrate-to-responses, /docs/api-reference/responses/create

import { type Fields, isObject } from "#contract/normalise.ts";
import { argumentsText, fieldsIn, textOf } from "#providers/translate/json.ts";
import { detailsOf, responsesFormat, sealOf } from "#providers/translate/reasoning-details.ts";
import type { RequestFields } from "#providers/translate/request-fields.ts";

/** The items of `messages`. What has no equivalent becomes an issue in `fields`. */
export function inputOf(fields: RequestFields): Fields[] {
  const messages = fields.take("messages");
  const issue = (message: string) => fields.issue("messages", message);
  return fieldsIn(messages).flatMap((message): Fields[] => {
    switch (message.role) {
      case "system":
      case "developer":
      case "user":
        return [{ type: "message", role: message.role, content: inputParts(message.content, issue) }];
      case "assistant":
        return assistantItems(message, issue);
      case "tool":
        return [
          {
            type: "function_call_output",
            call_id: textOf(message.tool_call_id),
            output: resultOf(message.content, issue),
          },
        ];
      default:
        issue("The Responses API has no messages of this role.");
        return [];
    }
  });
}

type Issue = (message: string) => undefined;

/** The model's earlier text and calls, after the sealed thoughts that led to them. */
function assistantItems(message: Fields, issue: Issue): Fields[] {
  if (isObject(message.function_call)) issue("A `function_call` without an id cannot be translated.");
  const content = outputParts(message.content, issue);
  if (textOf(message.refusal) !== "") content.push({ type: "refusal", refusal: message.refusal });
  const calls = fieldsIn(message.tool_calls).map((call): Fields => {
    const called = isObject(call.function) ? call.function : null;
    if (called === null) issue("Only calls of functions can be translated.");
    return {
      type: "function_call",
      call_id: textOf(call.id),
      name: textOf(called?.name),
      arguments: argumentsText(called?.arguments),
    };
  });
  const pictures = fieldsIn(message.images).map((part) => inputPart(part, issue));
  if (content.length === 0 && calls.length === 0 && pictures.length === 0) return [];
  const thoughts = detailsOf(message).filter(({ format }) => format === responsesFormat);
  return [
    ...thoughts.map(sealOf).flatMap((seal) => (seal === "" ? [] : [reasoningItem(seal)])),
    ...(content.length === 0 ? [] : [{ type: "message", role: "assistant", content }]),
    ...calls,
    // Images are accepted only from the user.
    ...(pictures.length === 0 ? [] : [{ type: "message", role: "user", content: [madeNote, ...pictures] }]),
  ];
}

const madeNote = { type: "input_text", text: "The assistant made these pictures:" };

const reasoningItem = (seal: string) => ({ type: "reasoning", summary: [], encrypted_content: seal });

function outputParts(content: unknown, issue: Issue): Fields[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "output_text", text: content }];
  return fieldsIn(content).map((part): Fields => {
    if (part.type === "refusal") return { type: "refusal", refusal: textOf(part.refusal) };
    if (part.type !== "text") issue("This part of an assistant's message cannot be translated.");
    return { type: "output_text", text: textOf(part.text) };
  });
}

const inputParts = (content: unknown, issue: Issue): string | Fields[] =>
  Array.isArray(content) ? fieldsIn(content).map((part) => inputPart(part, issue)) : textOf(content);

function inputPart(part: Fields, issue: Issue): Fields {
  if (part.type === "text") return { type: "input_text", text: textOf(part.text) };
  if (part.type === "image_url" && isObject(part.image_url)) {
    const { url, detail } = part.image_url;
    return { type: "input_image", image_url: textOf(url), detail: textOf(detail) || "auto" };
  }
  if (part.type === "file" && isObject(part.file)) {
    const { file_data: data, file_id: id, file_url: url, filename } = part.file;
    // OpenAI accepts no name together with a link.
    if (typeof url === "string") return { type: "input_file", file_url: url };
    return {
      type: "input_file",
      ...(typeof data === "string" ? { file_data: data } : {}),
      ...(typeof id === "string" ? { file_id: id } : {}),
      ...(typeof filename === "string" ? { filename } : {}),
    };
  }
  issue("The Responses API has no equivalent of this part of a message.");
  return { type: "input_text", text: "" };
}

/** A result that consists only of texts becomes one text, as most clients send it. */
function resultOf(content: unknown, issue: Issue): string | Fields[] {
  const parts = inputParts(content, issue);
  if (typeof parts === "string" || parts.some(({ type }) => type !== "input_text")) return parts;
  return parts.map(({ text }) => textOf(text)).join("");
}
