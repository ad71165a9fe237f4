// What signing in and managing people works with, on a store and a clock of a test.

import { createPasswordHasher } from "#identity/password.ts";
import { type SignInDeps, type SignInResult, type SignInThrottle, signIn } from "#identity/sign-in.ts";
import { createIds } from "#runtime/ids.ts";
import { type MovableClock, movableClock } from "#runtime/movable-clock.ts";
import { createSealer } from "#store/seal.ts";
import { seededRandom } from "../harness.ts";
import { testPasswordCost } from "../password-cost.ts";
import type { Store } from "../store/conformance.ts";

export interface PeopleDeps extends SignInDeps {
  clock: MovableClock;
  /** How many passwords were compared, and with what. */
  verified: (string | null)[];
}

let made = 100;

export function peopleDeps(store: Store): PeopleDeps {
  made += 1;
  const clock = movableClock();
  const random = seededRandom(made);
  const verified: (string | null)[] = [];
  const passwords = createPasswordHasher(random, testPasswordCost);
  return {
    database: store.database,
    clock,
    random,
    newId: createIds(clock, random),
    passwords: {
      hash: passwords.hash,
      verify: (password, stored, asker) => {
        verified.push(stored);
        return passwords.verify(password, stored, asker);
      },
    },
    verified,
    sealer: createSealer("a master key that is only used in tests", random),
  };
}

const noLimits: SignInThrottle = { knownDevice: () => 0, unknownDevice: () => 0, recordFailure: () => {} };

/** An attempt to sign in that no limit stops. */
export function enter(
  deps: SignInDeps,
  options: { email: string; password: string; replaced: string | null; device?: string | null },
  attempts = noLimits,
): Promise<SignInResult> {
  return signIn(deps, { device: null, ...options }, attempts);
}
