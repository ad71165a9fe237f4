// A value of each field of Google's generateContent: what a request has in place of its own fields.

const declaration = (more: object = {}) => ({
  tools: [{ functionDeclarations: [{ name: "f", description: "Does.", ...more }] }],
});
const generation = (field: string, value: unknown) => ({ generationConfig: { [field]: value } });
const part = (more: object) => ({ contents: [{ role: "user", parts: [more] }] });
const beside = (more: object) => part({ text: "Hello", ...more });
const two = { tools: [{ functionDeclarations: [{ name: "f" }, { name: "g" }] }] };
const calling = (config: object) => [
  { ...declaration(), toolConfig: { functionCallingConfig: config } },
  declaration(),
];
const schema = { type: "OBJECT", properties: { a: { type: "STRING" } }, required: ["a"] };
const call = { functionCall: { id: "c1", name: "f", args: {} } };
const result = { functionResponse: { id: "c1", name: "f", response: { a: 1 } } };
const called = (...results: object[]) => ({
  contents: [
    { role: "user", parts: [{ text: "Hello" }] },
    { role: "model", parts: [call] },
    { role: "user", parts: results },
  ],
});

export const googleValues: Readonly<Record<string, unknown>> = {
  cachedContent: { cachedContent: "cachedContents/1" },
  "contents.audioTranscription": part({ audioTranscription: { text: "Hi" } }),
  "contents.codeExecutionResult": part({ codeExecutionResult: { outcome: "OUTCOME_OK" } }),
  "contents.executableCode": part({ executableCode: { code: "1" } }),
  "contents.fileData": part({
    fileData: { mimeType: "image/png", fileUri: "https://cdn.example.com/a.png" },
  }),
  "contents.functionCall": [called(result), declaration()],
  "contents.functionResponse": [called(result, { text: "And?" }), declaration()],
  "contents.inlineData": part({ inlineData: { mimeType: "image/png", data: "AAAA" } }),
  "contents.mediaProcessing": beside({ mediaProcessing: { a: 1 } }),
  "contents.mediaResolution": beside({ mediaResolution: { level: "MEDIA_RESOLUTION_LOW" } }),
  "contents.partMetadata": beside({ partMetadata: { a: 1 } }),
  "contents.speechMetadata": beside({ speechMetadata: { a: 1 } }),
  "contents.thought": {},
  "contents.thoughtSignature": {},
  "contents.toolCall": part({ toolCall: { id: "1" } }),
  "contents.toolResponse": part({ toolResponse: { id: "1" } }),
  "contents.videoMetadata": beside({ videoMetadata: { fps: 1 } }),
  continuationToken: { continuationToken: "t" },
  "functionDeclarations.behavior": [declaration({ behavior: "NON_BLOCKING" }), declaration()],
  "functionDeclarations.description": [declaration({ description: "Does more." }), declaration()],
  "functionDeclarations.parameters": [declaration({ parameters: schema }), declaration()],
  "functionDeclarations.parametersJsonSchema": [
    declaration({ parametersJsonSchema: { type: "object", properties: { a: { type: "string" } } } }),
    declaration(),
  ],
  "functionDeclarations.response": [declaration({ response: schema }), declaration()],
  "functionDeclarations.responseJsonSchema": [declaration({ responseJsonSchema: schema }), declaration()],
  "generationConfig.audioTranscriptionConfig": generation("audioTranscriptionConfig", { a: 1 }),
  "generationConfig.candidateCount": generation("candidateCount", 2),
  "generationConfig.enableEnhancedCivicAnswers": generation("enableEnhancedCivicAnswers", true),
  "generationConfig.frequencyPenalty": generation("frequencyPenalty", 0.5),
  "generationConfig.imageConfig.aspectRatio": generation("imageConfig", { aspectRatio: "16:9" }),
  "generationConfig.imageConfig.imageSize": generation("imageConfig", { imageSize: "2K" }),
  "generationConfig.logprobs": generation("logprobs", 2),
  "generationConfig.maxOutputTokens": generation("maxOutputTokens", 2_000),
  "generationConfig.mediaResolution": generation("mediaResolution", "MEDIA_RESOLUTION_LOW"),
  "generationConfig.presencePenalty": generation("presencePenalty", 0.5),
  "generationConfig.responseJsonSchema": generation("responseJsonSchema", {
    type: "object",
    properties: { a: { type: "string" } },
    required: ["a"],
    additionalProperties: false,
  }),
  "generationConfig.responseLogprobs": generation("responseLogprobs", true),
  "generationConfig.responseMimeType": generation("responseMimeType", "application/json"),
  "generationConfig.responseModalities": generation("responseModalities", ["TEXT", "IMAGE"]),
  "generationConfig.responseSchema": generation("responseSchema", schema),
  "generationConfig.seed": generation("seed", 7),
  "generationConfig.speechConfig": generation("speechConfig", { languageCode: "de-DE" }),
  "generationConfig.stopSequences": generation("stopSequences", ["x"]),
  "generationConfig.temperature": generation("temperature", 0.5),
  "generationConfig.thinkingConfig.includeThoughts": {},
  "generationConfig.thinkingConfig.thinkingBudget": generation("thinkingConfig", { thinkingBudget: 1_024 }),
  "generationConfig.thinkingConfig.thinkingLevel": generation("thinkingConfig", { thinkingLevel: "LOW" }),
  "generationConfig.topK": generation("topK", 5),
  "generationConfig.topP": generation("topP", 0.5),
  labels: { labels: { a: "b" } },
  safetySettings: { safetySettings: [{ category: "a", threshold: "b" }] },
  serviceTier: { serviceTier: "priority" },
  store: { store: true },
  systemInstruction: { systemInstruction: { parts: [{ text: "Be brief." }] } },
  "toolConfig.functionCallingConfig.allowedFunctionNames": [
    { ...two, toolConfig: { functionCallingConfig: { allowedFunctionNames: ["f"] } } },
    two,
  ],
  "toolConfig.functionCallingConfig.mode": calling({ mode: "ANY" }),
  "toolConfig.includeServerSideToolInvocations": [
    { ...declaration(), toolConfig: { includeServerSideToolInvocations: true } },
    declaration(),
  ],
  "toolConfig.retrievalConfig": [
    { ...declaration(), toolConfig: { retrievalConfig: { languageCode: "de" } } },
    declaration(),
  ],
  "tools.codeExecution": { tools: [{ codeExecution: {} }] },
  "tools.computerUse": { tools: [{ computerUse: {} }] },
  "tools.fileSearch": { tools: [{ fileSearch: {} }] },
  "tools.googleMaps": { tools: [{ googleMaps: {} }] },
  "tools.googleSearch": { tools: [{ googleSearch: {} }] },
  "tools.googleSearchRetrieval": { tools: [{ googleSearchRetrieval: {} }] },
  "tools.mcpServers": { tools: [{ mcpServers: [] }] },
  "tools.urlContext": { tools: [{ urlContext: {} }] },
};
