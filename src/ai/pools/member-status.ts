// The status of a pool's member, for the management API.

import type { UnsupportedParameter } from "#ai/health/refused-parameters.ts";
import type { MemberState } from "#contract/manage/pools/members.ts";
import type { Clock } from "#runtime/runtime.ts";
import type { Member } from "./member.ts";
import type { KeyStatus } from "./member-keys.ts";
import { allModels } from "./operation-models.ts";

/** The status of a member as this process sees it, for the management API. */
export interface MemberStatus {
  /** The member's id. */
  member: string;
  state: MemberState;
  /** When it may be called again, epoch ms; null if it may be called now. */
  until: number | null;
  /** Requests in progress. */
  inFlight: number;
  /** Moving average of the time to its first output; null if it has not answered yet. */
  firstOutputMs: number | null;
  /** The parameters that its models refused; `until`: epoch ms. */
  refused: readonly UnsupportedParameter[];
  /** Whether its models turned out to lack the Responses API, although its vendor documents it. */
  lacksResponses: boolean;
  /** The status of each key, if there are several; `until`: epoch ms. */
  keys: readonly KeyStatus[];
}

/** The status of a member; its times are epoch ms. */
export function statusOf(member: Member, clock: Clock): MemberStatus {
  const now = clock.monotonic();
  const { id, health } = member;
  const standing = health.overallAvailability(now, allModels(member));
  return {
    member: id,
    state: standing.kind === "down" ? standing.why : standing.kind,
    until: standing.kind === "down" ? clock.now() + Math.max(0, Math.round(standing.until - now)) : null,
    inFlight: health.inFlight,
    firstOutputMs: health.firstOutputMs,
    refused: health.refused.list(now).map((refusal) => ({
      ...refusal,
      until: clock.now() + Math.round(refusal.until - now),
    })),
    lacksResponses:
      member.models.length > 0 &&
      member.models.every((model) => health.missingApis.has(model, "responses", now)),
    keys: (member.keys?.list(now) ?? []).map((key) => ({
      ...key,
      until: key.until === null ? null : clock.now() + Math.round(key.until - now),
    })),
  };
}
