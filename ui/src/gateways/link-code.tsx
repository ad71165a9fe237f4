// The code that links a device, as long as it is valid: an expired one is not shown.

import type { GatewayLink } from "#ui/api/schema.ts";
import { Snippet } from "#ui/parts/copy.tsx";
import { useIsOver, useNow } from "#ui/parts/time.tsx";

function Left({ until }: { until: string }) {
  const seconds = Math.max(0, Math.ceil((Date.parse(until) - useNow()) / 1_000));
  const minutes = Math.floor(seconds / 60);
  return (
    <span role="timer" aria-live="off">
      {minutes === 0 ? `${seconds} s` : `${minutes} min ${seconds % 60} s`} left
    </span>
  );
}

function QrCode({ qr, says }: { qr: NonNullable<GatewayLink["qr"]>; says: string }) {
  const isOver = useIsOver(qr.expires_at);
  if (isOver)
    return (
      <div className="qr" role="status">
        <p>This code has expired. A new one appears automatically until the last one has expired.</p>
      </div>
    );
  return (
    <figure className="qr">
      <img
        src={`data:image/svg+xml,${encodeURIComponent(qr.svg)}`}
        alt="The QR code that links a device"
        width="240"
        height="240"
      />
      <figcaption>
        {says} <Left until={qr.expires_at} />.
      </figcaption>
    </figure>
  );
}

function TypedCode({ code }: { code: NonNullable<GatewayLink["code"]> }) {
  const isOver = useIsOver(code.expires_at);
  if (isOver) return <p role="status">This code has expired. Request a new one.</p>;
  return (
    <p className="typed-code">
      <strong className="mono">{code.text}</strong> <Left until={code.expires_at} />
    </p>
  );
}

/** The steps on an Android phone. `token`: the app's private token, which is shown once; null if it was already shown. */
function PhoneSteps({ link, token }: { link: GatewayLink; token: string | null }) {
  const origin = URL.parse(link.url ?? "")?.origin ?? location.origin;
  return (
    <>
      {link.qr === null ? null : (
        <QrCode qr={link.qr} says="The phone's camera app opens a page with these steps." />
      )}
      <ol className="stack numbered">
        <li>
          On the phone, install the app <em>SMS Gateway for Android</em>, version 1.53.1 or later, better
          1.70.3. Do not start it yet.
        </li>
        <li>
          Android 13 and later: open the app's info in Android's settings, then the menu ⋮, then{" "}
          <em>Allow restricted settings</em>.
        </li>
        <li>
          In the app, under <em>Settings</em>, <em>Cloud server</em>, enter the API URL{" "}
          <Snippet text={`${origin}/api/mobile/v1`} /> and the private token{" "}
          {token === null ? (
            <span className="soft">(it was shown once: ask for a new code to get another)</span>
          ) : (
            <Snippet text={token} />
          )}
          , and set the notification channel to <em>SSE only</em>. Do it before the first start.
        </li>
        <li>
          Under <em>Settings</em>, <em>System</em>, switch the battery optimization off for the app.
        </li>
        <li>
          Under <em>Home</em>, switch <em>Cloud server</em> and <em>Start on boot</em> on, start it, choose{" "}
          <em>By code</em>, and type:
          {link.code === null ? null : <TypedCode code={link.code} />}
        </li>
      </ol>
    </>
  );
}

const scanSteps = "On the phone: WhatsApp, Linked devices, Link a device. Scan this code;";
const typeSteps =
  "On the phone: WhatsApp, Linked devices, Link a device, Link with phone number instead. Type:";

/** The code of a pending link. `isPhone`: for the app on an Android phone. */
export function LinkCode({
  link,
  isPhone,
  token,
}: {
  link: GatewayLink;
  isPhone: boolean;
  token: string | null;
}) {
  const { qr, code } = link;
  if (qr === null && code === null)
    return (
      <p className="soft">
        Only the person who asked for the code sees it. If that was you, it appears in a moment; otherwise ask
        for a new one.
      </p>
    );
  if (isPhone) return <PhoneSteps link={link} token={token} />;
  return (
    <>
      {qr === null ? null : <QrCode qr={qr} says={scanSteps} />}
      {code === null ? null : (
        <>
          <p>{typeSteps}</p>
          <TypedCode code={code} />
        </>
      )}
    </>
  );
}
