// SPDX-License-Identifier: BSD-3-Clause
// Networks to files and back, and model files that are not what they claim.
#include "gckn/model_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "gckn/datasets.h"
#include "gckn/error.h"
#include "gckn/io.h"
#include "io/safetensors.h"
#include "support/files.h"
#include "util/random.h"

namespace gckn {
namespace {

// A small network with two layers, edge labels, labels and attributes: everything a file can hold.
Network make_network() {
  NetworkConfig config;
  config.features = Features::labels_and_attributes;
  config.edge_labels = EdgeLabels::used;
  config.concat_layers = true;
  config.global_pooling = Pooling::max;
  LayerConfig first;
  first.path_length = 2;
  first.filters = 3;
  first.sigma = 0.1 + 0.2;  // not a short decimal
  first.pooling = Pooling::sum;
  LayerConfig second;
  second.path_length = 0;
  second.filters = 2;
  second.pooling = Pooling::gmp;
  second.all_lengths = false;
  second.regularisation = Regularisation::gram;
  second.path_scaling = PathScaling::sum;
  second.eps = 0.5;
  second.gmp_lambda = 2;
  config.layers = {first, second};

  InputEncoding input;
  input.features = Features::labels_and_attributes;
  input.labels = {-3, 7};
  input.mean = {1.0 / 3};
  input.scale = {2.5};
  input.uses_edge_labels = true;
  input.edge_labels = {0, 1, 5, 9};
  const std::size_t width = input.dimension();

  std::vector<BasicLayer<float>> layers(2);
  layers[0] = {first, width, 4, std::vector<float>(3 * 3 * width), std::vector<float>(2 * 3 * 4)};
  layers[1] = {second, 3, 0, std::vector<float>(1 * 2 * 3), {}};
  float value = 0;
  for (BasicLayer<float>& layer : layers) {  // no anchor is longer than 1
    for (float& anchor : layer.anchors) anchor = 0.5F * std::sin(value += 1);
    for (float& anchor : layer.edge_anchors) anchor = 0.5F * std::sin(value += 1);
  }
  return {config, input, layers};
}

TEST(ModelFile, RoundTripKeepsEverything) {
  const test::TempDir folder;
  const Network network = make_network();
  const std::filesystem::path path = folder / "round_trip.gckn";
  save_network(network, path);
  const Network loaded = load_network(path);
  EXPECT_EQ(loaded.config(), network.config());
  EXPECT_EQ(loaded.input(), network.input());
  ASSERT_EQ(loaded.layers().size(), 2U);
  for (std::size_t j = 0; j < 2; ++j) {
    EXPECT_EQ(loaded.layers()[j].config, network.layers()[j].config);
    EXPECT_EQ(loaded.layers()[j].input_width, network.layers()[j].input_width);
    EXPECT_EQ(loaded.layers()[j].edge_width, network.layers()[j].edge_width);
    EXPECT_EQ(loaded.layers()[j].anchors, network.layers()[j].anchors);
    EXPECT_EQ(loaded.layers()[j].edge_anchors, network.layers()[j].edge_anchors);
  }
}

TEST(ModelFile, SameNetworkSameBytes) {
  const test::TempDir folder;
  const std::filesystem::path once = folder / "once.gckn";
  const std::filesystem::path twice = folder / "twice.gckn";
  save_network(make_network(), once);
  save_network(load_network(once), twice);
  EXPECT_FALSE(test::read_text(once).empty());
  EXPECT_EQ(test::read_text(once), test::read_text(twice));
}

// What is pickled is what a file holds.
TEST(ModelFile, BytesAreThoseOfTheFile) {
  const test::TempDir folder;
  const Network network = make_network();
  save_network(network, folder / "network.gckn");
  const std::string bytes = network_bytes(network);
  EXPECT_EQ(bytes, test::read_text(folder / "network.gckn"));
  EXPECT_EQ(network_bytes(network_from_bytes(bytes)), bytes);
  test::expect_input_error([&] { (void)network_from_bytes(bytes.substr(0, bytes.size() - 1), "cut"); }, {"cut: "});
  test::expect_input_error([&] { (void)model_from_bytes(bytes); }, {"model: "});
}

TEST(ModelFile, FittedNetworkEmbedsTheSameAfterLoading) {
  const test::TempDir folder;
  const GraphSet graphs = make_motif_set({.graphs = 20, .nodes = 10});
  const Network network = fit_network(graphs, subtree({.path_length = 2, .filters = 8}));
  const std::filesystem::path path = folder / "fitted.gckn";
  save_network(network, path);
  const Network loaded = load_network(path);
  const Matrix expected = network.embed(graphs);
  const Matrix vectors = loaded.embed(graphs);
  ASSERT_EQ(vectors.rows(), expected.rows());
  ASSERT_EQ(vectors.cols(), expected.cols());
  EXPECT_TRUE(std::ranges::equal(vectors.values(), expected.values()));
}

TEST(ModelFile, TensorsAndFormatAreWhatTheDocumentationSays) {
  const test::TempDir folder;
  const std::filesystem::path path = folder / "layout.gckn";
  save_network(make_network(), path);
  const Safetensors file = Safetensors::read(path);
  EXPECT_EQ(file.tensors().at("layer.0.anchors").shape, (std::vector<std::uint64_t>{3, 3, 3}));
  EXPECT_EQ(file.tensors().at("layer.0.edge_anchors").shape, (std::vector<std::uint64_t>{2, 3, 4}));
  EXPECT_EQ(file.tensors().at("layer.1.anchors").shape, (std::vector<std::uint64_t>{1, 2, 3}));
  EXPECT_EQ(file.tensors().size(), 3U);
  const nlohmann::json config = nlohmann::json::parse(file.metadata().at("config"));
  EXPECT_EQ(config.at("format"), 2);
  EXPECT_EQ(config.at("input").at("features"), "labels+attributes");
  EXPECT_EQ(config.at("layers").at(0).at("filters"), 3);
}

// A saved network whose configuration or tensors were tampered with.
class TamperedModel : public testing::Test {
 protected:
  void SetUp() override {
    const std::filesystem::path path = folder / "honest.gckn";
    save_network(make_network(), path);
    const Safetensors file = Safetensors::read(path);
    config = nlohmann::ordered_json::parse(file.metadata().at("config"));
    for (const auto& [name, tensor] : file.tensors()) {
      shapes[name] = tensor.shape;
      values[name] = float_values(tensor);
    }
  }

  // The error of loading what is in the members now.
  std::string complaint() {
    const std::filesystem::path path = folder / "tampered.gckn";
    std::map<std::string, TensorView> tensors;
    for (const auto& [name, shape] : shapes) tensors[name] = view_tensor(values[name], shape);
    write_safetensors(path, {{"config", config.dump()}}, tensors);
    try {
      (void)load_network(path);
    } catch (const InputError& error) {
      EXPECT_EQ(std::string(error.what()).rfind(path.string(), 0), 0U) << error.what();
      return error.what();
    }
    return "accepted";
  }

  test::TempDir folder;
  nlohmann::ordered_json config;
  std::map<std::string, std::vector<std::uint64_t>> shapes;
  std::map<std::string, std::vector<float>> values;
};

#define EXPECT_COMPLAINT(part)                                                                                     \
  EXPECT_PRED2(                                                                                                    \
      [](const std::string& message, const std::string& text) { return message.find(text) != std::string::npos; }, \
      complaint(), part)

TEST_F(TamperedModel, HonestIsAccepted) {
  EXPECT_EQ(complaint(), "accepted");
}

TEST_F(TamperedModel, NewerFormat) {
  config["format"] = 3;
  config["something_new"] = true;
  EXPECT_COMPLAINT("format 3");
}

TEST_F(TamperedModel, NoFormat) {
  config.erase("format");
  EXPECT_COMPLAINT("format");
}

TEST_F(TamperedModel, FiltersThatAreNotTheTensors) {
  config["layers"][0]["filters"] = 4;
  EXPECT_COMPLAINT("layer.0.anchors");
}

TEST_F(TamperedModel, HugeFilters) {
  config["layers"][1]["filters"] = std::numeric_limits<int>::max();
  EXPECT_COMPLAINT("filters");
}

TEST_F(TamperedModel, NoFilters) {
  config["layers"][1]["filters"] = 0;
  EXPECT_COMPLAINT("filters");
}

TEST_F(TamperedModel, FiltersThatEmptyTensorsDoNotProve) {
  // A Gram matrix of these sizes would be large, and the file is small.
  config["input"] = {{"features", "labels"}, {"labels", nlohmann::json::array()}};
  config["layers"] = {{{"path_length", 0}, {"filters", 16'000}}};
  shapes = {{"layer.0.anchors", {1, 16'000, 0}}};
  values.clear();
  EXPECT_COMPLAINT("no input");
}

TEST_F(TamperedModel, PathLengthThatIsNotTheTensors) {
  config["layers"][0]["path_length"] = 1;
  EXPECT_COMPLAINT("shape");
}

TEST_F(TamperedModel, PathLengthOutOfRange) {
  config["layers"][0]["path_length"] = std::numeric_limits<int>::max();
  EXPECT_COMPLAINT("path length");
}

TEST_F(TamperedModel, PathLengthNegative) {
  config["layers"][0]["path_length"] = -1;
  EXPECT_COMPLAINT("path length");
}

TEST_F(TamperedModel, MissingTensor) {
  shapes.erase("layer.1.anchors");
  EXPECT_COMPLAINT("layer.1.anchors\" is missing");
}

TEST_F(TamperedModel, MissingEdgeTensor) {
  shapes.erase("layer.0.edge_anchors");
  EXPECT_COMPLAINT("layer.0.edge_anchors\" is missing");
}

TEST_F(TamperedModel, ValuesThatAreNotFinite) {
  for (const float value : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    values["layer.0.anchors"][5] = value;
    EXPECT_COMPLAINT("not finite");
  }
}

TEST_F(TamperedModel, AnchorsThatAreNoUnitVectors) {
  for (const float value : {1.01F, -1.01F, 1e30F, -3e38F}) {
    const auto whole = values;
    values["layer.0.anchors"][5] = value;
    EXPECT_COMPLAINT("\"layer.0.anchors\" has an anchor of length");
    values = whole;
    values["layer.0.edge_anchors"][7] = value;
    EXPECT_COMPLAINT("\"layer.0.edge_anchors\" has an anchor of length");
    values = whole;
  }
}

TEST_F(TamperedModel, LabelsOutOfOrder) {
  config["input"]["labels"] = {7, 7};
  EXPECT_COMPLAINT("ascending");
}

TEST_F(TamperedModel, NamesThatAreNotThoseOfTheLabels) {
  config["input"]["label_names"] = {"C"};
  EXPECT_COMPLAINT("\"input.label_names\" has 1 names for 2 labels");
  config["input"]["label_names"] = {"C", "C"};
  EXPECT_COMPLAINT("\"input.label_names\" has a name twice");
  config["input"]["label_names"] = {"C", 8};
  EXPECT_COMPLAINT("\"input.label_names\" is 8, where a text belongs");
}

TEST_F(TamperedModel, RecordsOfTheWrongShape) {
  config["fitted"] = {{"data", 7}};
  EXPECT_COMPLAINT("what it says under \"fitted\" is wrong");
}

TEST_F(TamperedModel, ScaleOfZero) {
  config["input"]["scale"] = {0};
  EXPECT_COMPLAINT("scale");
}

TEST_F(TamperedModel, MeanAndScaleOfDifferentLength) {
  config["input"]["mean"] = {0, 1};
  EXPECT_COMPLAINT("columns");
}

TEST_F(TamperedModel, NoLayers) {
  config["layers"] = nlohmann::json::array();
  EXPECT_COMPLAINT("layer");
}

TEST_F(TamperedModel, UnknownKey) {
  config["layers"][0]["sigmas"] = 3;
  EXPECT_COMPLAINT("layers[0].sigmas");
}

TEST_F(TamperedModel, FeaturesNotFitted) {
  config["input"]["features"] = "auto";
  EXPECT_COMPLAINT("features");
}

TEST(ModelFile, FilesThatAreNoModels) {
  const test::TempDir folder;
  EXPECT_THROW(load_network(folder / "missing.gckn"), InputError);
  EXPECT_THROW(load_network(folder.path()), InputError);
  const std::filesystem::path path = folder / "no_config.gckn";
  write_safetensors(path, {}, {});
  EXPECT_THROW(load_network(path), InputError);
}

TEST(ModelFile, SurvivesDamage) {
  const test::TempDir folder;
  save_network(make_network(), folder / "whole.gckn");
  const std::string whole = test::read_text(folder / "whole.gckn");
  Random random(1);
  int refused = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string damaged = whole;
    // Mostly in the header, where the meaning is; often a digit for a digit, which keeps the JSON intact.
    for (std::uint64_t changes = 1 + random.below(3); changes > 0; --changes) {
      char& byte = damaged[random.below(random.below(4) == 0 ? damaged.size() : damaged.size() - 160)];
      byte = static_cast<char>(byte >= '0' && byte <= '9' ? '0' + random.below(10) : random.below(256));
    }
    if (random.below(8) == 0) damaged.resize(random.below(damaged.size()));
    const std::filesystem::path path = folder.write("damaged.gckn", damaged);
    try {
      (void)load_network(path);
    } catch (const InputError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 1500);
}

TEST(ModelFile, SavingIntoAMissingFolderFails) {
  const test::TempDir folder;
  EXPECT_THROW(save_network(make_network(), folder / "no_such_folder/x.gckn"), std::exception);
}

TEST(ConfigJson, RoundTrip) {
  NetworkConfig config = three_layer({.path_length = 5, .filters = 32, .sigma = 0.7, .all_lengths = false});
  config.features = Features::degree;
  config.edge_labels = EdgeLabels::used;
  config.concat_layers = true;
  config.unit_attributes = false;
  config.global_pooling = Pooling::mean;
  EXPECT_EQ(network_config_from_json(to_json(config)), config);
}

TEST(ConfigJson, AbsentKeysTakeTheDefaults) {
  NetworkConfig expected;
  expected.layers.resize(2);
  expected.layers[0].path_length = 4;
  EXPECT_EQ(network_config_from_json(R"({"layers": [{"path_length": 4}, {}]})"), expected);
}

TEST(ConfigJson, ModelConfigurationsCanBeFittedAnew) {
  const test::TempDir folder;
  const std::filesystem::path path = folder / "as_config.gckn";
  save_network(make_network(), path);
  const NetworkConfig config = network_config_from_json(Safetensors::read(path).metadata().at("config"));
  EXPECT_EQ(config, make_network().config());
}

std::string config_complaint(const std::string& json) {
  try {
    (void)network_config_from_json(json);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(ConfigJson, ErrorsNameTheKeyAndTheValue) {
  const auto expect = [](const std::string& json, const std::vector<std::string>& parts) {
    const std::string message = config_complaint(json);
    for (const std::string& part : parts) EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  expect("nonsense", {"not JSON"});
  expect("[]", {"JSON object"});
  expect("{}", {"layers"});
  expect(R"({"layers": {}})", {"layers", "list"});
  expect(R"({"layers": [7]})", {"layers[0]", "7"});
  expect(R"({"layers": [{}], "pool": 1})", {"\"pool\"", "not known"});
  expect(R"({"layers": [{"kind": "path", "lenght": 3}]})", {"layers[0].lenght", "not known"});
  expect(R"({"layers": [{"sigma": "wide"}]})", {"layers[0].sigma", "wide", "a number"});
  expect(R"({"layers": [{"path_length": 2.5}]})", {"layers[0].path_length", "2.5"});
  expect(R"({"layers": [{"filters": 99999999999}]})", {"layers[0].filters", "99999999999"});
  expect(R"({"layers": [{"filters": 18446744073709551615}]})", {"layers[0].filters", "18446744073709551615"});
  expect(R"({"layers": [{"all_lengths": 1}]})", {"layers[0].all_lengths", "true or false"});
  expect(R"({"layers": [{"pooling": "median"}]})", {"layers[0].pooling", "median"});
  expect(R"({"layers": [{"pooling": 3}]})", {"layers[0].pooling", "3"});
  expect(R"({"layers": [{}], "layers": [{}]})", {"layers", "twice"});
  expect(R"({"layers": [{}], "input": {"edge_labels": "yes"}})", {"input.edge_labels", "yes"});
  expect(R"({"layers": [{}], "input": {"feature": "labels"}})", {"input.feature"});
  expect(R"({"layers": [{}], "format": 9})", {"format 9"});
  expect(R"({"layers": [{"sigma": -1}]})", {"sigma"});
}

// As in `gckn predict DATA MODEL`.
TEST(ModelFile, SaysWhatAFileIsThatIsNoModel) {
  const test::TempDir folder;
  const auto expect_said = [&](const std::string& bytes, const std::string& what) {
    const std::filesystem::path path = folder.write("x", bytes);
    EXPECT_FALSE(is_model_file(path));
    test::expect_input_error([&] { load_network(path); }, {"x: is no gckn model: it looks like " + what});
    test::expect_input_error([&] { load_model(path); }, {"x: is no gckn model: it looks like " + what});
  };
  expect_said(R"({"num_nodes": 3, "edges": [[0, 1], [1, 2]]})", "JSON lines");
  expect_said("\n {\"num_nodes\": 3}", "JSON lines");
  expect_said("188\n23 1\n0 2 1 2\n", "text");
  const std::filesystem::path zip = folder.write_zip("set.zip", {{"X_A.txt", "1, 2\n"}});
  expect_said(test::read_text(zip), "a zip file");
  write_npy(Matrix(2, 3), folder / "v.npy");
  expect_said(test::read_text(folder / "v.npy"), "a NumPy array");
  EXPECT_FALSE(is_model_file(folder / "missing"));
}

}  // namespace
}  // namespace gckn
