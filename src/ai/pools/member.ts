// A member of a pool as a request uses it: its provider, its settings and its rules.

import type { MemberRules } from "#contract/manage/pools/members.ts";
import type { Provider } from "#providers/provider.ts";
import type { Candidate } from "./pool.ts";

export interface Member extends Candidate, Omit<MemberRules, keyof Candidate> {
  provider: Provider;
  settings: unknown;
}
