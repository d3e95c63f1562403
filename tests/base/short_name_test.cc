#include "palimpsest/base/internal/short_name.h"

#include <gtest/gtest.h>

#include "tests/support/temp_folder.h"

namespace palimpsest {
namespace {

TEST(ShortNameTest, APathIsNoName) {
  EXPECT_EQ(short_name("/data/runs/unlearned"), "unlearned");
  EXPECT_EQ(short_name("/data/runs/unlearned/"), "unlearned");
  EXPECT_EQ(short_name("runs/unlearned/."), "unlearned");
  EXPECT_EQ(short_name("meta-llama/Llama-3.2-1B"), "Llama-3.2-1B");
  EXPECT_EQ(short_name("hub/models--EleutherAI--pythia-70m/snapshots/a39f3"), "pythia-70m");
  EXPECT_EQ(short_name("example-model"), "example-model");
  EXPECT_EQ(short_name(""), "");
  EXPECT_EQ(short_name("/"), "/");
  EXPECT_EQ(short_name("models--"), "models--");
}

TEST(ShortNameTest, AModelInTheHubsCacheIsNotCalledByItsRevision) {
  using Parts = std::vector<std::string>;
  EXPECT_EQ(model_path_parts("/hub/models--EleutherAI--pythia-70m/snapshots/a39f3"),
            (Parts{"hub", "snapshots", "a39f3", "EleutherAI", "pythia-70m"}));
  EXPECT_EQ(model_path_parts("/hub/models--gpt2/snapshots/a39f3/"),
            (Parts{"hub", "snapshots", "a39f3", "gpt2"}));
  EXPECT_EQ(model_path_parts("/data/runs/unlearned"), (Parts{"data", "runs", "unlearned"}));
  EXPECT_EQ(short_name("hub/models--gpt2/snapshots/a39f3"), "gpt2");
}

TEST(ShortNameTest, NamesThatWouldBeTheSameGetMoreParts) {
  using Names = std::vector<std::string>;
  const TempFolder folder;
  const auto model = [&](const std::string& path) {
    std::filesystem::create_directories(folder.path() / path);
    return (folder.path() / path).string();
  };
  const std::string first = model("hub/models--a--m/snapshots/1");
  EXPECT_EQ(display_names({first}, model_path_parts), Names{"m"});
  EXPECT_EQ(display_names({first, first, "", "org/m"}, model_path_parts),
            (Names{"m", "m", "", "org/m"}));
  EXPECT_EQ(display_names({first, model("hub/models--b--m/snapshots/1")}, model_path_parts),
            (Names{"a/m", "b/m"}));
  EXPECT_EQ(display_names({first, model("hub/models--a--m/snapshots/2")}, model_path_parts),
            (Names{"1/a/m", "2/a/m"}));
  EXPECT_EQ(display_names({model("runs/1/m"), model("runs/2/m")}, path_parts),
            (Names{"1/m", "2/m"}));
}

TEST(ShortNameTest, LastPartsAreTakenFromTheEnd) {
  const std::vector<std::string> parts = path_parts("/data/./runs//unlearned/");
  EXPECT_EQ(parts, (std::vector<std::string>{"data", "runs", "unlearned"}));
  EXPECT_EQ(last_parts(parts, 2), "runs/unlearned");
  EXPECT_EQ(last_parts(parts, 9), "data/runs/unlearned");
  EXPECT_EQ(last_parts({}, 1), "");
}

}  // namespace
}  // namespace palimpsest
