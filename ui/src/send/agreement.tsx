// Confirmation before a send to many: their number, typed. The dialog shows the cost of the send.

import { useState } from "react";
import type { PreviewAccountMessagesReply } from "#ui/api/schema.ts";
import { Typed } from "#ui/parts/over/ask.tsx";
import { Dialog } from "#ui/parts/over/dialog.tsx";
import { Foot } from "#ui/parts/over/foot.tsx";
import { number } from "#ui/words/numbers.ts";
import { type Draft, recipientsOf } from "./draft.ts";
import { usePreview } from "./would-happen.tsx";

type Preview = PreviewAccountMessagesReply["data"];

/**
 * The cost of a send to this many. A preview has fewer contacts; all of a draft have one text, so each of the others costs the same. Null
 * if they do not cost the same, or the preview does not say.
 */
function costOf({ contact }: Pick<Preview, "contact">, count: number): number | null {
  const costs = new Set(contact.flatMap(({ cost }) => cost ?? []));
  const [each] = costs;
  return each === undefined || costs.size > 1 ? null : each * count;
}

function Cost({ draft, count }: { draft: Draft; count: number }) {
  const preview = usePreview(draft).data?.data;
  if (preview === undefined) return <p className="soft">The cost is not known yet.</p>;
  const cost = costOf(preview, count);
  if (cost === null) return <p className="soft">The cost is not known.</p>;
  const left = preview.remaining === null ? "" : ` of ${number(preview.remaining)} left`;
  return <p>{`By the preview it costs ${number(cost)}${left}.`}</p>;
}

/** Asks for the number of recipients. `verb`: the label of its button. */
export function Agreement({
  draft,
  verb,
  onAgree,
  onClose,
}: {
  draft: Draft;
  verb: string;
  onAgree: () => void;
  onClose: () => void;
}) {
  const [text, setText] = useState("");
  const count = recipientsOf(draft.recipients).length;
  const typed = String(count);
  return (
    <Dialog title={`${verb}?`} onClose={onClose} urgent>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (text === typed) onAgree();
        }}
      >
        <p>{`This is one request to ${number(count)} recipients.`}</p>
        <Cost draft={draft} count={count} />
        <Typed of={typed} value={text} onChange={setText} />
        <Foot verb={verb} isOff={text !== typed} onBack={onClose} />
      </form>
    </Dialog>
  );
}
