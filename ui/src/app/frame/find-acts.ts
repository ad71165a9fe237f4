// What the search field does in place: the page stays.

import { call } from "#ui/api/client.ts";
import { useChange } from "#ui/api/queries.ts";
import type { Gateway } from "#ui/api/schema.ts";
import { done } from "#ui/parts/over/toast.tsx";
import { setPreference, usePreference } from "#ui/parts/preferences.ts";
import { forgetAllPending } from "#ui/send/pending.ts";
import type { Finding } from "./find.ts";

const act = (title: string, run: () => unknown): Finding => ({
  href: `#${title}`,
  title,
  note: "action",
  run,
});

/** Ends the session, and begins anew at the sign-in. */
export async function signOut(): Promise<void> {
  await call("signOut", {}).catch(() => undefined);
  forgetAllPending();
  location.assign("/");
}

/** `account`: that of the gateways. */
export function useActs(account: string | null, gateways: readonly Gateway[]): Finding[] {
  const pause = useChange("pauseGateway");
  const resume = useChange("resumeGateway");
  const live = usePreference("live");
  const failed = ({ message }: Error) => done(message);
  return [
    ...gateways.flatMap(({ identifier, state }) => {
      const input = { params: { account: account ?? "", gateway: identifier } };
      if (state === "active")
        return act(`Pause ${identifier}`, () =>
          pause
            .mutateAsync(input)
            .then(() => done(`${identifier} is paused`, () => resume.mutateAsync(input)), failed),
        );
      if (state === "off") return [];
      return act(`Resume ${identifier}`, () =>
        resume.mutateAsync(input).then(() => done(`${identifier} is resumed`), failed),
      );
    }),
    ...(["light", "dark", "system"] as const).map((theme) =>
      act(`Theme: ${theme}`, () => setPreference("theme", theme)),
    ),
    act(live === "on" ? "Pause live updates" : "Resume live updates", () =>
      setPreference("live", live === "on" ? "off" : "on"),
    ),
    act("Sign out", signOut),
  ];
}
