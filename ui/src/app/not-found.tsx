import { Link, useParams } from "@tanstack/react-router";
import { PageHead } from "#ui/parts/page.tsx";
import { Frame } from "./shell.tsx";

/** The page for unknown paths below an account. */
export function NoSuchPage() {
  const { account } = useParams({ strict: false }) as { account?: string };
  return (
    <>
      <PageHead title="Page not found" />
      <p>
        The address <code>{location.pathname}</code> leads nowhere.
      </p>
      <p>
        {account === undefined ? (
          <Link to="/" className="button">
            To the start
          </Link>
        ) : (
          <Link to="/a/$account" params={{ account }} className="button">
            To the overview
          </Link>
        )}
      </p>
    </>
  );
}

/** The same for a path without an account, in the frame of every page. */
export function NoSuchPath() {
  return (
    <Frame account={undefined} named={null}>
      <NoSuchPage />
    </Frame>
  );
}
