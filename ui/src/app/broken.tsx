import { Button } from "#ui/parts/button.tsx";
import { PageHead } from "#ui/parts/page.tsx";

/**
 * Replaces a page whose code failed or could not be loaded: after an upgrade, an open tab requests code of the previous version. The frame
 * around it stays, so that every other page can be opened.
 */
export function BrokenPage({ error }: { error: unknown }) {
  return (
    <>
      <PageHead title="This page could not be shown" />
      <p>
        Nothing was changed by this. Loading it again helps when Trunkline was upgraded meanwhile, or could
        not be reached.
      </p>
      <p>
        <Button onClick={() => location.reload()}>Load it again</Button>
      </p>
      <p className="soft">
        For a report: <code>{error instanceof Error ? error.message : String(error)}</code>
      </p>
    </>
  );
}
