// The programs that `npm run test:openapi` needs beside this repository, and how to install them. They are no
// devDependencies: two are Python packages, and openapi-typescript requires TypeScript 5 as its peer.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";

/** Versions that the test is known to pass with. */
const versions = {
  typescript: "5.9.3",
  openapiTypescript: "7.13.0",
  client: "0.29.1",
  schemathesis: "4.32.5",
};

export interface Tools {
  openapiTypescript: string;
  openapiPythonClient: string;
  python: string;
  schemathesis: string;
}

const commands = (folder: string): string => `The tools are not installed in ${folder}. Install them with:

  python3 -m venv ${folder}
  ${folder}/bin/pip install openapi-python-client==${versions.client} schemathesis==${versions.schemathesis}
  npm install --prefix ${folder} openapi-typescript@${versions.openapiTypescript} typescript@${versions.typescript}

Python 3.11 or later is needed. Set OPENAPI_TOOLS to use another folder.`;

/** The tools in a folder; a text with the commands that install them: at least one is missing. */
export function findTools(folder: string): Tools | string {
  const tools = {
    openapiTypescript: join(folder, "node_modules/.bin/openapi-typescript"),
    openapiPythonClient: join(folder, "bin/openapi-python-client"),
    python: join(folder, "bin/python"),
    schemathesis: join(folder, "bin/schemathesis"),
  };
  const missing = Object.values(tools).filter((path) => !existsSync(path));
  return missing.length === 0 ? tools : `${commands(folder)}\n\nMissing: ${missing.join(", ")}`;
}

/**
 * Runs a program to its end, within a time, and passes its output on. Resolves to whether it succeeded. It finds its siblings on
 * the PATH. It does not block this process, which reads what the server under test prints and answers for its provider.
 */
export function run(
  program: string,
  args: readonly string[],
  cwd: string,
  limitMs: number,
): Promise<boolean> {
  const child = spawn(program, args, {
    cwd,
    stdio: ["ignore", "inherit", "inherit"],
    timeout: limitMs,
    env: {
      ...process.env,
      PATH: `${dirname(program)}${delimiter}${process.env.PATH}`,
      PYTHONDONTWRITEBYTECODE: "1",
      NO_COLOR: "1",
    },
  });
  return new Promise((resolve) => {
    child.once("error", (error) => {
      console.error(`${program}: ${error.message}`);
      resolve(false);
    });
    child.once("close", (code, signal) => {
      if (signal !== null)
        console.error(`${program}: ended by ${signal}, perhaps after its ${limitMs / 1000} s.`);
      resolve(code === 0);
    });
  });
}
