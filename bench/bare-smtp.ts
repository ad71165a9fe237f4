// The bare `smtp-server` package: it takes any key, reads each mail to its end and answers without storing it. Ends with its parent.

import { SMTPServer } from "smtp-server";

const server = new SMTPServer({
  logger: false,
  disabledCommands: ["STARTTLS"],
  disableReverseLookup: true,
  onAuth: (_auth, _session, done) => done(null, { user: "bench" }),
  onData: (stream, _session, done) => {
    stream.resume();
    stream.on("end", () => done(null, "2.0.0 Accepted as msg_00000000000000000000000000"));
  },
});

process.on("disconnect", () => process.exit(0));
server.listen(0, "127.0.0.1", () => {
  const address = server.server.address();
  process.send?.({ ready: true, port: typeof address === "object" && address !== null ? address.port : 0 });
});
