"""Chat templates in the style of the public model families, written for this project, and the
conversations that they are rendered with."""

TOKENS = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>", "pad_token": "<pad>"}

TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "get_weather",
            "description": "Current weather for a \"city\" <b>now</b>",
            "parameters": {
                "type": "object",
                "properties": {
                    "city": {"type": "string", "description": "Name of the city, e.g. Zürich"},
                    "unit": {"type": "string", "enum": ["celsius", "fahrenheit"]},
                    "days": {"type": "integer", "minimum": 1, "default": 3},
                },
                "required": ["city"],
            },
        },
    },
    {
        "type": "function",
        "function": {
            "name": "noop",
            "description": "",
            "parameters": {"type": "object", "properties": {}},
        },
    },
]

DOCUMENTS = [
    {"title": "On salt", "text": "Salt dissolves in water."},
    {"title": "Über Öl", "text": "Oil does not.\nIt floats."},
]


def turn(role, content, **more):
    return {"role": role, "content": content, **more}


CALL = {
    "type": "function",
    "id": "call00001",
    "function": {"name": "get_weather", "arguments": {"city": "Zürich", "days": 2}},
}

CONVERSATIONS = {
    "one": [turn("user", "Hello")],
    "pair": [turn("user", "What is 2+2?"), turn("assistant", "4")],
    "system": [
        turn("system", "You are terse."),
        turn("user", "  Hi there \n"),
        turn("assistant", " Hi. "),
        turn("user", "Bye"),
    ],
    "long": [
        turn("system", "Línea uno\nline two"),
        turn("user", "Write <b>bold</b> & \"quotes\" {{ x }}"),
        turn("assistant", "```python\nprint('hi')\n```\n"),
        turn("user", "日本語 😀\t tab"),
        turn("assistant", "はい"),
        turn("user", ""),
    ],
    "bad_order": [turn("assistant", "I start"), turn("user", "No")],
    "two_users": [turn("user", "a"), turn("user", "b"), turn("assistant", "c")],
    "tool": [
        turn("system", "Use tools."),
        turn("user", "Weather in Zürich?"),
        turn("assistant", "", tool_calls=[CALL]),
        turn("tool", '{"temp": 21.5}', name="get_weather", tool_call_id="call00001"),
        turn("assistant", "21.5 °C"),
        turn("user", "Thanks"),
    ],
    "parts": [
        turn("user", [{"type": "image"}, {"type": "text", "text": "Describe"}]),
        turn("assistant", [{"type": "text", "text": "A cat"}]),
    ],
    "unknown_role": [turn("user", "x"), turn("critic", "y")],
    "none": [],
}

# name -> template. {...} of Python's format is not used: variants are made by replacement below.
BASE = {}

BASE["chatml"] = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' + message['content']"
    " + '<|im_end|>' + '\\n' }}{% endfor %}{% if add_generation_prompt %}"
    "{{ '<|im_start|>assistant\\n' }}{% endif %}"
)
BASE["chatml_lines"] = """{%- for message in messages %}
    {{- '<|im_start|>' ~ message.role ~ '\\n' ~ message.content | trim ~ '<|im_end|>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\\n' }}
{%- endif %}
"""
BASE["chatml_default_system"] = """{% if messages[0]['role'] != 'system' %}
<|im_start|>system
You are a helpful assistant.<|im_end|>
{% endif %}
{% for m in messages %}
<|im_start|>{{ m.role }}
{{ m.content }}<|im_end|>
{% endfor %}
{% if add_generation_prompt %}
<|im_start|>assistant
{% endif %}"""
BASE["chatml_generation"] = """{% for message in messages %}
{% if message.role == 'assistant' %}
<|im_start|>assistant
{% generation %}{{ message.content }}<|im_end|>{% endgeneration %}

{% else %}
<|im_start|>{{ message.role }}
{{ message.content }}<|im_end|>
{% endif %}
{% endfor %}
{%- if add_generation_prompt %}<|im_start|>assistant
{% endif %}"""
BASE["bracket_inst"] = (
    "{% if messages[0]['role'] == 'system' %}{% set loop_messages = messages[1:] %}"
    "{% set system_message = messages[0]['content'] %}{% else %}{% set loop_messages = messages %}"
    "{% set system_message = false %}{% endif %}{% for message in loop_messages %}"
    "{% if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}"
    "{{ raise_exception('Roles must alternate: user, assistant, user, ...') }}{% endif %}"
    "{% if loop.index0 == 0 and system_message != false %}"
    "{% set content = '<<SYS>>\\n' + system_message + '\\n<</SYS>>\\n\\n' + message['content'] %}"
    "{% else %}{% set content = message['content'] %}{% endif %}"
    "{% if message['role'] == 'user' %}{{ bos_token + '[INST] ' + content.strip() + ' [/INST]' }}"
    "{% elif message['role'] == 'assistant' %}{{ ' ' + content.strip() + ' ' + eos_token }}"
    "{% endif %}{% endfor %}"
)
BASE["bracket_inst_plain"] = """{{ bos_token }}
{%- for message in messages -%}
  {%- if message.role == 'user' -%}
    [INST] {{ message.content | trim }} [/INST]
  {%- elif message.role == 'assistant' -%}
    {{ ' ' ~ message.content | trim ~ eos_token }}
  {%- elif message.role == 'system' and loop.first -%}
    {{ '<<SYS>> ' ~ message.content ~ ' <</SYS>>' }}
  {%- else -%}
    {{ raise_exception('Unknown role: ' ~ message.role) }}
  {%- endif -%}
{%- endfor -%}"""
BASE["strict_alternation"] = """{%- if messages and messages[0].role == "system" %}
    {%- set system_message = messages[0].content %}
    {%- set rest = messages[1:] %}
{%- else %}
    {%- set rest = messages %}
{%- endif %}
{%- set ns = namespace(index=0) %}
{%- for message in rest %}
    {%- if message.role in ("user", "assistant") and message.tool_calls is not defined %}
        {%- if (message.role == "user") != (ns.index % 2 == 0) %}
            {{- raise_exception("After the optional system message, roles must alternate user/assistant") }}
        {%- endif %}
        {%- set ns.index = ns.index + 1 %}
    {%- endif %}
{%- endfor %}
{{- bos_token }}
{%- for message in rest %}
    {%- if message.role == "user" %}
        {%- if loop.last and system_message is defined %}
            {{- "[INST] " + system_message + "\\n\\n" + message.content + "[/INST]" }}
        {%- else %}
            {{- "[INST] " + message.content + "[/INST]" }}
        {%- endif %}
    {%- elif message.role == "assistant" %}
        {{- " " + message.content|trim + eos_token }}
    {%- else %}
        {{- raise_exception("Only user and assistant roles are supported!") }}
    {%- endif %}
{%- endfor %}
"""
BASE["strict_tools"] = """{%- set user_messages = messages | selectattr("role", "equalto", "user") | list %}
{{- bos_token }}
{%- for message in messages %}
    {%- if message["role"] == "user" %}
        {%- if tools is not none and (message == user_messages[-1]) %}
            {{- "[AVAILABLE_TOOLS] [" }}
            {%- for tool in tools %}
                {%- set tool = tool.function %}
                {{- '{"type": "function", "function": {' }}
                {%- for key, val in tool.items() if key != "return" %}
                    {%- if val is string %}
                        {{- '"' + key + '": "' + val + '"' }}
                    {%- else %}
                        {{- '"' + key + '": ' + val|tojson }}
                    {%- endif %}
                    {%- if not loop.last %}
                        {{- ", " }}
                    {%- endif %}
                {%- endfor %}
                {{- "}}" }}
                {%- if not loop.last %}
                    {{- ", " }}
                {%- else %}
                    {{- "]" }}
                {%- endif %}
            {%- endfor %}
            {{- "[/AVAILABLE_TOOLS]" }}
        {%- endif %}
        {{- "[INST] " + message["content"] + "[/INST]" }}
    {%- elif message.tool_calls is defined and message.tool_calls is not none %}
        {{- "[TOOL_CALLS] [" }}
        {%- for tool_call in message.tool_calls %}
            {%- set out = tool_call.function|tojson %}
            {{- out[:-1] }}
            {%- if not tool_call.id is defined or tool_call.id|length != 9 %}
                {{- raise_exception("Tool call IDs should be alphanumeric strings with length 9!") }}
            {%- endif %}
            {{- ', "id": "' + tool_call.id + '"}' }}
            {%- if not loop.last %}{{- ", " }}{%- else %}{{- "]" + eos_token }}{%- endif %}
        {%- endfor %}
    {%- elif message["role"] == "assistant" %}
        {{- " " + message["content"] + eos_token }}
    {%- elif message["role"] == "tool_results" or message["role"] == "tool" %}
        {%- if message.content is defined and message.content.content is defined %}
            {%- set content = message.content.content %}
        {%- else %}
            {%- set content = message.content %}
        {%- endif %}
        {{- '[TOOL_RESULTS] {"content": ' + content|string + ", " }}
        {{- '"call_id": "' + message.tool_call_id + '"}[/TOOL_RESULTS]' }}
    {%- endif %}
{%- endfor %}
"""
BASE["headers"] = """{%- set loop_messages = messages -%}
{%- for message in loop_messages -%}
    {%- set content = '<|start_header_id|>' + message['role'] + '<|end_header_id|>\\n\\n' + message['content'] | trim + '<|eot_id|>' -%}
    {%- if loop.index0 == 0 -%}
        {%- set content = bos_token + content -%}
    {%- endif -%}
    {{- content -}}
{%- endfor -%}
{%- if add_generation_prompt -%}
    {{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' -}}
{%- endif -%}"""
BASE["headers_date_tools"] = """{{- bos_token }}
{%- if custom_tools is defined %}
    {%- set tools = custom_tools %}
{%- endif %}
{%- if not tools_in_user_message is defined %}
    {%- set tools_in_user_message = true %}
{%- endif %}
{%- if not date_string is defined %}
    {%- if strftime_now is defined %}
        {%- set date_string = strftime_now("%d %b %Y") %}
    {%- else %}
        {%- set date_string = "26 Jul 2024" %}
    {%- endif %}
{%- endif %}
{%- if not tools is defined %}
    {%- set tools = none %}
{%- endif %}

{#- The system message comes first, if there is one. #}
{%- if messages[0]['role'] == 'system' %}
    {%- set system_message = messages[0]['content']|trim %}
    {%- set messages = messages[1:] %}
{%- else %}
    {%- set system_message = "" %}
{%- endif %}

{{- "<|start_header_id|>system<|end_header_id|>\\n\\n" }}
{%- if tools is not none %}
    {{- "Environment: ipython\\n" }}
{%- endif %}
{{- "Cutting Knowledge Date: December 2023\\n" }}
{{- "Today Date: " + date_string + "\\n\\n" }}
{%- if tools is not none and not tools_in_user_message %}
    {{- "You have these functions:\\n\\n" }}
    {%- for t in tools %}
        {{- t | tojson(indent=4) }}
        {{- "\\n\\n" }}
    {%- endfor %}
{%- endif %}
{{- system_message }}
{{- "<|eot_id|>" }}

{#- Tools may be told to the model in the first user message. #}
{%- if tools_in_user_message and not tools is none %}
    {%- if messages | length != 0 %}
        {%- set first_user_message = messages[0]['content']|trim %}
        {%- set messages = messages[1:] %}
    {%- else %}
        {{- raise_exception("Cannot put tools in the first user message when there's no first user message!") }}
    {%- endif %}
    {{- '<|start_header_id|>user<|end_header_id|>\\n\\n' -}}
    {{- "Given these functions, answer with a call.\\n\\n" }}
    {%- for t in tools %}
        {{- t | tojson(indent=4) }}
        {{- "\\n\\n" }}
    {%- endfor %}
    {{- first_user_message + "<|eot_id|>"}}
{%- endif %}

{%- for message in messages %}
    {%- if not (message.role == 'ipython' or message.role == 'tool' or 'tool_calls' in message) %}
        {{- '<|start_header_id|>' + message['role'] + '<|end_header_id|>\\n\\n'+ message['content'] | trim + '<|eot_id|>' }}
    {%- elif 'tool_calls' in message %}
        {%- if not message.tool_calls|length == 1 %}
            {{- raise_exception("This model only supports single tool-calls at once!") }}
        {%- endif %}
        {%- set tool_call = message.tool_calls[0].function %}
        {{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' -}}
        {{- '{"name": "' + tool_call.name + '", ' }}
        {{- '"parameters": ' }}
        {{- tool_call.arguments | tojson }}
        {{- "}" }}
        {{- "<|eot_id|>" }}
    {%- elif message.role == "tool" or message.role == "ipython" %}
        {{- "<|start_header_id|>ipython<|end_header_id|>\\n\\n" }}
        {%- if message.content is mapping or message.content is iterable %}
            {{- message.content | tojson }}
        {%- else %}
            {{- message.content }}
        {%- endif %}
        {{- "<|eot_id|>" }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}
{%- endif %}
"""
BASE["turns"] = (
    "{{ bos_token }}{% if messages[0]['role'] == 'system' %}{{ raise_exception('System role not supported') }}"
    "{% endif %}{% for message in messages %}{% if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}"
    "{{ raise_exception('Conversation roles must alternate user/assistant/user/assistant/...') }}{% endif %}"
    "{% if (message['role'] == 'assistant') %}{% set role = 'model' %}{% else %}{% set role = message['role'] %}"
    "{% endif %}{{ '<start_of_turn>' + role + '\\n' + message['content'] | trim + '<end_of_turn>\\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{'<start_of_turn>model\\n'}}{% endif %}"
)
BASE["turns_parts"] = """{{ bos_token }}
{%- if messages[0]['role'] == 'system' -%}
    {%- if messages[0]['content'] is string -%}
        {%- set first_user_prefix = messages[0]['content'] + '\\n\\n' -%}
    {%- else -%}
        {%- set first_user_prefix = messages[0]['content'][0]['text'] + '\\n\\n' -%}
    {%- endif -%}
    {%- set loop_messages = messages[1:] -%}
{%- else -%}
    {%- set first_user_prefix = "" -%}
    {%- set loop_messages = messages -%}
{%- endif -%}
{%- for message in loop_messages -%}
    {%- if (message['role'] == 'user') != (loop.index0 % 2 == 0) -%}
        {{ raise_exception("Conversation roles must alternate") }}
    {%- endif -%}
    {%- set role = "model" if message['role'] == 'assistant' else message['role'] -%}
    {{ '<start_of_turn>' + role + '\\n' + (first_user_prefix if loop.first else "") }}
    {%- if message['content'] is string -%}
        {{ message['content'] | trim }}
    {%- elif message['content'] is iterable -%}
        {%- for item in message['content'] -%}
            {%- if item['type'] == 'image' -%}
                {{ '<start_of_image>' }}
            {%- elif item['type'] == 'text' -%}
                {{ item['text'] | trim }}
            {%- endif -%}
        {%- endfor -%}
    {%- else -%}
        {{ raise_exception("Invalid content type") }}
    {%- endif -%}
    {{ '<end_of_turn>\\n' }}
{%- endfor -%}
{%- if add_generation_prompt -%}
    {{ '<start_of_turn>model\\n' }}
{%- endif -%}
"""
BASE["pipes"] = (
    "{% for message in messages %}{% if message['role'] == 'system' %}{{'<|system|>\\n' + message['content'] + '<|end|>\\n'}}"
    "{% elif message['role'] == 'user' %}{{'<|user|>\\n' + message['content'] + '<|end|>\\n'}}"
    "{% elif message['role'] == 'assistant' %}{{'<|assistant|>\\n' + message['content'] + '<|end|>\\n'}}{% endif %}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|assistant|>\\n' }}{% else %}{{ eos_token }}{% endif %}"
)
BASE["pipes_lines"] = """{% for message in messages %}
{% if message['role'] == 'user' %}
{{ '<|user|>
' + message['content'] + eos_token }}
{% elif message['role'] == 'system' %}
{{ '<|system|>
' + message['content'] + eos_token }}
{% elif message['role'] == 'assistant' %}
{{ '<|assistant|>
'  + message['content'] + eos_token }}
{% endif %}
{% if loop.last and add_generation_prompt %}
{{ '<|assistant|>' }}
{% endif %}
{% endfor %}"""
BASE["command"] = """{{ bos_token }}
{%- macro document_turn(documents) -%}
<|START|><|SYSTEM|><results>
{% for document in documents %}{{ '\\nDocument: ' }}{{ loop.index0 }}
{% for key, value in document.items() %}{{ key }}: {{ value }}
{% endfor %}{% endfor %}</results><|END|>
{%- endmacro %}
{%- macro argument(name, schema, required) -%}
{{ name }}: {{ {'string': 'str', 'integer': 'int', 'number': 'float'}.get(schema.type, schema.type) }}{% if not required %} = None{% endif %}
{%- endmacro %}
{%- macro describe(tool) -%}
```python
def {{ tool.name }}({% for name, schema in tool.parameters.properties.items() %}{{ argument(name, schema, name in tool.parameters.get('required', [])) }}{% if not loop.last %}, {% endif %}{% endfor %}) -> List[Dict]:
    \"\"\"{{ tool.description }}{% if tool.parameters.properties %}

    Args:
{% for name, schema in tool.parameters.properties.items() %}
        {{ name }} ({{ schema.type }}): {{ schema.description | default('no description') }}
{% endfor %}
{% endif %}
    \"\"\"
    pass
```
{%- endmacro %}
{%- set ns = namespace(system='You are Command.', last_user=-1) %}
{%- for message in messages %}
{%- if message.role == 'system' and loop.first %}{% set ns.system = message.content %}{% endif %}
{%- if message.role == 'user' %}{% set ns.last_user = loop.index0 %}{% endif %}
{%- endfor %}
{{- '<|START|><|SYSTEM|>' ~ ns.system ~ '<|END|>' }}
{%- if tools %}
{{ '\\n## Tools\\n' }}{% for tool in tools %}{{ describe(tool.function) }}
{% endfor %}
{% endif %}
{%- if documents %}{{ document_turn(documents) }}{% endif %}
{%- for message in messages %}
{%- if message.role == 'system' %}{% continue %}{% endif %}
{{- '<|START|>' }}{{ {'user': '<|USER|>', 'assistant': '<|BOT|>'}[message.role] | default('<|OTHER|>') }}{{ message.content }}<|END|>
{%- if loop.index0 == ns.last_user %}{{ '<|LAST|>' }}{% endif %}
{%- endfor %}
{%- if add_generation_prompt %}<|START|><|BOT|>{% endif %}"""
BASE["tools_xml"] = """{%- if tools %}
    {{- '<|im_start|>system\\n' }}
    {%- if messages[0]['role'] == 'system' %}
        {{- messages[0]['content'] }}
    {%- else %}
        {{- 'You are a helpful assistant.' }}
    {%- endif %}
    {{- "\\n\\n# Tools\\n\\nSignatures are within <tools></tools> tags:\\n<tools>" }}
    {%- for tool in tools %}
        {{- "\\n" }}
        {{- tool | tojson }}
    {%- endfor %}
    {{- "\\n</tools>\\n\\nCall with <tool_call></tool_call>:\\n<tool_call>\\n{\\"name\\": <function-name>, \\"arguments\\": <args-json-object>}\\n</tool_call><|im_end|>\\n" }}
{%- else %}
    {%- if messages[0]['role'] == 'system' %}
        {{- '<|im_start|>system\\n' + messages[0]['content'] + '<|im_end|>\\n' }}
    {%- else %}
        {{- '<|im_start|>system\\nYou are a helpful assistant.<|im_end|>\\n' }}
    {%- endif %}
{%- endif %}
{%- for message in messages %}
    {%- if (message.role == "user") or (message.role == "system" and not loop.first) or (message.role == "assistant" and not message.tool_calls) %}
        {{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>' + '\\n' }}
    {%- elif message.role == "assistant" %}
        {{- '<|im_start|>' + message.role }}
        {%- if message.content %}
            {{- '\\n' + message.content }}
        {%- endif %}
        {%- for tool_call in message.tool_calls %}
            {%- if tool_call.function is defined %}
                {%- set tool_call = tool_call.function %}
            {%- endif %}
            {{- '\\n<tool_call>\\n{"name": "' }}
            {{- tool_call.name }}
            {{- '", "arguments": ' }}
            {{- tool_call.arguments | tojson }}
            {{- '}\\n</tool_call>' }}
        {%- endfor %}
        {{- '<|im_end|>\\n' }}
    {%- elif message.role == "tool" %}
        {%- if (loop.index0 == 0) or (messages[loop.index0 - 1].role != "tool") %}
            {{- '<|im_start|>user' }}
        {%- endif %}
        {{- '\\n<tool_response>\\n' }}
        {{- message.content }}
        {{- '\\n</tool_response>' }}
        {%- if loop.last or (messages[loop.index0 + 1].role != "tool") %}
            {{- '<|im_end|>\\n' }}
        {%- endif %}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\\n' }}
{%- endif %}
"""
BASE["thinking"] = """{%- set ns = namespace(multi_step=true, last_query=messages|length - 1) %}
{%- for message in messages[::-1] %}
    {%- set index = (messages|length - 1) - loop.index0 %}
    {%- if ns.multi_step and message.role == "user" and message.content is string and not(message.content.startswith('<tool_response>') and message.content.endswith('</tool_response>')) %}
        {%- set ns.multi_step = false %}
        {%- set ns.last_query = index %}
    {%- endif %}
{%- endfor %}
{%- for message in messages %}
    {%- set content = message.content if message.content is string else '' %}
    {%- if message.role == "assistant" %}
        {%- set thought = '' %}
        {%- if '</think>' in content %}
            {%- set thought = content.split('</think>')[0].rstrip('\\n').split('<think>')[-1].lstrip('\\n') %}
            {%- set content = content.split('</think>')[-1].lstrip('\\n') %}
        {%- endif %}
        {%- if loop.index0 > ns.last_query and (loop.last or thought) %}
            {{- '<|im_start|>' + message.role + '\\n<think>\\n' + thought.strip('\\n') + '\\n</think>\\n\\n' + content.lstrip('\\n') }}
        {%- else %}
            {{- '<|im_start|>' + message.role + '\\n' + content }}
        {%- endif %}
        {{- '<|im_end|>\\n' }}
    {%- else %}
        {{- '<|im_start|>' + message.role + '\\n' + content + '<|im_end|>\\n' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\\n' }}
    {%- if enable_thinking is defined and enable_thinking is false %}
        {{- '<think>\\n\\n</think>\\n\\n' }}
    {%- endif %}
{%- endif %}"""
BASE["fullwidth"] = (
    "{% if not add_generation_prompt is defined %}{% set add_generation_prompt = false %}{% endif %}"
    "{% set ns = namespace(is_first=false, is_tool=false, is_output_first=true, system_prompt='') %}"
    "{%- for message in messages %}{%- if message['role'] == 'system' %}"
    "{% set ns.system_prompt = message['content'] %}{%- endif %}{%- endfor %}{{bos_token}}{{ns.system_prompt}}"
    "{%- for message in messages %}{%- if message['role'] == 'user' %}{%- set ns.is_tool = false -%}"
    "{{'<｜User｜>' + message['content']}}{%- endif %}"
    "{%- if message['role'] == 'assistant' and message.tool_calls is defined %}{%- set ns.is_tool = false -%}"
    "{%- for tool in message['tool_calls']%}{%- if not ns.is_first %}"
    "{{'<｜Assistant｜><｜calls▁begin｜><｜call▁begin｜>' + tool['type'] + '<｜sep｜>' + tool['function']['name'] + '\\n' + '```json' + '\\n' + tool['function']['arguments'] | tojson + '\\n' + '```' + '<｜call▁end｜>'}}"
    "{%- set ns.is_first = true -%}{%- else %}{{'\\n' + tool['function']['name']}}{%- endif %}{%- endfor %}"
    "{{'<｜calls▁end｜>' + eos_token}}{%- elif message['role'] == 'assistant' %}"
    "{%- if ns.is_tool %}{{'<｜outputs▁end｜>' + message['content'] + eos_token}}{%- set ns.is_tool = false -%}"
    "{%- else %}{% set content = message['content'] %}{% if '</think>' in content %}{% set content = content.split('</think>')[-1] %}{% endif %}"
    "{{'<｜Assistant｜>' + content + eos_token}}{%- endif %}{%- endif %}"
    "{%- if message['role'] == 'tool' %}{%- set ns.is_tool = true -%}{%- if ns.is_output_first %}"
    "{{'<｜outputs▁begin｜><｜output▁begin｜>' + message['content'] + '<｜output▁end｜>'}}{%- set ns.is_output_first = false %}"
    "{%- else %}{{'\\n<｜output▁begin｜>' + message['content'] + '<｜output▁end｜>'}}{%- endif %}{%- endif %}{%- endfor -%}"
    "{% if ns.is_tool %}{{'<｜outputs▁end｜>'}}{% endif %}"
    "{% if add_generation_prompt and not ns.is_tool %}{{'<｜Assistant｜>'}}{% endif %}"
)
BASE["alpaca"] = """{% if messages[0]['role'] == 'system' %}{% set loop_messages = messages[1:] %}{% set system_message = messages[0]['content'] + '\\n\\n' %}{% else %}{% set loop_messages = messages %}{% set system_message = '' %}{% endif %}
{{ system_message }}
{%- for message in loop_messages %}
{% if message['role'] == 'user' %}
### Instruction:
{{ message['content'].strip() }}

{% elif message['role'] == 'assistant' %}
### Response:
{{ message['content'].strip() + eos_token }}

{% endif %}
{% endfor %}
{% if add_generation_prompt %}
### Response:
{% endif %}"""
BASE["vicuna"] = (
    "{% if messages|length > 0 and messages[0].role == 'system' %}{{ messages[0].content }}{% set start = 1 %}{% else %}"
    "{{ 'A chat between a curious user and an assistant.' }}{% set start = 0 %}{% endif %}"
    "{% for m in messages[start:] %}{{ ' ' }}{{ {'user': 'USER', 'assistant': 'ASSISTANT'}.get(m.role, m.role|upper) }}: "
    "{{ m.content }}{{ eos_token if m.role == 'assistant' }}{% endfor %}{% if add_generation_prompt %} ASSISTANT:{% endif %}"
)
BASE["roles_dict"] = """{%- set names = {'user': 'Human', 'assistant': 'AI', 'system': 'Note'} -%}
{%- for m in messages if m.role in names -%}
{{ names[m.role] }}: {{ m.content }}{{ '' if loop.last else '\\n---\\n' }}
{%- else -%}
(no messages)
{%- endfor -%}
{{ '\\nAI:' if add_generation_prompt }}"""
BASE["numbered"] = """{% for m in messages %}{{ '%02d' | format(loop.index) }}/{{ loop.length }} [{{ m.role | upper | center(11) }}] {{ m.content | replace('\\n', ' ') | truncate(20) }}
{% if not loop.last and m.role != loop.nextitem.role %}->{% endif %}
{% endfor %}{{ messages | map(attribute='role') | unique | sort | join(',') }}"""
BASE["recursive_parts"] = """{%- macro text(content) -%}
{%- if content is string -%}{{ content }}
{%- elif content is mapping -%}{{ content.text if content.type == 'text' else '<' ~ content.type ~ '>' }}
{%- elif content is sequence -%}{% for part in content %}{{ text(part) }}{% endfor %}
{%- endif -%}
{%- endmacro -%}
{% for m in messages %}
{% filter trim | indent(2, first=true) %}
{{ m.role }}: {{ text(m.content) }}
{% endfilter %}
;
{% endfor %}"""
BASE["call_blocks"] = """{%- macro wrap(role) -%}<{{ role }}>{{ caller(role | length) }}</{{ role }}>{%- endmacro -%}
{%- for m in messages -%}
{%- call(size) wrap(m.role) -%}{{ size }}|{{ m.content | e }}{%- endcall -%}
{%- endfor -%}
{%- with last = messages[-1] -%}{{ '\\nlast=' ~ last.role if last is defined }}{%- endwith -%}"""
BASE["json_log"] = """{% for m in messages %}
{{ {'i': loop.index, 'role': m.role, 'n': m.content | length, 'head': m.content[:5]} | tojson }}
{% endfor %}
{{ {'tools': tools, 'docs': documents, 'prompt': add_generation_prompt} | tojson(indent=2, sort_keys=true) }}"""
BASE["tool_schema"] = """{%- macro kind(s) -%}
{%- if s.enum is defined -%}{{ s.enum | map('tojson') | join(' | ') }}
{%- elif s.type == 'object' -%}{ {%- for k, v in s.properties | dictsort %} {{ k }}{{ '' if k in s.required | default([]) else '?' }}: {{ kind(v) }}{{ ',' if not loop.last }}{% endfor %} }
{%- elif s.type == 'array' -%}{{ kind(s['items']) }}[]
{%- else -%}{{ {'integer': 'number'}.get(s.type, s.type) }}{{ ' = ' ~ s.default | tojson if s.default is defined }}
{%- endif -%}
{%- endmacro -%}
{{ bos_token }}{% if tools %}
namespace functions {
{% for t in tools %}
{% set f = t.function %}
{{ '// ' ~ f.description if f.description }}
type {{ f.name }} = (_: {{ kind(f.parameters) }}) => any;
{% endfor %}
}
{% endif %}
{% for m in messages %}{{ m.role }}>{{ m.content }}{% if m.tool_calls %}{% for c in m.tool_calls %}{{ c.function.name }}({% for k, v in c.function.arguments.items() %}{{ k }}={{ v | tojson }}{{ ', ' if not loop.last }}{% endfor %}){% endfor %}{% endif %}
{% endfor %}"""
BASE["system_only_once"] = """{%- set found = namespace(system=false) -%}
{%- for m in messages -%}
  {%- if m['role'] == 'system' -%}
    {%- if found.system -%}{{ raise_exception('two system messages') }}{%- endif -%}
    {%- set found.system = true -%}
  {%- elif m['role'] not in ['user', 'assistant', 'tool'] -%}
    {{ raise_exception('unexpected role ' ~ m['role'] ~ ' at ' ~ loop.index) }}
  {%- endif -%}
  {{ '\\n' if not loop.first }}{{ m['role'].title() }}: {{ m['content'] if m['content'] else '(empty)' }}
{%- endfor -%}
{%- if not found.system %}{{ '\\nNo system' }}{% endif -%}"""
BASE["date_header"] = """{{ bos_token }}<|date|>{{ date_string if date_string is defined else strftime_now('%A, %-d %B %Y') }}
{% for m in messages %}
<|{{ m.role }}|>{{ m.content.strip() }}{{ eos_token if m.role == 'assistant' else '' }}
{% endfor %}"""
BASE["generation_plus"] = """{{ bos_token }}{% for m in messages %}{% if m.role == 'assistant' %}<a>{% generation %}{{ m.content ~ eos_token }}{% endgeneration %}</a>{% else %}<u>{{ m.content }}</u>{% endif %}{% endfor %}{% if add_generation_prompt %}<a>{% endif %}"""


def variants():
    """The base templates and changes to them that public templates show: other tags, other white
    space control, other line ends."""
    result = dict(BASE)
    for name in ("chatml", "chatml_lines", "headers", "turns", "pipes", "bracket_inst", "alpaca",
                 "tools_xml", "strict_alternation", "vicuna", "command", "fullwidth"):
        template = BASE[name]
        result[name + "/crlf"] = template.replace("\n", "\r\n")
        result[name + "/loose"] = template.replace("{%-", "{%").replace("-%}", "%}")
        result[name + "/attributes"] = template.replace("message['role']", "message.role").replace(
            "message['content']", "message.content"
        )
        result[name + "/plus"] = template.replace("{% if", "{%+ if").replace("{% endif %}", "{% endif +%}")
    return result


def shared():
    """What the cases refer to by name."""
    return {
        "special_tokens": TOKENS,
        "tools": TOOLS,
        "documents": DOCUMENTS,
        "conversations": CONVERSATIONS,
        "templates": variants(),
    }


def make():
    cases = []
    for name in variants():
        chosen = list(CONVERSATIONS) if "/" not in name else ["system", "pair", "tool"]
        for number, key in enumerate(chosen):
            case = {
                "name": f"{name} {key}",
                "template": name,
                "conversation": key,
                "add_generation_prompt": number % 2 == 0,
                "with_tools": key in ("tool", "system"),
                "with_documents": key in ("one", "tool"),
            }
            if key in ("long", "pair"):
                case["variables"] = {"date_string": "01 Jan 2025", "tools_in_user_message": False,
                                     "enable_thinking": False}
            cases.append(case)
    return cases
