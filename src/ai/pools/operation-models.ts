// The models with which a member serves each kind of call.

import { aiProblems } from "#contract/ai/openai-error.ts";
import { type CallKind, isForwarded, modelsField } from "#contract/ai/operations.ts";
import type { ApiError } from "#providers/provider.ts";
import type { Member } from "./member.ts";

/** All models of a member, of every operation. */
export const allModels = ({
  models,
  embeddingModels,
  forwardedModels,
}: Pick<Member, "models" | "embeddingModels" | "forwardedModels">): string[] => [
  ...models,
  ...embeddingModels,
  ...Object.values(forwardedModels).flat(),
];

const chatModels = ({ models }: Member) => models;
const embeddingModels = (member: Member) => (member.provider.embeds ? member.embeddingModels : []);

/** The models with which a member serves such calls. */
export function modelsFor(kind: CallKind): (member: Member) => readonly string[] {
  if (kind === "chat") return chatModels;
  if (kind === "embeddings") return embeddingModels;
  return ({ provider, forwardedModels }) =>
    provider.forwards.includes(kind) ? (forwardedModels[kind] ?? []) : [];
}

/** No member serves such calls: a 400 and not a 503, because repeating the call cannot help. */
export function notServed(kind: Exclude<CallKind, "chat">): ApiError {
  const code = kind === "embeddings" ? "no_embeddings" : "operation_not_served";
  const { type, message } = aiProblems[code];
  const text = isForwarded(kind) ? `No member of this pool has \`${modelsField(kind)}\`.` : message;
  return { message: text, type, param: "model", code };
}
