import { useFreshness } from "#ui/api/freshness.ts";
import { useSilence } from "#ui/app/silence.tsx";
import { Button } from "#ui/parts/button.tsx";
import { setPreference } from "#ui/parts/preferences.ts";

const faces = {
  live: { words: "Live", tone: "good", path: "M5 1a4 4 0 1 0 0 8a4 4 0 1 0 0-8" },
  polling: { words: "Every 5 s", tone: "soft", path: "M5 1a4 4 0 1 0 0 8z" },
  paused: { words: "Paused", tone: "warn", path: "M1.5 1h2.5v8h-2.5zM6 1h2.5v8h-2.5z" },
  silent: { words: "No answer", tone: "bad", path: "M5 .5l5 9h-10z" },
} as const;

/** How current the page is; pressing it pauses or resumes updates. */
export function LiveDot() {
  const freshness = useFreshness();
  const since = useSilence();
  const { words, tone, path } = faces[since === null ? freshness : "silent"];
  const text = since === null ? words : `No answer since ${since}`;
  return (
    <Button
      look="bare"
      className="live"
      aria-keyshortcuts="l"
      title={freshness === "paused" ? "Resume updates" : "Pause the updates"}
      onClick={() => setPreference("live", freshness === "paused" ? "on" : "off")}
    >
      <svg viewBox="0 0 10 10" className={tone} aria-hidden="true">
        <path d={path} fill="currentColor" />
      </svg>
      <span className="label">{text}</span>
    </Button>
  );
}
