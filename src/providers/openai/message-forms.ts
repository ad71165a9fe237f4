// Message forms of OpenAI that some vendors do not accept: the role `developer`, which becomes `system`, and call ids that Mistral did not
// create. What a vendor's own documentation says is built in; for other servers it is learned from their refusals. Source:
// docs.mistral.ai/capabilities/function_calling and the vendors' errors.

import { createHash } from "node:crypto";
import { type Fields, isObject } from "#contract/normalise.ts";
import type { ChatRequest, RefusedParameter } from "#providers/provider.ts";
import { fieldsIn, parseExactly, textOf } from "#providers/translate/json.ts";
import type { VendorDefaults } from "./vendors.ts";

const noDeveloper =
  /\b(?:unknown variant|input tag|invalid value:?|role:?|unsupported) [`'"]?developer[`'"]?(?![\w-])|^(?:<\d{3}> [\w.]{1,80}: )?[`'"]?developer[`'"]? (?:is not one of|role|messages?)\b/i;
const noForeignIds = /^tool call ids? (?:was|were|has|must|should)\b/i;

/** The message form that a refusal names, as a parameter that later requests leave out. Null if it names none. */
export function refusedForm(message: string): RefusedParameter | null {
  if (noForeignIds.test(message)) return { name: "tool_call_ids", valueOnly: false };
  return noDeveloper.test(message.slice(0, 400)) ? { name: "developer", valueOnly: false } : null;
}

const fileIn = (part: unknown): Fields =>
  isObject(part) && part.type === "file" && isObject(part.file) ? part.file : {};

const isLinked = (part: unknown): boolean => textOf(fileIn(part).file_url) !== "";

/** Whether a message contains a file as a link, which most vendors do not accept in chat completions. */
export function hasLinkedFile({ text, body }: Pick<ChatRequest, "text" | "body">): boolean {
  if (!text.includes('"file_url"')) return false;
  return fieldsIn(body.messages).some(({ content }) => fieldsIn(content).some(isLinked));
}

/** OpenRouter puts links where others have the data. */
function withLinks(message: Fields): Fields {
  if (!fieldsIn(message.content).some(isLinked)) return message;
  const content = fieldsIn(message.content).map((part) => {
    const { file_url: link, ...file } = fileIn(part);
    return isLinked(part) ? { ...part, file: { ...file, file_data: link } } : part;
  });
  return { ...message, content };
}

/** The messages as JSON in the form that the vendor accepts; undefined if they need no change. */
export function messagesFor(
  { text, refused = [] }: Pick<ChatRequest, "text" | "refused">,
  vendor: Pick<VendorDefaults, "knowsDeveloper" | "ownCallIds" | "takesFileLinks">,
): string | undefined {
  const lacksDeveloper = vendor.knowsDeveloper !== true || refused.includes("developer");
  const lacksIds = vendor.ownCallIds === true || refused.includes("tool_call_ids");
  const renames = lacksDeveloper && text.includes('"developer"');
  const renumbers = lacksIds && text.includes('"tool_call');
  const links = vendor.takesFileLinks === true && text.includes('"file_url"');
  if (!renames && !renumbers && !links) return undefined;
  const body = parseExactly(text);
  if (!isObject(body) || !Array.isArray(body.messages)) return undefined;
  let changed = false;
  const messages = body.messages.map((message: unknown) => {
    if (!isObject(message)) return message;
    const asSystem = renames && message.role === "developer" ? { ...message, role: "system" } : message;
    const numbered = renumbers ? withOwnIds(asSystem) : asSystem;
    const formed = links ? withLinks(numbered) : numbered;
    if (formed !== message) changed = true;
    return formed;
  });
  return changed ? JSON.stringify(messages) : undefined;
}

const ownId = /^[A-Za-z0-9]{9}$/;

/** Nine letters and digits that replace the id, the same in the call and in its result. */
const ownIdOf = (id: string): string =>
  ownId.test(id)
    ? id
    : createHash("sha256")
        .update(id)
        .digest("base64")
        .replaceAll(/[^A-Za-z0-9]/g, "")
        .slice(0, 9);

function withOwnIds(message: Fields): Fields {
  const { tool_call_id: answered, tool_calls: calls } = message;
  const hasOther = (id: unknown) => typeof id === "string" && !ownId.test(id);
  const hasCalls = Array.isArray(calls) && calls.some((call) => isObject(call) && hasOther(call.id));
  if (!hasOther(answered) && !hasCalls) return message;
  return {
    ...message,
    ...(hasOther(answered) ? { tool_call_id: ownIdOf(textOf(answered)) } : {}),
    ...(hasCalls
      ? {
          tool_calls: calls.map((call: unknown) =>
            isObject(call) && hasOther(call.id) ? { ...call, id: ownIdOf(textOf(call.id)) } : call,
          ),
        }
      : {}),
  };
}
