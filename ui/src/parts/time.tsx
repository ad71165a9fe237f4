import { useSyncExternalStore } from "react";
import { instant, instantsIn, relative } from "#ui/words/instants.ts";
import { useZone } from "./account.ts";

const listeners = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

/** One timer for all relative texts of the page. */
function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) now = Date.now();
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const each of listeners) each();
  }, 1_000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** A value that depends on the present, ms: the component is rendered again only when it changes. */
const useAt = <T extends string | number | boolean>(of: (now: number) => T): T =>
  useSyncExternalStore(subscribe, () => of(now));

/** The present, ms, updated each second. */
export const useNow = (): number => useAt((present) => present);

const day = 86_400_000;

/** An instant in the account's zone, with its distance from now if that is less than a day; UTC on hover. */
export function Time({ at, brief = false }: { at: string; brief?: boolean }) {
  const zone = useZone();
  const whole = useAt((present) => instant(at, zone, present));
  const near = useAt((present) => (Math.abs(Date.parse(at) - present) < day ? relative(at, present) : ""));
  return (
    <time dateTime={at} title={brief ? `${whole} (${zone})` : `${at} (shown in ${zone})`}>
      {brief && near !== "" ? null : <span className="whole">{whole}</span>}
      {near === "" ? null : (
        <>
          {brief ? "" : " "}
          <span className={brief ? "whole" : "whole soft"}>
            {brief ? "" : "· "}
            {near}
          </span>
        </>
      )}
    </time>
  );
}

/** An instant in the account's zone; UTC on hover. */
export function Moment({ at }: { at: string }) {
  const zone = useZone();
  return (
    <time dateTime={at} title={`${at} (shown in ${zone})`} className="whole">
      {instant(at, zone, Date.now())}
    </time>
  );
}

/** An instant in a list: today's without the date. */
export function Clock({ at }: { at: string }) {
  const zone = useZone();
  const now = Date.now();
  const whole = instant(at, zone, now);
  const today = instant(new Date(now).toISOString(), zone, now).slice(0, -"14:02:51".length);
  return (
    <time dateTime={at} title={`${whole} (${zone})`} className="whole">
      {whole.startsWith(today) ? whole.slice(today.length) : whole}
    </time>
  );
}

/** An instant in the account's zone, with its date, to the millisecond; UTC on hover. */
export function Exact({ at }: { at: string }) {
  const zone = useZone();
  return (
    <time dateTime={at} title={`${at} (shown in ${zone})`}>
      {instant(at, zone, Date.now(), true)}
    </time>
  );
}

/** A sentence of the API; the instants in it are shown in the account's zone. */
export function WithTimes({ text }: { text: string }) {
  const zone = useZone();
  return instantsIn(text).map((part, at) =>
    at % 2 === 0 || Number.isNaN(Date.parse(part)) ? (
      part
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text have no other names
      <time key={at} dateTime={part} title={`${part} (shown in ${zone})`}>
        {instant(part, zone, Date.now())}
      </time>
    ),
  );
}

/** Whether an instant has passed; null never does. */
export const useIsOver = (at: string | null): boolean =>
  useAt((present) => at !== null && Date.parse(at) <= present);

/** How far away an automatic event is; `over`: the text once its instant has passed. */
export function Due({ at, over }: { at: string; over: string }) {
  const isOver = useIsOver(at);
  return isOver ? over : <Time at={at} brief />;
}

/** Names the time zone of the page's times. */
export function Zone() {
  return <p className="hint zone">Times are in {useZone()}.</p>;
}
