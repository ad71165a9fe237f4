// Google's clients write a model into the path as it is. The router reads a parameter up to the next slash, and models such as
// `meta-llama/llama-4-scout` have one.

const folders = ["/api/ai/v1beta/models/", "/api/ai/v1/models/"];
const operation = /^:[A-Za-z]+\/?$/;

/** The URL of a request, with the slashes of a model in front of `:generateContent` and its like percent-encoded. */
export function geminiUrl(url: string): string {
  const folder = folders.find((each) => url.startsWith(each));
  if (folder === undefined) return url;
  const [path = ""] = url.split(/[?#]/, 1);
  const end = path.lastIndexOf(":");
  const model = path.slice(folder.length, end);
  if (end < folder.length || !model.includes("/") || !operation.test(path.slice(end))) return url;
  return folder + model.replaceAll("/", "%2F") + url.slice(end);
}
