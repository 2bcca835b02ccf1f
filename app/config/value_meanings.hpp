#pragma once
#include "app/config/key_description.hpp"

namespace cardiowarp {

// The meanings of those words of the YAML file that a modeler would want, in the order in which documents and messages
// list them. A word of config_names.hpp, of named_formats() or of named_strategies() that has no meaning here is taken
// as well: it is for measurements, and the pages on the papers have it.

inline const NamedValues length_unit_meanings{{"m", ""}, {"cm", ""}, {"mm", ""}, {"um", "also `µm`"}};

inline const NamedValues fiber_source_meanings{{"none", "isotropic tissue"},
                                               {"constant", "`direction` everywhere"},
                                               {"mesh", "`.lon` beside `.pts`, or an array of a VTK file"},
                                               {"rule", "a rule makes them from the surfaces of the mesh"}};

inline const NamedValues fiber_rule_meanings{{"ldrb", "the Laplace-Dirichlet rule with its known errors mended"},
                                             {"bayer", "the same as printed in 2012"}};

inline const NamedValues quadrature_meanings{
    {"centroid", "at the centroid, as in Wong, Kuhl and Darve 2015; on coarse meshes fronts are too fast"},
    {"vertices", "at the four corners, which makes the mass diagonal; on coarse meshes fronts are too slow"},
    {"vertices_and_centroid", "2/3 at the corners and 1/3 at the centroid, whose errors nearly cancel; takes longer"},
    {"fourteen_points", "that of quadratic tetrahedra, which take no other"}};

inline const NamedValues stimulus_edge_meanings{
    {"weighted",
     "as much as `where` has of the tissue nearest to the node, so that the stimulated volume is that of "
     "the place on every mesh"},
    {"nodes", "all of it where the node is inside"}};

inline const NamedValues backend_meanings{
    {"auto", "a GPU where there is one"}, {"cpu", "the processor"}, {"gpu", "a GPU, or an error"}};

inline const NamedValues output_format_meanings{
    {"vtu", "a file a frame with the mesh in it"},
    {"ensight", "the mesh once and each field in single precision, which takes less time and room"}};

inline const NamedValues preconditioner_meanings{
    {"jacobi", "the diagonal, the fastest for the steps of this model"},
    {"block_jacobi",
     "incomplete Cholesky factors of blocks of 2048 rows, on a CPU: fewer iterations, each twice as "
     "long"}};

inline const NamedValues polynomial_meanings{{"neumann", "the first terms of Neumann's series"},
                                             {"least_squares", "with the least square of the residual"},
                                             {"chebyshev", "with the least maximum of the residual"}};

inline const NamedValues polynomial_precision_meanings{{"double", "64 bits"}, {"single", "32 bits"}};

inline const NamedValues solver_path_meanings{
    {"auto", "the fastest that the machine and the matrix allow"},
    {"plain", "a few loops an iteration, for every matrix and machine"},
    {"in_parts", "two launches an iteration"},
    {"persistent", "one launch a solve, on a GPU"},
    {"on_chip", "one launch a solve with the matrix on the chip, on a GPU where it fits"}};

inline const NamedValues operator_meanings{{"auto", "`assembled`"}, {"assembled", "the global matrix"}};

inline const NamedValues solver_precision_meanings{
    {"double", "64 bits"},
    {"mixed", "the matrix has 32 bits a value, all else 64"},
    {"single", "the vectors have 32 bits, too; with `preconditioner: jacobi`"},
    {"auto", "on a GPU from 175 thousand nodes on `single`, or `mixed` where that cannot be, else `double`"}};

inline const NamedValues time_scheme_meanings{{"backward_euler", "of order 1"},
                                              {"sdirk2", "of order 2, two stages of backward Euler a step"},
                                              {"trbdf2", "of order 2, the trapezoidal rule and BDF2 in a step"},
                                              {"bdf2", "of order 2, one stage a step from the last two states"},
                                              {"rkc2", "of order 2, explicit stages; with `quadrature: vertices`"}};

inline const NamedValues forcing_meanings{{"eisenstat_walker", "each as accurate as helps the next iteration"},
                                          {"fixed", "all to `linear_solver.tolerance`"}};

inline const NamedValues assembly_order_meanings{{"direct", "straight to where the matrix has them"},
                                                 {"csr", "as compressed rows, then scattered"}};

/// The values of `linear_solver.spmv`, whose names are named_formats().
inline const NamedValues matrix_format_meanings{{"auto", "what suits the machine and the matrix"},
                                                {"csr", "compressed rows, as `auto` takes on a CPU"},
                                                {"k1rs", "ELL-WARP with a thread a row, as `auto` takes on most GPUs"},
                                                {"k2rs", "ELL-WARP with several threads for long rows"}};

/// The values of `assembly.strategy`, whose names are named_strategies().
inline const NamedValues strategy_meanings{{"auto", "what suits the machine, the matrix and the quadrature"}};

}  // namespace cardiowarp
