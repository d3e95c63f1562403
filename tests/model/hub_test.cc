#include "palimpsest/model/hub.h"

#include <gtest/gtest.h>

#include "palimpsest/base/internal/file.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace palimpsest::model {
namespace {

const std::string kCommit(40, 'a');
const std::string kOther = "0123456789abcdef0123456789abcdef01234567";

// A cache that holds org/name with the branch main at kCommit.
class Cache {
 public:
  Cache() {
    ref("main", kCommit);
    write_file(snapshot(kCommit) / "config.json", "{}");
  }

  std::filesystem::path repository() const { return folder.path() / "models--org--name"; }
  std::filesystem::path snapshot(const std::string& commit) const {
    std::filesystem::path path = repository() / "snapshots" / commit;
    make_folder(path);
    return path;
  }
  void ref(const std::string& name, const std::string& content) const {
    const std::filesystem::path path = repository() / "refs" / name;
    make_folder(path.parent_path());
    write_file(path, content);
  }

  std::filesystem::path find(const std::string& model) const {
    return find_model(model, {.hf_hub_cache = folder.path().string()});
  }
  std::string failure(const std::string& model) const {
    return error_of([&] { find(model); });
  }

  TempFolder folder;
};

TEST(HubCacheTest, FollowsTheEnvironment) {
  HubEnvironment environment = {
      .hf_hub_cache = "/cache", .hf_home = "/hf", .xdg_cache_home = "/xdg", .home = "/home/user"};
  EXPECT_EQ(hub_cache(environment), "/cache");
  environment.hf_hub_cache = "";  // an empty variable counts as none
  EXPECT_EQ(hub_cache(environment), "/hf/hub");
  environment.hf_home = "~/hf";
  EXPECT_EQ(hub_cache(environment), "/home/user/hf/hub");
  environment.hf_home.reset();
  EXPECT_EQ(hub_cache(environment), "/xdg/huggingface/hub");
  environment.xdg_cache_home.reset();
  EXPECT_EQ(hub_cache(environment), "/home/user/.cache/huggingface/hub");
  environment.home.reset();
  expect_contains(error_of([&] { hub_cache(environment); }),
                  "the place of the Hugging Face cache is unknown; set HF_HOME");
}

TEST(FindModelTest, ALocalFolderComesFirstAndNeedsNoCache) {
  TempFolder folder;
  EXPECT_EQ(find_model(folder.path().string(), {}), folder.path());
  const std::string file = folder.write("model.safetensors", "").string();
  expect_contains(error_of([&] { find_model(file, {}); }),
                  file + ": this is a file, not a folder; give the folder");
}

TEST(FindModelTest, FindsTheMainBranch) {
  const Cache cache;
  EXPECT_EQ(cache.find("org/name"), cache.snapshot(kCommit));
  cache.ref("main", kCommit + "\n");
  EXPECT_EQ(cache.find("org/name@main"), cache.snapshot(kCommit));
}

TEST(FindModelTest, FindsIdsWithoutOrganisation) {
  const Cache cache;
  std::filesystem::rename(cache.repository(), cache.folder.path() / "models--gpt2");
  EXPECT_EQ(cache.find("gpt2"), cache.folder.path() / "models--gpt2" / "snapshots" / kCommit);
}

TEST(FindModelTest, FindsBranchesCommitsAndPullRequests) {
  const Cache cache;
  write_file(cache.snapshot(kOther) / "adapter_config.json", "{}");
  cache.ref("dev", kOther);
  cache.ref("refs/pr/1", kOther);
  EXPECT_EQ(cache.find("org/name@dev"), cache.snapshot(kOther));
  EXPECT_EQ(cache.find("org/name@refs/pr/1"), cache.snapshot(kOther));
  EXPECT_EQ(cache.find("org/name@" + kOther), cache.snapshot(kOther));
}

TEST(FindModelTest, AnAbsentModelGivesTheCommandThatDownloadsIt) {
  const Cache cache;
  EXPECT_EQ(cache.failure("org/absent"),
            "org/absent: there is no such folder, and the Hugging Face cache " +
                cache.folder.path().string() +
                " does not hold such a model; download it with: huggingface-cli download "
                "org/absent");
  expect_contains(cache.failure("org/absent@v1"),
                  "huggingface-cli download org/absent --revision v1");
}

TEST(FindModelTest, AnAbsentRevisionSaysWhichAreThere) {
  const Cache cache;
  EXPECT_EQ(cache.failure("org/name@dev"),
            cache.repository().string() +
                ": the cache does not hold the revision dev of this model (found " + kCommit +
                "); download it with: huggingface-cli download org/name --revision dev, or ask "
                "for org/name@" +
                kCommit);
  expect_contains(cache.failure("org/name@" + kOther), "does not hold the revision " + kOther);
  expect_contains(cache.failure("org/name@refs"), "does not hold the revision refs");
  std::filesystem::remove_all(cache.repository() / "snapshots");
  expect_contains(cache.failure("org/name"),
                  "the revision main of this model (found no revision); download it with: "
                  "huggingface-cli download org/name");
}

TEST(FindModelTest, AnIncompleteSnapshotIsSaidSo) {
  const Cache cache;
  std::filesystem::remove(cache.snapshot(kCommit) / "config.json");
  EXPECT_EQ(cache.failure("org/name"),
            cache.snapshot(kCommit).string() +
                ": the cache holds this model only in part: there is no config.json; download the "
                "rest with: huggingface-cli download org/name");
}

TEST(FindModelTest, ARefThatIsNoCommitIsRefused) {
  const Cache cache;
  make_folder(cache.folder.path() / "models--org--name" / "elsewhere");
  for (const std::string& content :
       {std::string("../elsewhere"), std::string(), std::string(39, 'a'), std::string(1000, 'a'),
        kCommit + "/..", std::string(40, 'G')}) {
    cache.ref("main", content);
    EXPECT_EQ(cache.failure("org/name"),
              (cache.repository() / "refs" / "main").string() +
                  ": this file of the cache does not hold a commit hash; delete it, then: "
                  "huggingface-cli download org/name");
  }
}

TEST(FindModelTest, WhatIsNoIdIsNeverLookedUp) {
  const Cache cache;
  for (const char* model : {"", "../none", "org/..", "a/b/c", "/none", "./none", "org/name@",
                            "org/name@../x", "org/name@a//b", "org/na me", "org--x/name", "-x",
                            "org/", "org/name@-x", "a\\b", "org/na\nme"}) {
    expect_contains(cache.failure(model), "there is no such folder; give the folder of a");
  }
}

}  // namespace
}  // namespace palimpsest::model
