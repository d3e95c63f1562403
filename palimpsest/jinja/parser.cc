#include "palimpsest/jinja/internal/parser.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "palimpsest/jinja/internal/expression_parser.h"
#include "palimpsest/jinja/internal/symbols.h"

namespace palimpsest::jinja {
namespace {

using Words = std::vector<std::string_view>;

class StatementParser {
 public:
  explicit StatementParser(std::vector<Token> tokens) : in_(std::move(tokens)) {}

  Body parse_all() {
    Body body = parse_until({});
    if (in_.current().kind != TokenKind::kEnd) in_.fail_expected("the end of the template");
    return body;
  }

 private:
  static StatementPtr statement(StatementKind kind, int line) {
    return std::make_unique<Statement>(Statement{.kind = kind, .line = line});
  }

  // Statements up to a tag that opens with one of `ends`, whose name is then current.
  Body parse_until(const Words& ends) {
    if (++depth_ > kMaxStatementDepth) {
      fail_at(in_.current().line,
              fmt::format("blocks are nested more than {} deep", kMaxStatementDepth));
    }
    Body body;
    StatementPtr output;
    const auto flush = [&] {
      if (output != nullptr) body.push_back(std::move(output));
    };
    const auto add = [&](ExpressionPtr part) {
      if (output == nullptr) output = statement(StatementKind::kOutput, part->line);
      output->parts.push_back(std::move(part));
    };
    while (in_.current().kind != TokenKind::kEnd) {
      if (in_.current().kind == TokenKind::kData) {
        const Token data = in_.take();
        add(make_constant(make_string(data.text, nullptr), data.line));
      } else if (in_.current().kind == TokenKind::kVariableBegin) {
        in_.take();
        add(in_.parse_tuple({}));
        in_.expect(TokenKind::kVariableEnd, "'}}'");
      } else {
        flush();
        in_.expect(TokenKind::kBlockBegin, "a tag");
        const Token& name = in_.current();
        const auto is_end = [&](std::string_view end) { return name.is_name(end); };
        if (std::any_of(ends.begin(), ends.end(), is_end)) {
          --depth_;
          return body;
        }
        body.push_back(parse_statement(ends));
        in_.expect(TokenKind::kBlockEnd, "'%}'");
      }
    }
    flush();
    --depth_;
    return body;
  }

  // The rest of a tag, then the body up to one of `ends`.
  Body parse_body(const Words& ends) {
    in_.skip_operator(":");
    in_.expect(TokenKind::kBlockEnd, "'%}'");
    Body body = parse_until(ends);
    if (in_.current().kind == TokenKind::kEnd) {
      in_.fail_expected(fmt::format("{{% {} %}}", fmt::join(ends, " or ")));
    }
    return body;
  }

  Body parse_body_and_end(std::string_view end) {
    Body body = parse_body({end});
    in_.take();
    return body;
  }

  StatementPtr parse_statement(const Words& ends) {
    const Token tag = in_.current();
    if (tag.kind != TokenKind::kName) in_.fail_expected("the name of a tag");
    using Parse = StatementPtr (StatementParser::*)();
    constexpr std::pair<std::string_view, Parse> kTags[] = {
        {"if", &StatementParser::parse_if},
        {"for", &StatementParser::parse_for},
        {"set", &StatementParser::parse_set},
        {"macro", &StatementParser::parse_macro},
        {"call", &StatementParser::parse_call},
        {"filter", &StatementParser::parse_filter},
        {"with", &StatementParser::parse_with},
        {"print", &StatementParser::parse_print},
        {"generation", &StatementParser::parse_generation},
        {"break", &StatementParser::parse_break},
        {"continue", &StatementParser::parse_break},
    };
    for (const auto& [name, parse] : kTags) {
      if (tag.text == name) return (this->*parse)();
    }
    constexpr std::string_view kRefused[] = {"autoescape", "block",  "extends",
                                             "from",       "import", "include"};
    for (const std::string_view name : kRefused) {
      if (tag.text == name) {
        fail_at(tag.line, fmt::format("the tag '{}' is not supported", name),
                "a chat template cannot use other templates");
      }
    }
    fail_at(tag.line, fmt::format("unknown tag '{}'", tag.text),
            ends.empty() ? "" : fmt::format("{{% {} %}} is still open", fmt::join(ends, " or ")));
  }

  StatementPtr parse_if() {
    StatementPtr result = statement(StatementKind::kIf, in_.take().line);
    Statement* branch = result.get();
    while (true) {
      branch->value = in_.parse_tuple({.with_conditional = false});
      branch->body = parse_body({"elif", "else", "endif"});
      const Token word = in_.take();
      if (word.text == "elif") {
        result->elifs.push_back(statement(StatementKind::kIf, word.line));
        branch = result->elifs.back().get();
        continue;
      }
      if (word.text == "else") result->else_body = parse_body_and_end("endif");
      return result;
    }
  }

  StatementPtr parse_for() {
    StatementPtr result = statement(StatementKind::kFor, in_.take().line);
    result->target = in_.parse_target(false, "in");
    in_.expect_name("in");
    result->value = in_.parse_tuple({.with_conditional = false, .end_word = "recursive"});
    if (in_.skip_name("if")) result->test = in_.parse_expression();
    result->recursive = in_.skip_name("recursive");
    result->body = parse_body({"endfor", "else"});
    if (in_.take().text == "else") result->else_body = parse_body_and_end("endfor");
    return result;
  }

  StatementPtr parse_set() {
    StatementPtr result = statement(StatementKind::kSet, in_.take().line);
    result->target = in_.parse_target(true, {});
    if (in_.skip_operator("=")) {
      result->value = in_.parse_tuple({});
      return result;
    }
    result->kind = StatementKind::kSetBlock;
    result->value = in_.parse_filters(nullptr, false);
    result->body = parse_body_and_end("endset");
    return result;
  }

  void parse_signature(Statement& macro) {
    std::set<std::string> names;
    in_.expect_operator("(");
    while (!in_.current().is_operator(")")) {
      if (!macro.parameters.empty()) in_.expect_operator(",");
      ExpressionPtr parameter = in_.parse_name_target();
      if (!names.insert(parameter->name).second) {
        fail_at(parameter->line, fmt::format("the parameter '{}' occurs twice", parameter->name));
      }
      if (in_.skip_operator("=")) {
        macro.defaults.push_back(in_.parse_expression());
      } else if (!macro.defaults.empty()) {
        fail_at(parameter->line, "a parameter without a default follows one with a default");
      }
      macro.parameters.push_back(std::move(parameter));
    }
    in_.expect_operator(")");
  }

  StatementPtr parse_macro() {
    StatementPtr result = statement(StatementKind::kMacro, in_.take().line);
    result->name = in_.parse_name_target()->name;
    parse_signature(*result);
    result->body = parse_body_and_end("endmacro");
    return result;
  }

  StatementPtr parse_call() {
    StatementPtr result = statement(StatementKind::kCallBlock, in_.take().line);
    if (in_.current().is_operator("(")) parse_signature(*result);
    result->value = in_.parse_expression();
    if (result->value->kind != ExpressionKind::kCall) fail_at(result->line, "a call is expected");
    result->body = parse_body_and_end("endcall");
    return result;
  }

  StatementPtr parse_filter() {
    StatementPtr result = statement(StatementKind::kFilterBlock, in_.take().line);
    result->value = in_.parse_filters(nullptr, true);
    result->body = parse_body_and_end("endfilter");
    return result;
  }

  StatementPtr parse_with() {
    StatementPtr result = statement(StatementKind::kWith, in_.take().line);
    while (in_.current().kind != TokenKind::kBlockEnd) {
      if (!result->parameters.empty()) in_.expect_operator(",");
      result->parameters.push_back(in_.parse_target(false, {}));
      in_.expect_operator("=");
      result->defaults.push_back(in_.parse_expression());
    }
    result->body = parse_body_and_end("endwith");
    return result;
  }

  StatementPtr parse_print() {
    StatementPtr result = statement(StatementKind::kOutput, in_.take().line);
    while (in_.current().kind != TokenKind::kBlockEnd) {
      if (!result->parts.empty()) in_.expect_operator(",");
      result->parts.push_back(in_.parse_expression());
    }
    return result;
  }

  StatementPtr parse_generation() {
    StatementPtr result = statement(StatementKind::kGeneration, in_.take().line);
    result->body = parse_body_and_end("endgeneration");
    return result;
  }

  StatementPtr parse_break() {
    const Token word = in_.take();
    return statement(word.text == "break" ? StatementKind::kBreak : StatementKind::kContinue,
                     word.line);
  }

  ExpressionParser in_;
  int depth_ = 0;
};

}  // namespace

Program parse_template(std::string_view source) {
  Program program;
  program.body = StatementParser(tokenize(source)).parse_all();
  resolve_names(program);
  return program;
}

}  // namespace palimpsest::jinja
