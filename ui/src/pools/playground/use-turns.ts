// The conversation with a pool: its turns, including the current one.

import { useEffect, useRef, useState } from "react";
import { ApiError } from "#ui/api/client.ts";
import type { TryPoolRequest } from "#ui/api/schema.ts";
import { tryPool } from "#ui/api/trial.ts";
import { afterEvent, isOver, newTurn, type Turn } from "./turn.ts";

/** How often the bars of the current turn grow, ms. */
const tickMs = 100;

export function useTurns(params: { account: string; pool: string }) {
  const [turns, setTurns] = useState<readonly Turn[]>([]);
  const [elapsedMs, setElapsedMs] = useState(0);
  const asking = useRef<AbortController | null>(null);
  const busy = turns.some((turn) => !isOver(turn));
  useEffect(() => () => asking.current?.abort(), []);
  useEffect(() => {
    if (!busy) return;
    const from = performance.now();
    setElapsedMs(0);
    const timer = setInterval(() => setElapsedMs(performance.now() - from), tickMs);
    return () => clearInterval(timer);
  }, [busy]);

  /** Resolves with the turn when it has ended. */
  const ask = async (question: string, body: TryPoolRequest): Promise<Turn> => {
    const controller = new AbortController();
    asking.current = controller;
    const from = performance.now();
    let turn = newTurn(question);
    const show = (changed: Turn) => {
      turn = changed;
      setTurns((before) => [...before.slice(0, -1), changed]);
    };
    setTurns((before) => [...before, turn]);
    try {
      await tryPool(params, body, controller.signal, {
        onRequest: (request) => show({ ...turn, request }),
        onEvent: (event) => show(afterEvent(turn, event)),
      });
      if (!isOver(turn)) show({ ...turn, refusal: new ApiError(0, "The service ended the stream early.") });
    } catch (caught) {
      if (controller.signal.aborted) show({ ...turn, stoppedMs: performance.now() - from });
      else if (caught instanceof ApiError) show({ ...turn, refusal: caught });
      else show({ ...turn, refusal: new ApiError(0, "The service did not answer.") });
    }
    return turn;
  };
  return { turns, elapsedMs, busy, ask, stop: () => asking.current?.abort(), clear: () => setTurns([]) };
}
