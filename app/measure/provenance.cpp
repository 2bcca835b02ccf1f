#include "app/measure/provenance.hpp"

#include <fmt/format.h>

namespace cardiowarp {

std::string csv_head(const Provenance& provenance) {
  return fmt::format("# commit: {}\n# gpu: {}\n# driver: {}\n# cuda: {}\n# processor: {}\n# date: {}\n",
                     provenance.commit, provenance.gpu, provenance.driver, provenance.cuda, provenance.processor,
                     provenance.date);
}

std::string csv_text(const Table& table, const Provenance& provenance) {
  return csv_head(provenance) + csv_text(table);
}

}  // namespace cardiowarp
