import { useNavigate } from "@tanstack/react-router";
import { Globe } from "lucide-react";
import { usePages } from "#ui/api/queries.ts";
import { useAccount } from "#ui/parts/account.ts";
import { Form, useForm } from "#ui/parts/form/form.tsx";
import { TextField, useTexts } from "#ui/parts/form/texts.tsx";
import { RowLink } from "#ui/parts/link.tsx";
import { List } from "#ui/parts/list/list.tsx";
import { DialogButton } from "#ui/parts/over/dialog-button.tsx";
import { PageHead } from "#ui/parts/page.tsx";
import { Status } from "#ui/parts/status.tsx";
import { Clock } from "#ui/parts/time.tsx";

function Add() {
  const { id: account } = useAccount();
  const navigate = useNavigate();
  const form = useForm("createSendingDomain", {
    onDone: ({ data }) =>
      navigate({ to: "/a/$account/domains/$domain", params: { account, domain: data.id } }),
  });
  const { texts, field } = useTexts(form, { domain: "" });
  return (
    <Form of={form} verb="Add the domain" onSubmit={() => form.send({ params: { account }, body: texts })}>
      <TextField
        label="Domain"
        hint="Trunkline generates its keys; you publish the DNS records."
        required
        placeholder="example.com"
        {...field("domain")}
      />
    </Form>
  );
}

export function Page() {
  const { id: account } = useAccount();
  const pages = usePages("listSendingDomains", { params: { account } });
  return (
    <>
      <PageHead title="Domains">
        <DialogButton adds title="Add a domain" label="Add a domain">
          {() => <Add />}
        </DialogButton>
      </PageHead>
      <List
        label="Sending domains"
        pages={pages}
        id={({ id }) => id}
        icon={Globe}
        empty={
          <p>
            There is no sending domain yet. Mail from a domain of yours is signed with keys that are made
            here, and you publish their records in DNS.
          </p>
        }
        columns={[
          {
            head: "Domain",
            cell: (each) => (
              <RowLink to="/a/$account/domains/$domain" params={{ account, domain: each.id }}>
                {each.domain}
              </RowLink>
            ),
          },
          {
            head: "Keys",
            cell: ({ keys }) => (
              <span className="row">
                {keys.map(({ id, selector, state }) => (
                  <Status key={id} of={state}>
                    {selector} {state}
                  </Status>
                ))}
              </span>
            ),
          },
          { head: "Created", look: "when", cell: ({ created_at }) => <Clock at={created_at} /> },
        ]}
      />
    </>
  );
}
