// The SMTP server's package, loaded only if a port is set.

export const loadSmtpServer = async () => (await import("smtp-server")).SMTPServer;
