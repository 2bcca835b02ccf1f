#include "app/simulation/selection.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "app/config/where.hpp"
#include "meshes/generate.hpp"
#include "tests/support/input_error_of.hpp"
#include "tests/support/small_mesh.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/text_file.hpp"

namespace cardiowarp {
namespace {

using Indices = std::vector<Index>;
const std::string place = "heart.yaml:3:5: stimuli.0.where";

Where where(decltype(Where::region) region) { return {std::move(region), place}; }

std::string node_error(const Mesh& mesh, decltype(Where::region) region) {
  return test::input_error_of([&] { select_nodes(mesh, where(std::move(region))); });
}

std::string element_error(const Mesh& mesh, decltype(Where::region) region) {
  return test::input_error_of([&] { select_elements(mesh, where(std::move(region))); });
}

TEST(SelectNodes, TakesTheClosedBoxWithATinyTolerance) {
  const Mesh mesh = test::small_mesh();
  EXPECT_EQ(select_nodes(mesh, where(Box{{0, 0, 0}, {1, 1, 0}})), (Indices{0, 1, 2}));
  EXPECT_EQ(select_nodes(mesh, where(Box{{0.5e-9, 0, 0}, {1 - 0.5e-9, 1, 0}})), (Indices{0, 1, 2}));
  EXPECT_EQ(select_nodes(mesh, where(Box{{2e-9, 0, 0}, {1, 1, 0}})), (Indices{1}));
  EXPECT_EQ(select_nodes(mesh, where(Box{{0, 0, 0}, {1 - 2e-9, 1, 0}})), (Indices{0, 2}));
}

TEST(SelectNodes, TakesTheClosedSphereWithATinyTolerance) {
  const Mesh mesh = test::small_mesh();
  EXPECT_EQ(select_nodes(mesh, where(Sphere{{0, 0, 0}, 1})), (Indices{0, 1, 2, 3}));
  EXPECT_EQ(select_nodes(mesh, where(Sphere{{0, 0, 0}, 1 - 0.5e-9})), (Indices{0, 1, 2, 3}));
  EXPECT_EQ(select_nodes(mesh, where(Sphere{{0, 0, 0}, 1 - 2e-9})), (Indices{0}));
  EXPECT_EQ(select_nodes(mesh, where(Sphere{{2, 2, 2}, 0})), (Indices{4}));
}

TEST(SelectNodes, TakesTheNodesOfATagByNameOrNumber) {
  const Mesh mesh = test::small_mesh();
  EXPECT_EQ(select_nodes(mesh, where(Tag{"scar"})), (Indices{1, 2, 3, 4}));
  EXPECT_EQ(select_nodes(mesh, where(Tag{"2"})), (Indices{1, 2, 3, 4}));
  EXPECT_EQ(select_nodes(mesh, where(Tag{"epi"})), (Indices{0, 1, 2}));
  EXPECT_EQ(select_nodes(mesh, where(Tag{"3"})), (Indices{0, 1, 2}));
  EXPECT_EQ(select_nodes(mesh, where(Tag{"7"})), (Indices{2, 3, 4}));
}

TEST(SelectNodes, RefusesATagOfBothAVolumeAndASurface) {
  Mesh mesh = test::small_mesh();
  mesh.triangle_tags = {2, 2};
  mesh.surface_names = {{"scar", 2}};
  for (const char* both : {"2", "scar"})
    EXPECT_EQ(node_error(mesh, Tag{both}), place + ": tag '" + both +
                                               "' is a volume and a surface: expected one by its name; the mesh has "
                                               "lv (1), scar (2); surfaces scar (2)");
  EXPECT_EQ(select_elements(mesh, where(Tag{"scar"})), (Indices{1}));  // only volumes have elements
}

TEST(SelectNodes, ListsTheTagsOfTheMeshForAnUnknownOne) {
  const Mesh mesh = test::small_mesh();
  const std::string valid = ": the mesh has lv (1), scar (2); surfaces epi (3), 7";
  EXPECT_EQ(node_error(mesh, Tag{"scr"}), place + ": unknown tag 'scr'" + valid + "; did you mean 'scar'?");
  EXPECT_EQ(node_error(mesh, Tag{"apex"}), place + ": unknown tag 'apex'" + valid);
  EXPECT_EQ(node_error(mesh, Tag{"8"}), place + ": unknown tag '8'" + valid);
  Mesh with_arrays = mesh;
  with_arrays.arrays = {{"Material", 1, false}, {"FIB_DIR", 3, false}, {"at_points", 1, true}};
  EXPECT_EQ(node_error(with_arrays, Tag{"8"}),
            place + ": unknown tag '8'" + valid +
                "; mesh.tags names the cell array of the file that holds the tags: Material");
}

TEST(SelectNodes, LeavesSurfacesOutOfTheListWhereThereAreNone) {
  Mesh mesh = test::small_mesh();
  mesh.triangles.clear();
  mesh.triangle_tags.clear();
  mesh.surface_names.clear();
  mesh.volume_names.clear();
  EXPECT_EQ(node_error(mesh, Tag{"epi"}), place + ": unknown tag 'epi': the mesh has 1, 2");
}

TEST(SelectNodes, SaysThatNothingIsSelectedAndWhereTheMeshIs) {
  const Mesh mesh = test::small_mesh();
  EXPECT_EQ(
      node_error(mesh, Box{{3, 3, 3}, {4, 4, 4}}),
      place + ": the box from [3, 3, 3] to [4, 4, 4] selects no node; the mesh lies from [0, 0, 0] to [2, 2, 2] (mm)");
  EXPECT_EQ(node_error(mesh, Sphere{{-1, 0, 0}, 0.5}),
            place +
                ": the sphere of radius 0.5 mm around [-1, 0, 0] selects no node; the mesh lies from [0, 0, 0] to "
                "[2, 2, 2] (mm)");
  Mesh unused = mesh;
  unused.surface_names["endo"] = 9;
  EXPECT_EQ(node_error(unused, Tag{"endo"}), place + ": tag 'endo' selects no node: nothing in the mesh carries it");
}

class NodeFileTest : public testing::Test {
 protected:
  Indices read(const std::string& text) {
    test::write_text(file, text);
    return select_nodes(mesh, where(NodeFile{file}));
  }
  std::string error(const std::string& text) {
    test::write_text(file, text);
    return node_error(mesh, NodeFile{file});
  }

  const test::TemporaryDirectory directory;
  const std::filesystem::path file = directory / "apex.vtx";
  Mesh mesh = test::small_mesh();
};

TEST_F(NodeFileTest, ListsNodesAfterTheirCountAndTheDomain) {
  EXPECT_EQ(read("3\nintra\n4\n0\n2\n"), (Indices{0, 2, 4}));
  EXPECT_EQ(read("2\nextra\n1\n3"), (Indices{1, 3}));
}

TEST_F(NodeFileTest, MayLeaveOutTheDomainAndHoldBlankLinesCarriageReturnsAndRepetitions) {
  EXPECT_EQ(read(" 3 \r\n\r\n4\r\n 0\r\n4\r\n\r\n"), (Indices{0, 4}));
}

TEST_F(NodeFileTest, MayBeginWithAByteOrderMark) {
  EXPECT_EQ(read("\xef\xbb\xbf"
                 "2\nintra\n1\n3\n"),
            (Indices{1, 3}));
}

TEST_F(NodeFileTest, ThatIsAPointerOfGitLfsSaysSo) {
  EXPECT_NE(error("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n")
                .find("it is a pointer of Git LFS, and the content that it stands for has not been fetched: `git lfs "
                      "pull`"),
            std::string::npos);
}

TEST_F(NodeFileTest, CountsTheNodesOfTheMeshFileAlsoWhereSomeWereDropped) {
  mesh.node_in_file = {0, 2, 3, 5, 6};
  EXPECT_EQ(read("2\nintra\n2\n6\n"), (Indices{1, 4}));
  EXPECT_EQ(error("1\nintra\n4\n"), file.string() + ":3: node 4 is in no tetrahedron of the mesh");
  EXPECT_EQ(error("1\nintra\n7\n"), file.string() + ":3: node 7 is in no tetrahedron of the mesh");
}

TEST_F(NodeFileTest, NamesTheLineThatIsWrong) {
  EXPECT_EQ(error(""), file.string() + ":0: expected the number of nodes, got the end of the file");
  EXPECT_EQ(error("intra\n1\n"), file.string() + ":1: expected the number of nodes, got 'intra'");
  EXPECT_EQ(error("-1\n"), file.string() + ":1: expected the number of nodes, got '-1'");
  EXPECT_EQ(error("1\nintre\n1\n"), file.string() + ":2: expected a node index, got 'intre'");
  EXPECT_EQ(error("2\nintra\n1\nintra\n"), file.string() + ":4: expected a node index, got 'intra'");
  EXPECT_EQ(error("1\nintra\n1.5\n"), file.string() + ":3: expected a node index, got '1.5'");
  EXPECT_EQ(error("1\nintra\n5\n"), file.string() + ":3: expected a node index from 0 to 4, got 5");
  EXPECT_EQ(error("1\nintra\n-1\n"), file.string() + ":3: expected a node index from 0 to 4, got -1");
  EXPECT_EQ(error("1\nintra\n99999999999999999999\n"),
            file.string() + ":3: expected a node index, got '99999999999999999999'");
}

TEST_F(NodeFileTest, NoticesThatItIsCutShortOrTooLong) {
  EXPECT_EQ(error("3\nintra\n0\n1\n"), file.string() + ":4: expected 3 nodes as line 1 says, got 2");
  EXPECT_EQ(error("1\nintra\n0\n1\n"), file.string() + ":4: expected 1 nodes as line 1 says, got 2");
}

TEST_F(NodeFileTest, SaysThatItSelectsNothing) {
  EXPECT_EQ(error("0\nintra\n"), place + ": '" + file.string() + "' selects no node");
}

TEST_F(NodeFileTest, SaysWhyItCannotBeRead) {
  const std::string missing = (directory / "no.vtx").string();
  EXPECT_EQ(node_error(mesh, NodeFile{missing}), place + ": cannot read '" + missing + "': No such file or directory");
  EXPECT_EQ(node_error(mesh, NodeFile{directory.path()}),
            place + ": cannot read '" + directory.path().string() + "': expected a regular file, got a directory");
  const std::string fifo = (directory / "fifo.vtx").string();
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0666), 0);
  EXPECT_EQ(node_error(mesh, NodeFile{fifo}),
            place + ": cannot read '" + fifo + "': expected a regular file, got a FIFO");
}

TEST(SelectElements, TakesThoseWithTheirCentroidInside) {
  const Mesh mesh = test::small_mesh();  // centroids (1/4, 1/4, 1/4) and (3/4, 3/4, 3/4)
  EXPECT_EQ(select_elements(mesh, where(Box{{0, 0, 0}, {1, 1, 1}})), (Indices{0, 1}));
  EXPECT_EQ(select_elements(mesh, where(Box{{0.25, 0.25, 0.25}, {0.7, 0.7, 0.7}})), (Indices{0}));
  EXPECT_EQ(select_elements(mesh, where(Sphere{{0.75, 0.75, 0.75}, 0})), (Indices{1}));
}

TEST(SelectElements, TakesThoseWithTheTag) {
  const Mesh mesh = test::small_mesh();
  EXPECT_EQ(select_elements(mesh, where(Tag{"scar"})), (Indices{1}));
  EXPECT_EQ(select_elements(mesh, where(Tag{"1"})), (Indices{0}));
}

TEST(Select, TakesWhatHasATagAmongSeveral) {
  Mesh mesh = test::small_mesh();
  mesh.further_element_tags = {{0, 1}, {{}, {1, 6}}};
  mesh.further_triangle_tags = {{1, 2}, {{}, {8}, {3}}};
  mesh.volume_names["heart"] = 6;
  mesh.surface_names["rim"] = 8;
  EXPECT_EQ(select_elements(mesh, where(Tag{"lv"})), (Indices{0, 1}));
  EXPECT_EQ(select_elements(mesh, where(Tag{"scar"})), (Indices{1}));
  for (const char* heart : {"heart", "6"}) {
    EXPECT_EQ(select_elements(mesh, where(Tag{heart})), (Indices{1}));
    EXPECT_EQ(select_nodes(mesh, where(Tag{heart})), (Indices{1, 2, 3, 4}));
    EXPECT_TRUE(selects_volume(mesh, where(Tag{heart})));
  }
  for (const char* rim : {"rim", "8"}) {
    EXPECT_EQ(select_nodes(mesh, where(Surface{rim})), (Indices{0, 1, 2}));
    EXPECT_EQ(select_nodes(mesh, where(Tag{rim})), (Indices{0, 1, 2}));
    EXPECT_FALSE(selects_volume(mesh, where(Tag{rim})));
  }
  EXPECT_EQ(select_nodes(mesh, where(Surface{"epi"})), (Indices{0, 1, 2, 3, 4}));
  EXPECT_EQ(select_nodes(mesh, where(Surface{"7"})), (Indices{2, 3, 4}));
  mesh.volume_names.erase("heart");
  EXPECT_EQ(node_error(mesh, Tag{"5"}),
            place + ": unknown tag '5': the mesh has lv (1), scar (2), 6; surfaces epi (3), rim (8), 7");
}

TEST(Select, TakesTheEdgeNodesOfQuadraticCellsWithATagAmongSeveral) {
  Mesh mesh = quadratic_mesh(test::small_mesh());
  mesh.further_element_tags = {{0, 1}, {{}, {6}}};
  mesh.further_triangle_tags = {{1, 0}, {{}, {8}}};
  EXPECT_EQ(select_nodes(mesh, where(Tag{"6"})), select_nodes(mesh, where(Tag{"scar"})));
  EXPECT_EQ(select_nodes(mesh, where(Tag{"6"})).size(), 10u);
  EXPECT_EQ(select_nodes(mesh, where(Surface{"8"})), select_nodes(mesh, where(Surface{"epi"})));
  EXPECT_EQ(select_nodes(mesh, where(Surface{"8"})).size(), 6u);
}

TEST(SelectElements, RefusesSurfacesNodeListsAndUnknownTags) {
  const Mesh mesh = test::small_mesh();
  const std::string valid = ": the mesh has lv (1), scar (2); surfaces epi (3), 7";
  EXPECT_EQ(element_error(mesh, Tag{"epi"}), place + ": expected the tag of a volume, got the surface 'epi'" + valid);
  EXPECT_EQ(element_error(mesh, Tag{"7"}), place + ": expected the tag of a volume, got the surface '7'" + valid);
  EXPECT_EQ(element_error(mesh, Tag{"lw"}), place + ": unknown tag 'lw'" + valid + "; did you mean 'lv'?");
  EXPECT_EQ(element_error(mesh, NodeFile{"a.vtx"}),
            place + ": expected box, sphere or tag, got the node list 'a.vtx': it selects no elements");
}

TEST(SelectElements, SaysThatNothingIsSelected) {
  Mesh mesh = test::small_mesh();
  EXPECT_EQ(element_error(mesh, Box{{0, 0, 0}, {0.1, 0.1, 0.1}}),
            place +
                ": the box from [0, 0, 0] to [0.1, 0.1, 0.1] selects no element centroid; the mesh lies from "
                "[0, 0, 0] to [2, 2, 2] (mm)");
  mesh.volume_names["rv"] = 5;
  EXPECT_EQ(element_error(mesh, Tag{"rv"}), place + ": tag 'rv' selects no element: nothing in the mesh carries it");
}

}  // namespace
}  // namespace cardiowarp
