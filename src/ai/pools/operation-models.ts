// The models with which a member serves each kind of call.

import { aiProblems } from "#contract/ai/openai-error.ts";
import { type CallKind, forwardedOperations, isForwarded, modelsField } from "#contract/ai/operations.ts";
import type { ApiError } from "#providers/provider.ts";
import type { Member } from "./member.ts";

type ModelLists = {
  readonly [F in "models" | "embedding_models" | ReturnType<typeof modelsField>]: readonly string[];
};

/** All models of a member, of every operation. */
export const allModels = (member: ModelLists): string[] => [
  ...member.models,
  ...member.embedding_models,
  ...forwardedOperations.flatMap((operation) => member[modelsField(operation)]),
];

const chatModels = ({ models }: Member) => models;
const embeddingModels = (member: Member) => (member.provider.embeds ? member.embedding_models : []);

/** The models with which a member serves such calls. */
export function modelsFor(kind: CallKind): (member: Member) => readonly string[] {
  if (kind === "chat") return chatModels;
  if (kind === "embeddings") return embeddingModels;
  return (member) => (member.provider.forwards.includes(kind) ? member[modelsField(kind)] : []);
}

/** No member that may be called has the path, which is not translated. */
export function notPassedOn(path: string): ApiError {
  const { type } = aiProblems.operation_not_served;
  const message = `No member of this pool that may serve the request has \`${path}\`.`;
  return { message, type, param: "model", code: "operation_not_served" };
}

/** No member serves such calls: a 400 and not a 503, because retrying cannot help. */
export function notServed(kind: Exclude<CallKind, "chat">): ApiError {
  const code = kind === "embeddings" ? "no_embeddings" : "operation_not_served";
  const { type, message } = aiProblems[code];
  const text = isForwarded(kind) ? `No member of this pool has \`${modelsField(kind)}\`.` : message;
  return { message: text, type, param: "model", code };
}
