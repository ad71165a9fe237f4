import { Ban } from "lucide-react";
import { usePages } from "#ui/api/queries.ts";
import { useAccount } from "#ui/parts/account.ts";
import { channelNames, channels } from "#ui/parts/channels.ts";
import { RowLink } from "#ui/parts/link.tsx";
import { useFilter } from "#ui/parts/list/filter.ts";
import { List } from "#ui/parts/list/list.tsx";
import { picked } from "#ui/parts/list/query.ts";
import { FilterChoice, SearchFilter } from "#ui/parts/list/search.tsx";
import { PageHead } from "#ui/parts/page.tsx";
import { Recipient } from "#ui/parts/recipient.tsx";
import { Clock } from "#ui/parts/time.tsx";
import { inGroups } from "#ui/words/numbers.ts";
import { AddSuppressions } from "./add-suppressions.tsx";
import { TakeOff } from "./take-off.tsx";

export function Page() {
  const { id: account } = useAccount();
  const [filter] = useFilter();
  const query = picked(filter, ["channel", "recipient"]);
  const pages = usePages("listSuppressions", { params: { account }, query });
  return (
    <>
      <PageHead title="Suppressions">
        <AddSuppressions />
      </PageHead>
      <SearchFilter name="recipient" label="Recipient">
        <FilterChoice name="channel" label="Channel" of={channels} />
      </SearchFilter>
      <List
        label="Suppressed recipients"
        icon={Ban}
        pages={pages}
        id={({ channel, recipient }) => `${channel} ${recipient}`}
        empty={
          <p>
            {filter.recipient === undefined
              ? "No recipients are suppressed. People who answer STOP, or whose mail bounces, appear here."
              : `${inGroups(filter.recipient)} is not suppressed: messages of this account go out.`}
          </p>
        }
        columns={[
          { head: "Channel", cell: ({ channel }) => channelNames[channel] },
          {
            head: "Recipient",
            cell: ({ recipient }) => (
              <RowLink to="/a/$account/people/$recipient" params={{ account, recipient }}>
                <Recipient of={recipient} />
              </RowLink>
            ),
          },
          { head: "Reason", cell: ({ reason }) => reason.replaceAll("_", " ") },
          { head: "Note", cell: ({ note }) => note },
          { head: "Since", look: "when", cell: ({ created_at }) => <Clock at={created_at} /> },
          { head: "Actions", look: "act", cell: (suppression) => <TakeOff of={suppression} /> },
        ]}
      />
    </>
  );
}
