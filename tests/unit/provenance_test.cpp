#include "app/measure/provenance.hpp"

#include <gtest/gtest.h>

#include "tests/support/csv_head.hpp"

namespace cardiowarp {
namespace {

const Provenance provenance{.commit = "0123456789ab with changes",
                            .gpu = "NVIDIA H200",
                            .driver = "580.95.05",
                            .cuda = "13.0",
                            .processor = "Intel(R) Xeon(R) Processor, 16 threads",
                            .date = "2026-11-23T02:39:04Z"};

TEST(Provenance, IsTheFirstLinesOfAFileOfMeasurementsOneForEachKey) {
  EXPECT_EQ(csv_text({{"mesh"}, {{"heart"}}}, provenance),
            "# commit: 0123456789ab with changes\n"
            "# gpu: NVIDIA H200\n"
            "# driver: 580.95.05\n"
            "# cuda: 13.0\n"
            "# processor: Intel(R) Xeon(R) Processor, 16 threads\n"
            "# date: 2026-11-23T02:39:04Z\n"
            "mesh\n"
            "heart\n");
  EXPECT_EQ(test::csv_head_of(csv_head(provenance)).keys, test::csv_head_keys);
}

TEST(Provenance, IsNotMistakenForAMeshWhoseNameBeginsLikeIt) {
  EXPECT_EQ(csv_text({{"#mesh", "b"}, {{"# 1", "c#"}, {"", "d"}}}, provenance),
            csv_head(provenance) + "\"#mesh\",b\n\"# 1\",\"c#\"\n,d\n");
}

}  // namespace
}  // namespace cardiowarp
