// The sealed reasoning of a call: who made it, which of it a member receives, and how the member is called after it refused some.

import type { FailoverCall, Run } from "#ai/failover/call.ts";
import type { SealedOrigins } from "#ai/failover/sealed-origins.ts";
import type { Member } from "#ai/pools/member.ts";
import type { Choice } from "#ai/pools/pool.ts";
import type { NativeApi, Provider, SealedReasoning } from "#providers/provider.ts";
import { hasPacked, isPlainThought } from "#providers/translate/reasoning-details.ts";
import { mapPieces } from "#providers/translate/stream-reader.ts";
import { thoughtSignatures } from "#providers/translate/thought-signatures.ts";
import { oncePer } from "#runtime/once-per.ts";
import type { FailedAttempt, Reading, SealedInRequest } from "./adaptation.ts";
import { thoughtMaker } from "./unsealed-reasoning.ts";

const none: ReadonlySet<string> = new Set();

const sealedInChat = oncePer(
  ({ provider, settings }: Member): SealedReasoning => ({
    ...thoughtSignatures,
    sharedBy: provider.sealGroup(settings),
  }),
);

/** How a member seals in the format of the request. `native`: the client's own API. */
const sealedBy = (member: Member, native: NativeApi | null): SealedReasoning | null =>
  native === null ? sealedInChat(member) : (native.sealed ?? null);

/** Gemini's API uses this field for its seals, in either spelling. */
const hasSignature = (text: string) =>
  text.includes("thoughtSignature") || text.includes("thought_signature");

/** The body that is sent to the member: for other APIs, a chat completion with what was packed in their seals. */
function bodyFor(native: NativeApi | null, { api, text, body }: FailoverCall): FailoverCall["body"] {
  if (native !== null || api.format === "chat_completions") return body;
  if (!hasPacked(text) && !(api.format === "gemini" && hasSignature(text))) return body;
  const chat = api.chat();
  return chat.kind === "chat" ? chat.body : body;
}

/** The name under which the seals of the member are remembered. */
const makerOf = ({ id }: Member, { sharedBy }: SealedReasoning): string => sharedBy ?? id;

/** The values with the name of their maker: plain thoughts have one that all members of the vendor share. */
const byMaker = (
  member: Member,
  sealed: SealedReasoning,
  values: readonly string[],
): [values: readonly string[], maker: string][] => [
  [values.filter((value) => !isPlainThought(value)), makerOf(member, sealed)],
  [values.filter(isPlainThought), thoughtMaker(member)],
];

/** Distinguishes the members that made the newest sealed reasoning of the call from the others; null if none is known to have made it. */
export function makerIn(
  origins: SealedOrigins,
  call: FailoverCall,
): ((choice: Choice<Member>) => boolean) | null {
  const { choices, api } = call;
  if (choices.length < 2 || origins.isEmpty) return null;
  const nativeOf = ({ member, model }: Choice<Member>) =>
    member.provider.native(api.format, member.settings, model);
  const of = (choice: Choice<Member>) => sealedBy(choice.member, nativeOf(choice));
  for (const choice of choices) {
    const sealed = of(choice);
    const body = bodyFor(nativeOf(choice), call);
    const maker = sealed && origins.newestMaker([...sealed.in(body), ...(sealed.essential?.(body) ?? [])]);
    if (maker === null) continue;
    return (other) => {
      const others = of(other);
      if (others === null) return false;
      return makerOf(other.member, others) === maker || thoughtMaker(other.member) === maker;
    };
  }
  return null;
}

/** The sealed reasoning of the call that the member receives, as far as is known. */
export function sealedIn(
  origins: SealedOrigins,
  choice: Choice<Member>,
  native: NativeApi | null,
  call: FailoverCall,
  { learned }: Run,
): SealedInRequest {
  const sealed = sealedBy(choice.member, native);
  const values = sealed?.in(bodyFor(native, call)) ?? [];
  if (sealed === null || values.length === 0) return { sealed, values, foreign: none };
  if (learned.about(choice).unsealed) return { sealed, values, foreign: new Set(values) };
  const foreign = byMaker(choice.member, sealed, values).map(([some, maker]) => origins.foreign(some, maker));
  const unsigned = new Set(sealed.signsAll ? values.filter(isPlainThought) : []);
  return { sealed, values, foreign: foreign.reduce((all, some) => all.union(some), unsigned) };
}

/** Whether the member is called once more, without the sealed reasoning that it could not open. */
export function canGoUnsealed(
  { deps: { origins }, choice, plan, run }: FailedAttempt,
  { failure }: Reading,
): boolean {
  const { sealed, values, foreign } = plan.sealed;
  const sent = values.filter((value) => !foreign.has(value));
  if (
    sealed === null ||
    sent.length === 0 ||
    run.learned.about(choice).unsealed ||
    !sealed.isRefusal(failure)
  )
    return false;
  for (const [some, maker] of byMaker(choice.member, sealed, sent)) origins.refused(some, maker);
  run.learned.add(choice, { unsealed: true });
  return true;
}

export type AnswerReader = Pick<Provider, "answer" | "stream">;

/** Reads a member's answers and records what is sealed in them as its own. */
export function recordingReader(
  origins: SealedOrigins,
  member: Member,
  native: NativeApi | null,
  reader: AnswerReader,
): AnswerReader {
  const sealed = sealedBy(member, native);
  if (sealed === null) return reader;
  const note = (values: readonly string[]) => {
    if (values.length === 0) return;
    for (const [some, maker] of byMaker(member, sealed, values)) origins.made(some, maker);
  };
  return {
    answer: (text, request) => {
      const answer = reader.answer(text, request);
      if (answer.kind === "answer") note(sealed.made(answer.text));
      return answer;
    },
    stream: (request) => {
      const made = sealed.madeInPieces?.() ?? sealed.made;
      return mapPieces(reader.stream(request), (pieces) => {
        for (const piece of pieces) if (piece.kind === "chunk") note(made(piece.text));
        return pieces;
      });
    },
  };
}
