// The phrases of vendors and servers for what this model or server lacks: images, tools, a role, an answer format, a message order that its
// template accepts. Another member may have it, and this member stays healthy, even if a server reports it with a 500. Sources: the
// servers' sources (llama.cpp, Ollama, vLLM, SGLang, TGI), the vendors' errors in users' reports.

/** Sentences that are conclusive at any status. */
const sentences: readonly RegExp[] = [
  /^(?:this |the |your |selected |requested |current ){0,2}(?:model|endpoint|provider|deployment|server|backend|engine|tokenizer)(?: [`'"]?[\w./:@+-]{1,200}[`'"]?)? (?:(?:currently )?(?:does not|doesn't|do not|cannot|can't) (?:currently )?(?:support|accept|handle|process|take|understand|use)|only (?:supports?|accepts?|allows?)|has no support for|is not (?:a )?(?:multi-?modal|vision|capable of))\b/i,
  /^[`'"]?[\w. ]{1,64}[`'"]? (?:is|are) (?:not supported|unsupported|not enabled|deprecated|not available) (?:by|with|for|on|in) (?:this|the) (?:model|endpoint|server|provider|deployment)/i,
  /^[`'"]?[\w./:@+-]{1,200}[`'"]? (?:is not a multimodal model|does not support (?:images?|vision|tools?|thinking|chat|audio|video|function))/i,
  // Features that a model may lack, followed by "not supported"
  /^(?:the |your )?(?:image_urls?|input_audio|images?|pictures?|audio|video|vision|files?|documents?|pdf|multi-?modal(?:ity)?|media|tools?|function|tool_choice|parallel|system|developer|assistant|reasoning|thinking|structured|json|response_format|schema|grammar|logprobs|streaming|prefill|prompt caching|embeddings?)(?:[ -][a-z]{1,20}){0,4} (?:(?:is|are) )?(?:(?:currently|yet) )?(?:not|un)(?: (?:currently|yet))? ?(?:supported|enabled|allowed|implemented)\b/i,
  /^at most \d+ (?:image|audio|video|file|document)s?(?:\(s\))?(?: items?)? (?:may|can) be provided\b/i,
  /^(?:invalid|unsupported) content type\b.{0,40}\bonly supported by\b/i,
  /^this model is missing data required for (?:image|audio|video) input/i,
  // llama.cpp without its template engine, vLLM without a tool call parser
  /^(?:tools?|tool_choice|response_format|functions?|chat_template_kwargs) param(?:eter)? requires\b/i,
  /^cannot use (?:tools|custom grammar|grammar|json_schema|response_format)\b/i,
  /^[`'"]?(?:auto|required)[`'"]? tool choice (?:requires|is not)\b|^tool_choice ?(?:= ?)?[`'"]{0,2}\w{1,20}[`'"]{0,2} requires\b/i,
  // Output of a model, at some requests, that its server cannot parse
  /^failed to (?:call a function|generate (?:json|a? ?tool|function)|parse (?:input at pos|tool|the tool|function|grammar|messages)|initialize samplers|compile (?:grammar|schema)|convert .{0,20}(?:grammar|schema))/i,
  /^tool call validation failed\b|^tool choice is (?:required|none), but\b|^invalid diff: |^parsing failed\. the model generated\b/i,
  /^(?:json schema conversion failed|unrecognized schema|unexpected empty grammar stack|grammar error|invalid grammar)\b/i,
  /^the provided json schema contains features not supported\b/i,
  // Templates that raise an error for a message order or a role
  /^(?:-{3,20} ?)?while executing \w{1,40} at line \d/i,
  /^(?:jinja exception|template error|template exception|error rendering prompt with jinja|unable to generate parser for this template|failed to (?:apply|render|parse|process|format) (?:the )?(?:chat |prompt |jinja )?template|(?:chat |prompt |jinja )template (?:error|rendering failed|failed|could not))\b/i,
  /^(?:after the optional system message(?:\(s\))?,? )?(?:after the \(?optional\)? system messages?(?:\(s\))?,? )?(?:conversation |messages?: |user and assistant |user\/assistant |message )?roles (?:must|should)(?: be)? alternat/i,
  /^only user(?:,| and) (?:assistant|model|tool)\b.{0,60}\broles are supported/i,
  /^(?:system|developer|tool) (?:role|messages?|prompts?) (?:is |are )?(?:not supported|unsupported|not allowed|must (?:be|come) (?:at the beginning|first|the first))/i,
  /^(?:unexpected|unknown|unsupported|invalid|unrecognized) (?:message )?role\b/i,
  /^role [`'"]?\w{1,40}[`'"]? is (?:not|un) ?(?:supported|allowed|known|valid)/i,
  /^[`'"]?developer[`'"]? is not one of\b|^invalid value: [`'"](?:developer|system|tool|image_url|input_audio|file|json_schema)[`'"]/i,
  /^after the \(optional\) system message\(s\),? user\b|^(?:expected last role|(?:the )?last message (?:must|role must|should|cannot)|conversations? must (?:start|begin|end)|the first message must|no user query found|cannot (?:continue|have) .{0,40}assistant|assistant message (?:prefill|cannot))\b/i,
  /^(?:[`'"]?messages\.\d{1,6}[`'"]? ?: )?discriminator property [`'"]?(?:role|type)[`'"]? has invalid value/i,
  /^(?:as of transformers v\d|no chat template|default chat template is no longer)/i,
  // A content form that a server does not parse
  /^[`'"]?messages\.\d{1,6}[`'"]? ?: for [`'"]?role:\w{1,20}[`'"]? the following must be satisfied/i,
  /^[`'"]?messages(?:\[\d{1,6}\]|\.\d{1,6})(?:\.\w{1,40})?\.content[`'"]?(?:\.\w{1,40})?:? (?:must|should) be a (?:valid )?string|^(?:message )?content (?:must|should) be a (?:valid )?string/i,
  /^this response_format type is (?:unavailable|not)|^[`'"]?response_format\b[`'"]?[\w .,:'"`-]{0,100}(?:unavailable|unsupported|not (?:currently |yet )?(?:supported|available|enabled))/i,
  /^[`'"]response_format\.type[`'"] must be\b|^invalid schema for (?:response_format|function)\b/i,
  /^unexpected value(?:\(s\)|s)? .{1,400} for the [`'"]?anthropic-beta[`'"]? header|^invalid (?:anthropic[ -])?beta (?:flag|header)/i,
  /^tool call ids? (?:was|were|has|must|should)\b/i,
];

/** What a validator says about a role, part or tool type that it does not know, after a path. */
const unknownForms: readonly RegExp[] = [
  /^failed to deserialize the json body into the target type: .{0,300}?(?:unknown (?:variant|field)|invalid type: (?:sequence|map)|did not match any variant)/i,
  /^(?:[\w.[\]'"-]{0,200}: )?(?:unknown variant [`'"][^`'"]{1,80}[`'"], expected|invalid type: (?:sequence|map), expected a string)/i,
  /^(?:[\w.[\]'"-]{0,200}: )?input tag [`'"][^`'"]{1,80}[`'"] found using\b/i,
  /^messages(?:\[\d{1,6}\]|\.\d{1,6})[\w.[\]-]{0,120}\b(?:content|role|type)[\w.[\]-]{0,60}: input should be\b/i,
  /^(?:\d{1,4} validation errors?:? )?\[?\{'type': '(?:literal_error|union_tag_invalid|enum|extra_forbidden|string_type)', 'loc': \((?:'body', )?'(?:messages|tools|tool_choice|response_format)'/i,
  /^(?:tools|output_config|output_format)\.[\w.-]{0,100}schema\b/i,
];

/** For a refusal with a 4xx: phrases too common to be trusted from a failing server. */
const refusals: readonly RegExp[] = [
  /^[`'"]?[\w.]{1,64}[`'"]?(?: [a-z0-9.:/-]{1,30}){0,6} (?:is|are) (?:currently )?(?:not (?:yet |currently )?supported|unsupported|not implemented)\b/i,
  /^unsupported (?:mime type|file|image|content|media|message|role|schema|response|tool|input|feature|format)\b/i,
  /^only .{1,100} (?:is|are) (?:supported|allowed|accepted)\b/i,
  /^the specified schema produces a constraint\b|^invalid json payload received\. unknown name\b/i,
];

const some = (patterns: readonly RegExp[], text: string) => patterns.some((pattern) => pattern.test(text));

/** Whether the text, without a server's prefixes, says that this member cannot serve the request. `refused`: it came with a 4xx. */
export const cannotServe = (text: string, refused: boolean): boolean =>
  some(sentences, text) || some(unknownForms, text) || (refused && some(refusals, text));

/** Whether a validator does not know a role or a form of the request. */
export const isUnknownForm = (text: string): boolean => some(unknownForms, text);
