// One search field for pages, actions and records. Its code is loaded when it is first opened.

import { Autocomplete } from "@base-ui/react/autocomplete";
import { useRouter } from "@tanstack/react-router";
import { Search } from "lucide-react";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { ApiError, call } from "#ui/api/client.ts";
import { useRead } from "#ui/api/queries.ts";
import { useSession } from "#ui/parts/account.ts";
import { Dialog } from "#ui/parts/over/dialog.tsx";
import { inGroups } from "#ui/words/numbers.ts";
import {
  type Finding,
  type Findings,
  findingOf,
  findings,
  isWholeId,
  namedFinding,
  personFinding,
  recentFindings,
  rememberFinding,
  testFindings,
} from "./find.ts";
import { useActs } from "./find-acts.ts";
import { type Named, ordered, recentAccounts } from "./recent-accounts.ts";

/** How long after the last key the API is called, ms. */
const pauseMs = 150;
/** The maximum length of a search text in the API. */
const maxText = 2_000;
/** The maximum length of a name search in the API. */
const maxName = 100;

/** The text once no key has changed it for a moment. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

/** The gateways and pools of the account of the page, and what can be done in place. */
function useNamed(account: string | null): { named: Finding[]; acts: Finding[] } {
  const input = { params: { account: account ?? "" } };
  const options = { every: false, enabled: account !== null } as const;
  const gateways = useRead("listGateways", input, options).data?.data ?? [];
  const pools = useRead("listPools", input, options).data?.data ?? [];
  const acts = useActs(account, gateways);
  if (account === null) return { named: [], acts };
  const named = [
    ...gateways.map(({ identifier }) => namedFinding("gateway", account, identifier, identifier)),
    ...pools.map(({ id, name }) => namedFinding("pool", account, id, name)),
  ];
  return { named, acts: [...testFindings(account, gateways), ...acts] };
}

/** For an operator: the accounts with such a name, recently opened ones first. */
function useAccounts(q: string): Named[] {
  const enabled = useSession().role === "operator" && q !== "" && q.length <= maxName;
  const read = useRead("listAccounts", { query: { search: q, limit: 5 } }, { every: false, enabled });
  return enabled ? ordered(recentAccounts(), read.data?.data ?? [], q) : [];
}

function Line({ finding, onOpen }: { finding: Finding; onOpen: () => void }) {
  return (
    <Autocomplete.Item value={finding} className="menu-item" onClick={onOpen}>
      <span className="name">{inGroups(finding.title)}</span>
      <span className="end small">
        {finding.keys === undefined
          ? finding.note
          : finding.keys.split(" ").map((each) => (
              <kbd key={each} className="kbd">
                {each}
              </kbd>
            ))}
      </span>
    </Autocomplete.Item>
  );
}

function FindList({ account, onClose }: { account: string | null; onClose: () => void }) {
  const { role, id: person } = useSession();
  const router = useRouter();
  const [text, setText] = useState("");
  const [failure, setFailure] = useState<string | null>(null);
  /** Whether a person selected an entry of the list: Enter then opens that. */
  const hasMoved = useRef(false);
  const q = useSettled(text).trim();
  const read = useRead("findRecords", { query: { q } }, { every: false, enabled: q !== "" });
  const records = q !== "" && q === text.trim() ? (read.data?.data ?? []) : [];
  const { named, acts } = useNamed(account);
  const accounts = useAccounts(q);
  const recent = recentFindings(person);
  const groups = findings(text, { role, account }, { records, named, accounts, acts, recent });
  const open = (finding: Finding) => {
    onClose();
    if (finding.run !== undefined) return void finding.run();
    rememberFinding(person, finding);
    router.history.push(finding.href);
  };
  /** A complete id or number is opened at once, whether or not the list already has it. */
  const enter = async (event: KeyboardEvent & { preventBaseUIHandler?: () => void }) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") hasMoved.current = true;
    if (hasMoved.current) return;
    const recipient = personFinding(text, account);
    if (event.key !== "Enter" || (recipient === null && !isWholeId(text))) return;
    event.preventDefault();
    event.preventBaseUIHandler?.();
    if (recipient !== null) return open(recipient);
    try {
      const [first] = (await call("findRecords", { query: { q: text.trim() } })).data;
      if (first === undefined) setFailure("There is no record with this id that you can see.");
      else open(findingOf(first));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setFailure(error.message);
    }
  };
  const notice = failure ?? read.error?.message ?? null;
  return (
    <Autocomplete.Root<readonly Findings[]>
      inline
      open
      items={groups}
      mode="none"
      filter={null}
      autoHighlight="always"
      value={text}
      onValueChange={(next, { reason }) => {
        if (reason === "item-press") return;
        setFailure(null);
        hasMoved.current = false;
        setText(next.slice(0, maxText));
      }}
      itemToStringValue={({ title }: Finding) => title}
    >
      <div className="menu-search">
        <Search aria-hidden="true" />
        <Autocomplete.Input
          aria-label="Find pages, records and actions"
          placeholder="A page, an id, a number, a line of a log…"
          onKeyDown={enter}
          onPaste={(event) => {
            const pasted = event.clipboardData.getData("text");
            const { selectionStart: from, selectionEnd: to } = event.currentTarget;
            if (!/\n/.test(pasted)) return;
            // The field would join the lines without a space, and so two words into one.
            event.preventDefault();
            const line = pasted.replaceAll(/\s+/g, " ");
            setText(`${text.slice(0, from ?? 0)}${line}${text.slice(to ?? 0)}`.slice(0, maxText));
          }}
        />
      </div>
      <div role="status">{notice === null ? null : <p className="menu-label">{notice}</p>}</div>
      <Autocomplete.Empty>
        {q === "" || read.isFetching ? null : <p className="menu-label">No results.</p>}
      </Autocomplete.Empty>
      <Autocomplete.List className="menu-list" aria-label="What was found">
        {(group: Findings) => (
          <Autocomplete.Group key={group.label} items={group.items}>
            <Autocomplete.GroupLabel className="menu-label">{group.label}</Autocomplete.GroupLabel>
            <Autocomplete.Collection>
              {(finding: Finding) => (
                <Line key={finding.href} finding={finding} onOpen={() => open(finding)} />
              )}
            </Autocomplete.Collection>
          </Autocomplete.Group>
        )}
      </Autocomplete.List>
    </Autocomplete.Root>
  );
}

/** `account`: that of the page; null if it has none. */
export function FindDialog({ account, onClose }: { account: string | null; onClose: () => void }) {
  return (
    <Dialog title="Find" onClose={onClose} broad>
      <FindList account={account} onClose={onClose} />
    </Dialog>
  );
}
