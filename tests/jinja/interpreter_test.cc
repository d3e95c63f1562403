// What a hostile template may not do: run, grow or recurse without end.
#include "palimpsest/jinja/internal/interpreter.h"

#include <gtest/gtest.h>

#include <string>

#include "palimpsest/jinja/internal/parser.h"
#include "palimpsest/jinja/internal/repr.h"

namespace palimpsest::jinja {
namespace {

std::string run(const std::string& text, const ChatLimits& limits = {}) {
  const Program program = parse_template(text);
  Runtime runtime(limits);
  const std::map<std::string, Value> variables;
  return Interpreter(program, runtime, variables).run();
}

std::string failure(const std::string& text, const ChatLimits& limits = {}) {
  try {
    return "no error: " + run(text, limits).substr(0, 100);
  } catch (const Error& error) {
    return error.what();
  }
}

constexpr ChatLimits kSmall = {.max_steps = 200'000, .max_bytes = 4 << 20};

TEST(TemplateInterpreterTest, StopsLoopsThatTakeTooManySteps) {
  const std::string loops =
      "{% for a in range(10000) %}{% for b in range(10000) %}{% endfor %}{% endfor %}";
  EXPECT_NE(failure(loops, kSmall).find("stopped after 200000 steps"), std::string::npos);
  EXPECT_EQ(failure("{% for a in range(1000) %}{% endfor %}", kSmall), "no error: ");
}

TEST(TemplateInterpreterTest, StopsWhatGrowsTooLarge) {
  for (const std::string text : {
           "{{ 'a' * 10 ** 9 }}",
           "{{ 'a' * 10 ** 18 }}",
           "{{ [0] * 10 ** 9 }}",
           "{{ (1, 2) * 10 ** 18 }}",
           "{{ 'x'.center(10 ** 9) }}",
           "{{ 'x'.zfill(10 ** 12) }}",
           "{{ 'x'|center(10 ** 12) }}",
           "{{ 'x'|indent(10 ** 12, true) }}",
           "{{ [1]|tojson(indent=10 ** 12) }}",
           "{{ [1]|batch(10 ** 12, 0)|list }}",
           "{{ [1]|slice(10 ** 12)|list }}",
           "{% set ns = namespace(s='ab') %}{% for i in range(99) %}"
           "{% set ns.s = ns.s.replace('', ns.s) %}{% endfor %}",
           "{% set ns = namespace(s='ab') %}{% for i in range(99) %}"
           "{% set ns.s = ns.s ~ ns.s %}{% endfor %}",
           "{% set ns = namespace(s=[1]) %}{% for i in range(99) %}"
           "{% set ns.s = ns.s + ns.s %}{% endfor %}",
           "{% set ns = namespace(s='a') %}{% for i in range(99) %}"
           "{% set ns.s = ns.s.join([ns.s, ns.s, ns.s]) %}{% endfor %}",
           "{% for i in range(99999) %}{{ '%1000d' % i }}{% endfor %}",
       }) {
    const std::string message = failure(text, {.max_steps = 20'000'000, .max_bytes = 4 << 20});
    EXPECT_NE(message.find("needs more than 4 MiB"), std::string::npos) << text << "\n" << message;
  }
}

TEST(TemplateInterpreterTest, StopsValuesThatAreLargerThanTheirMemory) {
  // Lists that hold the same list twice double with every round but take no room.
  const std::string doubled =
      "{% set ns = namespace(a=[1]) %}{% for i in range(60) %}{% set ns.a = [ns.a, ns.a] %}{% "
      "endfor %}";
  for (const std::string use : {"{{ ns.a }}", "{{ ns.a|tojson }}", "{{ ns.a|string|length }}"}) {
    EXPECT_NE(failure(doubled + use, kSmall).find("stopped"), std::string::npos) << use;
  }
  const std::string tuples =
      "{% set ns = namespace(a=(1,)) %}{% for i in range(60) %}{% set ns.a = (ns.a, ns.a) %}{% "
      "endfor %}"
      "{{ {ns.a: 1} }}";
  EXPECT_NE(failure(tuples, kSmall).find("stopped"), std::string::npos);
}

TEST(TemplateInterpreterTest, StopsNestingThatIsTooDeep) {
  EXPECT_NE(failure("{% set ns = namespace(a=[]) %}{% for i in range(9999) %}"
                    "{% set ns.a = [ns.a] %}{% endfor %}")
                .find("nested more than 200 deep"),
            std::string::npos);
  EXPECT_NE(failure("{% set ns = namespace(a=[1]) %}{% for i in range(9999) %}"
                    "{% set ns.a = ns.a|map('string') %}{% endfor %}")
                .find("nested more than 200 deep"),
            std::string::npos);
  EXPECT_NE(failure("{% set ns = namespace(a=1) %}{% for i in range(9999) %}"
                    "{% set ns.a = namespace(b=ns.a) %}{% endfor %}{{ ns }}")
                .find("too deep"),
            std::string::npos);
}

TEST(TemplateInterpreterTest, StopsCallsWithoutEnd) {
  EXPECT_NE(failure("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}").find("too deep"),
            std::string::npos);
  EXPECT_NE(failure("{% for i in [1] recursive %}{{ loop([1]) }}{% endfor %}").find("too deep"),
            std::string::npos);
  EXPECT_NE(
      failure("{% macro m(n) %}{% if n %}{% if n %}{% if n %}{% if n %}{% if n %}{% if n %}"
              "{{ ((((((((m(n)))))))))|string|upper ~ '' }}"
              "{% endif %}{% endif %}{% endif %}{% endif %}{% endif %}{% endif %}{% endmacro %}"
              "{{ m(1) }}")
          .find("too deep"),
      std::string::npos);
  EXPECT_EQ(failure("{% macro m(n) %}{{ n }}{% if n > 0 %}{{ m(n - 1) }}{% endif %}{% endmacro %}"
                    "{{ m(150)|length > 0 }}"),
            "no error: True");
}

TEST(TemplateInterpreterTest, FreesValuesThatHoldEachOther) {
  // Under the address sanitizer a circle that is not broken is a leak.
  EXPECT_EQ(run("{% set a = namespace() %}{% set b = namespace(a=a) %}{% set a.b = b %}"
                "{{ a.b.a.b is defined }}"),
            "True");
  EXPECT_EQ(
      run("{% macro m() %}{% macro i() %}x{% endmacro %}{% set t = [i, m] %}{{ i() }}{% endmacro %}"
          "{% set ns = namespace(m=m) %}{{ ns.m() }}"),
      "x");
  EXPECT_EQ(run("{% set ns = namespace() %}{% for i in [1, 2] %}{% set ns.l = [loop] %}"
                "{{ loop.changed([ns, loop]) }}{% endfor %}"),
            "TrueFalse");
}

TEST(TemplateInterpreterTest, AMacroOutlivesTheCallThatMadeIt) {
  EXPECT_EQ(
      run("{% set ns = namespace() %}{% macro make(x) %}{% macro m() %}<{{ x }}>{% endmacro %}"
          "{% set ns.m = m %}{% endmacro %}{{ make(1) }}{{ ns.m() }}"),
      "<1>");
}

TEST(TemplateInterpreterTest, KnowsTheLineOfAFailure) {
  const Program program = parse_template("a\n{{ 1 }}\n{{ [1,\n 2 / 0] }}");
  Runtime runtime({});
  const std::map<std::string, Value> variables;
  Interpreter interpreter(program, runtime, variables);
  EXPECT_THROW(interpreter.run(), Error);
  EXPECT_EQ(interpreter.line(), 4);
}

}  // namespace
}  // namespace palimpsest::jinja
