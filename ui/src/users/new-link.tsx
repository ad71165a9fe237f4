// A new set-up link for a user who has not signed in yet, or who lost the password.

import { useState } from "react";
import { useChange } from "#ui/api/queries.ts";
import type { ListedUser, NewSetupLink } from "#ui/api/schema.ts";
import { Ask } from "#ui/parts/over/ask.tsx";
import { LinkOnce } from "./link-once.tsx";

export function NewLink({ user }: { user: ListedUser }) {
  const [link, setLink] = useState<NewSetupLink | null>(null);
  const create = useChange("createSetupLink");
  return (
    <>
      <Ask
        verb="Create the link"
        label="New link…"
        title={`Create a link for ${user.email}`}
        effect={
          user.set_up
            ? "The person uses it to choose a new password. Until then the old one works. An earlier link becomes invalid."
            : "The person uses it to choose the first password. An earlier link becomes invalid."
        }
        grave={false}
        run={async () => setLink((await create.mutateAsync({ params: { user: user.id } })).data)}
      />
      {link === null ? null : <LinkOnce name={user.name} link={link} onDone={() => setLink(null)} />}
    </>
  );
}
