"""Python clients, unmodified, against a running Trunkline.

Reads BASE (http://127.0.0.1:PORT), KEYS (JSON: the key of a pool by the format that its member speaks) and EMBEDDINGS_KEY (of
a pool with embeddings) from the environment. Prints a line for each check and ends with 1 when one failed.
"""

import asyncio
import json
import os
import sys
import traceback

import anthropic
import openai
from agents import (
    Agent as OpenAIAgent,
    OpenAIChatCompletionsModel,
    OpenAIResponsesModel as AgentsResponsesModel,
    Runner,
    function_tool,
    set_tracing_disabled,
)
from google import genai
from google.genai import errors as genai_errors, types as genai_types
from langchain_anthropic import ChatAnthropic
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import tool as langchain_tool
from langchain_openai import ChatOpenAI
from pydantic import BaseModel
from pydantic_ai import Agent
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider

BASE = os.environ["BASE"]
KEYS = json.loads(os.environ["KEYS"])
MODEL = "weather-model"
GREETING = "Grüezi 😀"
SUNNY = "The tool said: sunny in Zürich"
QUESTION = "What is the weather in Zürich?"

set_tracing_disabled(True)


class Weather(BaseModel):
    city: str
    degrees: int


FILLED = Weather(city="Zürich", degrees=21)


def weather(city: str) -> str:
    """The weather of a city."""
    return f"sunny in {city}"


SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
checks = []


def check(name):
    def add(function):
        checks.append((name, function))
        return function

    return add


def same(got, expected):
    assert got == expected, f"{got!r} instead of {expected!r}"


# One loop for all: the clients' connections belong to it.
LOOP = asyncio.new_event_loop()
wait = LOOP.run_until_complete


def openai_client(key):
    return openai.OpenAI(base_url=f"{BASE}/api/ai/v1", api_key=key, max_retries=0, timeout=20)


def openai_async(key):
    return openai.AsyncOpenAI(base_url=f"{BASE}/api/ai/v1", api_key=key, max_retries=0, timeout=20)


def anthropic_client(key):
    return anthropic.Anthropic(base_url=f"{BASE}/api/ai", api_key=key, max_retries=0, timeout=20)


CHAT_TOOLS = [
    {"type": "function", "function": {"name": "weather", "description": "The weather", "parameters": SCHEMA}}
]


@check("openai: chat completion")
def _(key):
    made = openai_client(key).chat.completions.create(
        model=MODEL, messages=[{"role": "user", "content": "Hi"}]
    )
    same(made.choices[0].message.content, GREETING)
    assert made.usage.total_tokens > 0


@check("openai: chat completion, streamed")
def _(key):
    stream = openai_client(key).chat.completions.create(
        model=MODEL,
        messages=[{"role": "user", "content": "Hi"}],
        stream=True,
        stream_options={"include_usage": True},
    )
    chunks = list(stream)
    same("".join(c.choices[0].delta.content or "" for c in chunks if c.choices), GREETING)
    assert chunks[-1].usage.total_tokens > 0


@check("openai: chat completion with a tool")
def _(key):
    client = openai_client(key)
    messages = [{"role": "user", "content": QUESTION}]
    first = client.chat.completions.create(model=MODEL, messages=messages, tools=CHAT_TOOLS)
    call = first.choices[0].message.tool_calls[0]
    result = weather(**json.loads(call.function.arguments))
    messages += [first.choices[0].message, {"role": "tool", "tool_call_id": call.id, "content": result}]
    last = client.chat.completions.create(model=MODEL, messages=messages, tools=CHAT_TOOLS)
    same(last.choices[0].message.content, SUNNY)


@check("openai: chat completion in a shape")
def _(key):
    made = openai_client(key).chat.completions.parse(
        model=MODEL, messages=[{"role": "user", "content": QUESTION}], response_format=Weather
    )
    same(made.choices[0].message.parsed, FILLED)


@check("openai: response")
def _(key):
    same(openai_client(key).responses.create(model=MODEL, input="Hi").output_text, GREETING)


@check("openai: response, streamed")
def _(key):
    with openai_client(key).responses.stream(model=MODEL, input="Hi") as stream:
        deltas = [event.delta for event in stream if event.type == "response.output_text.delta"]
        same("".join(deltas), GREETING)
        same(stream.get_final_response().output_text, GREETING)


@check("openai: response with a tool")
def _(key):
    client = openai_client(key)
    tools = [{"type": "function", "name": "weather", "parameters": SCHEMA, "strict": False}]
    first = client.responses.create(model=MODEL, input=QUESTION, tools=tools, store=False)
    call = next(item for item in first.output if item.type == "function_call")
    result = weather(**json.loads(call.arguments))
    last = client.responses.create(
        model=MODEL,
        tools=tools,
        store=False,
        input=[
            {"role": "user", "content": QUESTION},
            *[item.model_dump(exclude_none=True) for item in first.output],
            {"type": "function_call_output", "call_id": call.call_id, "output": result},
        ],
    )
    same(last.output_text, SUNNY)


@check("openai: response in a shape")
def _(key):
    made = openai_client(key).responses.parse(model=MODEL, input=QUESTION, text_format=Weather)
    same(made.output_parsed, FILLED)


@check("openai: models, and a wrong key")
def _(key):
    assert MODEL in [model.id for model in openai_client(key).models.list()]
    try:
        openai_client("tlp_wrong").chat.completions.create(
            model=MODEL, messages=[{"role": "user", "content": "Hi"}]
        )
    except openai.AuthenticationError:
        return
    raise AssertionError("A wrong key was taken.")


@check("anthropic: message")
def _(key):
    made = anthropic_client(key).messages.create(
        model=MODEL, max_tokens=100, messages=[{"role": "user", "content": "Hi"}]
    )
    same("".join(block.text for block in made.content if block.type == "text"), GREETING)


@check("anthropic: message, streamed")
def _(key):
    with anthropic_client(key).messages.stream(
        model=MODEL, max_tokens=100, messages=[{"role": "user", "content": "Hi"}]
    ) as stream:
        same("".join(stream.text_stream), GREETING)
        same(stream.get_final_message().stop_reason, "end_turn")


@check("anthropic: message with a tool")
def _(key):
    client = anthropic_client(key)
    tools = [{"name": "weather", "description": "The weather", "input_schema": SCHEMA}]
    messages = [{"role": "user", "content": QUESTION}]
    first = client.messages.create(model=MODEL, max_tokens=100, messages=messages, tools=tools)
    call = next(block for block in first.content if block.type == "tool_use")
    result = {"type": "tool_result", "tool_use_id": call.id, "content": weather(**call.input)}
    messages += [{"role": "assistant", "content": first.content}, {"role": "user", "content": [result]}]
    last = client.messages.create(model=MODEL, max_tokens=100, messages=messages, tools=tools)
    same("".join(block.text for block in last.content if block.type == "text"), SUNNY)


@check("anthropic: counted tokens, and a wrong key")
def _(key):
    counted = anthropic_client(key).messages.count_tokens(
        model=MODEL, messages=[{"role": "user", "content": "Hi"}]
    )
    assert counted.input_tokens > 0
    try:
        anthropic_client("tlp_wrong").messages.create(
            model=MODEL, max_tokens=100, messages=[{"role": "user", "content": "Hi"}]
        )
    except anthropic.AuthenticationError:
        return
    raise AssertionError("A wrong key was taken.")


# A client that is collected closes its connections, also in the middle of a call.
GENAI_CLIENTS = {}


def genai_client(key):
    return GENAI_CLIENTS.setdefault(key, genai_client_of(key))


def genai_client_of(key):
    # One try and no more; the client's timeout is in milliseconds.
    options = genai_types.HttpOptions(
        base_url=f"{BASE}/api/ai", timeout=20_000, retry_options=genai_types.HttpRetryOptions(attempts=1)
    )
    return genai.Client(api_key=key, http_options=options)


@check("google-genai: content")
def _(key):
    made = genai_client(key).models.generate_content(model=MODEL, contents="Hi")
    same(made.text, GREETING)
    same(made.candidates[0].finish_reason, genai_types.FinishReason.STOP)
    assert made.usage_metadata.total_token_count > 0


@check("google-genai: models")
def _(key):
    models = {model.name: model.supported_actions for model in genai_client(key).models.list(config={"page_size": 1})}
    assert "generateContent" in models[f"models/{MODEL}"], models
    same(genai_client(key).models.get(model=MODEL).name, f"models/{MODEL}")


@check("google-genai: content, streamed")
def _(key):
    pieces = list(genai_client(key).models.generate_content_stream(model=MODEL, contents="Hi"))
    same("".join(piece.text or "" for piece in pieces), GREETING)
    same(pieces[-1].candidates[0].finish_reason, genai_types.FinishReason.STOP)
    assert pieces[-1].usage_metadata.total_token_count > 0


@check("google-genai: content, streamed with asyncio")
def _(key):
    async def text():
        stream = await genai_client(key).aio.models.generate_content_stream(model=MODEL, contents="Hi")
        return "".join([piece.text or "" async for piece in stream])

    same(wait(text()), GREETING)


@check("google-genai: content with a declared tool")
def _(key):
    client = genai_client(key)
    declared = genai_types.FunctionDeclaration(
        name="weather", description="The weather", parameters_json_schema=SCHEMA
    )
    config = genai_types.GenerateContentConfig(tools=[genai_types.Tool(function_declarations=[declared])])
    asked = genai_types.Content(role="user", parts=[genai_types.Part.from_text(text=QUESTION)])
    first = client.models.generate_content(model=MODEL, contents=[asked], config=config)
    (call,) = first.function_calls
    result = genai_types.Part.from_function_response(name=call.name, response={"result": weather(**call.args)})
    result.function_response.id = call.id
    turns = [asked, first.candidates[0].content, genai_types.Content(role="user", parts=[result])]
    last = client.models.generate_content(model=MODEL, contents=turns, config=config)
    assert weather("Zürich") in last.text, last.text


@check("google-genai: a chat that calls a function by itself, streamed")
def _(key):
    config = genai_types.GenerateContentConfig(tools=[weather])
    chat = genai_client(key).chats.create(model=MODEL, config=config)
    text = "".join(piece.text or "" for piece in chat.send_message_stream(QUESTION))
    assert weather("Zürich") in text, text


@check("google-genai: content in a shape")
def _(key):
    config = genai_types.GenerateContentConfig(
        response_mime_type="application/json", response_schema=Weather
    )
    made = genai_client(key).models.generate_content(model=MODEL, contents=QUESTION, config=config)
    same(made.parsed, FILLED)


@check("google-genai: counted tokens")
def _(key):
    assert genai_client(key).models.count_tokens(model=MODEL, contents="Hello there!").total_tokens > 0


@check("google-genai: embeddings")
def _(_key):
    config = genai_types.EmbedContentConfig(output_dimensionality=4)
    made = genai_client(os.environ["EMBEDDINGS_KEY"]).models.embed_content(
        model="embedder", contents=["one", "two"], config=config
    )
    same([len(embedding.values) for embedding in made.embeddings], [4, 4])
    assert made.embeddings[0].values != made.embeddings[1].values


@check("google-genai: a wrong key, and a wrong request")
def _(key):
    picture = genai_types.Part.from_bytes(data=b"GIF89a", mime_type="image/gif")
    unknown, known = genai_client("tlp_wrong").models, genai_client(key).models
    for ask, expected in [
        (lambda: unknown.generate_content(model=MODEL, contents="Hi"), (401, "UNAUTHENTICATED")),
        (lambda: known.embed_content(model="embedder", contents=picture), (400, "INVALID_ARGUMENT")),
    ]:
        try:
            ask()
        except genai_errors.ClientError as error:
            same((error.code, error.status), expected)
        else:
            raise AssertionError("It was taken.")


def langchain_checks(name, model):
    @check(f"{name}: invoked and streamed")
    def _(key):
        same(model(key).invoke("Hi").text, GREETING)
        same("".join(chunk.text for chunk in model(key).stream("Hi")), GREETING)

    @check(f"{name}: with a tool")
    def _(key):
        bound = model(key).bind_tools([langchain_tool(weather)])
        messages = [HumanMessage(QUESTION)]
        first = bound.invoke(messages)
        call = first.tool_calls[0]
        messages += [first, ToolMessage(weather(**call["args"]), tool_call_id=call["id"])]
        same(bound.invoke(messages).text, SUNNY)

    @check(f"{name}: in a shape")
    def _(key):
        same(model(key).with_structured_output(Weather).invoke(QUESTION), FILLED)


def chat_openai(**more):
    return lambda key: ChatOpenAI(
        model=MODEL, base_url=f"{BASE}/api/ai/v1", api_key=key, max_retries=0, timeout=20, **more
    )


langchain_checks("langchain-openai", chat_openai())
langchain_checks("langchain-openai, Responses", chat_openai(use_responses_api=True))
langchain_checks(
    "langchain-anthropic",
    lambda key: ChatAnthropic(
        model=MODEL, base_url=f"{BASE}/api/ai", api_key=key, max_retries=0, timeout=20, max_tokens=100
    ),
)


def pydantic_checks(name, model):
    @check(f"{name}: an agent with a tool")
    def _(key):
        agent = Agent(model(key), tools=[weather])
        same(wait(agent.run(QUESTION)).output, SUNNY)

    @check(f"{name}: an agent, streamed")
    def _(key):
        async def text():
            async with Agent(model(key)).run_stream("Hi") as run:
                return await run.get_output()

        same(wait(text()), GREETING)

    @check(f"{name}: an agent whose answer has a shape")
    def _(key):
        agent = Agent(model(key), tools=[weather], output_type=Weather)
        same(wait(agent.run(QUESTION)).output, FILLED)


def openai_provider(key):
    return OpenAIProvider(openai_client=openai_async(key))


pydantic_checks("pydantic-ai", lambda key: OpenAIChatModel(MODEL, provider=openai_provider(key)))
pydantic_checks(
    "pydantic-ai, Responses", lambda key: OpenAIResponsesModel(MODEL, provider=openai_provider(key))
)
pydantic_checks(
    "pydantic-ai, Anthropic",
    lambda key: AnthropicModel(
        MODEL,
        provider=AnthropicProvider(
            anthropic_client=anthropic.AsyncAnthropic(
                base_url=f"{BASE}/api/ai", api_key=key, max_retries=0, timeout=20
            )
        ),
    ),
)


def agents_checks(name, model):
    @check(f"{name}: an agent with a tool")
    def _(key):
        agent = OpenAIAgent(name="it", model=model(key), tools=[function_tool(weather)])
        same(wait(Runner.run(agent, QUESTION)).final_output, SUNNY)

    @check(f"{name}: an agent, streamed")
    def _(key):
        async def text():
            agent = OpenAIAgent(name="it", model=model(key), tools=[function_tool(weather)])
            run = Runner.run_streamed(agent, QUESTION)
            async for _ in run.stream_events():
                pass
            return run.final_output

        same(wait(text()), SUNNY)

    @check(f"{name}: an agent whose answer has a shape")
    def _(key):
        agent = OpenAIAgent(name="it", model=model(key), output_type=Weather)
        same(wait(Runner.run(agent, QUESTION)).final_output, FILLED)


agents_checks("openai-agents", lambda key: AgentsResponsesModel(MODEL, openai_async(key)))
agents_checks("openai-agents, chat", lambda key: OpenAIChatCompletionsModel(MODEL, openai_async(key)))

failed = 0
for name, function in checks:
    for member, key in KEYS.items():
        try:
            function(key)
            print(f"✔ {name}, at a member with {member}", flush=True)
        except Exception as error:
            failed += 1
            print(f"✖ {name}, at a member with {member}: {type(error).__name__}: {str(error)[:400]}", flush=True)
            if os.environ.get("TRACE"):
                traceback.print_exc()
print(f"{len(checks) * len(KEYS) - failed} of {len(checks) * len(KEYS)} checks hold.")
sys.exit(1 if failed else 0)
