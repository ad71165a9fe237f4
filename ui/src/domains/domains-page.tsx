import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useChange, usePages } from "#ui/api/queries.ts";
import { useAccount } from "#ui/parts/account.ts";
import { Field, faultAt } from "#ui/parts/field.tsx";
import { List } from "#ui/parts/list.tsx";
import { PageHead, Problem } from "#ui/parts/page.tsx";
import { Time } from "#ui/parts/time.tsx";

export function Page() {
  const { id: account } = useAccount();
  const pages = usePages("listSendingDomains", { params: { account } });
  const create = useChange("createSendingDomain", ["listSendingDomains"]);
  const [domain, setDomain] = useState("");
  const navigate = useNavigate();
  return (
    <>
      <PageHead title="Domains" />
      <List
        label="Sending domains"
        pages={pages}
        id={({ id }) => id}
        empty={
          <p>
            There is no sending domain yet. Mail from a domain of yours is signed with keys that are made
            here, and you publish their records in DNS.
          </p>
        }
        columns={[
          {
            head: "Domain",
            cell: (each) => <Link to={`/a/${account}/domains/${each.id}`}>{each.domain}</Link>,
          },
          {
            head: "Keys",
            cell: ({ keys }) => keys.map(({ selector, state }) => `${selector} ${state}`).join(" · "),
          },
          { head: "Made", cell: ({ created_at }) => <Time at={created_at} /> },
        ]}
      />
      <section className="card" aria-labelledby="add">
        <h2 id="add">Add a domain</h2>
        <form
          className="form"
          onSubmit={(event) => {
            event.preventDefault();
            create.mutate(
              { params: { account }, body: { domain } },
              { onSuccess: ({ data }) => navigate({ to: `/a/${account}/domains/${data.id}` }) },
            );
          }}
        >
          <Field label="Domain" fault={faultAt(create.error, "domain")}>
            <input
              required
              value={domain}
              autoComplete="off"
              onChange={(event) => setDomain(event.target.value)}
            />
          </Field>
          <Problem error={create.error} />
          <div>
            <button type="submit" className="button first" disabled={create.isPending}>
              Add the domain
            </button>
          </div>
        </form>
      </section>
    </>
  );
}
