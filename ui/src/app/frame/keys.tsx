// Keyboard shortcuts that work everywhere, and the dialog that lists them.

import { useNavigate } from "@tanstack/react-router";
import { Fragment, useEffect } from "react";
import { keyedPages } from "#ui/app/pages.ts";
import { isCovered, lettersAct } from "#ui/parts/keys.ts";
import { Dialog } from "#ui/parts/over/dialog.tsx";
import { Foot } from "#ui/parts/over/foot.tsx";
import { preference, setPreference } from "#ui/parts/preferences.ts";

const leadMs = 1_000;

/** Letters after `g` open a page, `c` a new message; `?` lists the shortcuts, `l` pauses updates, `/` and Ctrl K search. */
export function useKeys(account: string | undefined, onHelp: () => void, onFind: () => void): void {
  const navigate = useNavigate();
  useEffect(() => {
    let after = Number.NEGATIVE_INFINITY;
    const listen = (event: KeyboardEvent) => {
      // In a field, too, but not while a dialog is open.
      if ((event.ctrlKey || event.metaKey) && event.key === "k" && !isCovered()) {
        event.preventDefault();
        return onFind();
      }
      if (!lettersAct(event)) return;
      const leads = event.timeStamp - after < leadMs;
      const page = keyedPages.find(({ key }) => key === event.key);
      // The second `g` of two is a page's own letter.
      after = event.key === "g" && !leads ? event.timeStamp : Number.NEGATIVE_INFINITY;
      if (leads) {
        if (page !== undefined && account !== undefined) void navigate({ to: page.to, params: { account } });
        return;
      }
      if (event.key === "?") onHelp();
      else if (event.key === "c" && account !== undefined) {
        // The letter is not typed into the page's first field.
        event.preventDefault();
        void navigate({ to: "/a/$account/send", params: { account } });
      } else if (event.key === "l") setPreference("live", preference("live") === "on" ? "off" : "on");
      else if (event.key === "/") {
        event.preventDefault();
        onFind();
      }
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, [account, navigate, onHelp, onFind]);
}

const general = [
  ["c", "Send messages"],
  ["/", "Find a page, a record or an action"],
  ["Ctrl K", "The same, also from a field"],
  ["l", "Pause or resume updates"],
  ["?", "These shortcuts"],
] as const;
const lists = [
  ["j  k", "Next and previous row"],
  ["Enter", "Open the row"],
  ["x", "Choose the row"],
  ["[  ]", "In a message: previous and next in its list"],
] as const;

function Keys({ title, of }: { title: string; of: readonly (readonly [string, string])[] }) {
  return (
    <section className="stack tight">
      <h3>{title}</h3>
      <dl className="facts">
        {of.map(([key, what]) => (
          <Fragment key={key}>
            <dt>
              {key.split(" ").map((each, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the keys of one line
                <Fragment key={at}>
                  {at === 0 ? "" : " "}
                  {each === "" ? null : <kbd className="kbd">{each}</kbd>}
                </Fragment>
              ))}
            </dt>
            <dd>{what}</dd>
          </Fragment>
        ))}
      </dl>
    </section>
  );
}

export function KeysDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const off = preference("letters") === "off";
  return (
    <Dialog title="Keyboard shortcuts" open={open} onClose={onClose} broad>
      {off ? <p className="soft">Single-key shortcuts are switched off in your menu.</p> : null}
      <div className="halves">
        <Keys title="Go to" of={keyedPages.map(({ key, title }) => [`g ${key}`, title] as const)} />
        <div className="stack">
          <Keys title="Anywhere" of={general} />
          <Keys title="In lists" of={lists} />
        </div>
      </div>
      <Foot verb="Close" look="quiet" onAct={onClose} />
    </Dialog>
  );
}
