// Google's own client in Vertex AI's mode, which asks a double.

import { GoogleGenAI } from "@google/genai";

type Options = NonNullable<ConstructorParameters<typeof GoogleGenAI>[0]>;

/** It would fetch a token of its own. */
const authClient = { getRequestHeaders: async () => new Headers({ authorization: "Bearer t" }) };

export const vertexClient = (baseUrl: string, project = "example-project", location = "europe-west4") =>
  new GoogleGenAI({
    vertexai: true,
    project,
    location,
    googleAuthOptions: { authClient } as unknown as Options["googleAuthOptions"],
    httpOptions: { baseUrl, apiVersion: "v1" },
  } as Options);
