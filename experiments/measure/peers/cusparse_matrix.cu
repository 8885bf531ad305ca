#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include <cusparse.h>

#include "fem/sparse/row_layouts.hpp"

#include "gpu/backend/device.cuh"
#include "gpu/backend/vector.hpp"

#include "experiments/measure/peers/cusparse_matrix.hpp"
#include "experiments/measure/peers/cusparse_status.cuh"

namespace ninefold {
namespace {

using peers::check;

template <class T>
constexpr cudaDataType value_type = std::is_same_v<T, double> ? CUDA_R_64F : CUDA_R_32F;

cusparseSpMVAlg_t algorithm_of(CusparseFormat format) {
  switch (format) {
    case CusparseFormat::csr_1:
      return CUSPARSE_SPMV_CSR_ALG1;
    case CusparseFormat::csr_2:
      return CUSPARSE_SPMV_CSR_ALG2;
    case CusparseFormat::coo_1:
      return CUSPARSE_SPMV_COO_ALG1;
    case CusparseFormat::coo_2:
      return CUSPARSE_SPMV_COO_ALG2;
    case CusparseFormat::sell:
      return CUSPARSE_SPMV_SELL_ALG1;
    case CusparseFormat::bsr_2:
    case CusparseFormat::bsr_3:
    case CusparseFormat::bsr_4:
      return CUSPARSE_SPMV_BSR_ALG1;
    case CusparseFormat::csr:
      break;
  }
  return CUSPARSE_SPMV_ALG_DEFAULT;
}

int block_of(CusparseFormat format) {
  switch (format) {
    case CusparseFormat::bsr_2:
      return 2;
    case CusparseFormat::bsr_3:
      return 3;
    case CusparseFormat::bsr_4:
      return 4;
    default:
      return 1;
  }
}

constexpr int slice = 32;

/// What a format holds, on the host.
template <class T>
struct Held {
  std::vector<int> starts{}, rows{}, columns{};
  std::vector<T> values{};
};

template <class T>
Held<T> compressed(const SparseMatrix& A) {
  Held<T> held;
  held.starts.assign(A.pattern.row_starts.begin(), A.pattern.row_starts.end());
  held.columns = A.pattern.columns;
  held.values.assign(A.values.begin(), A.values.end());
  return held;
}

template <class T>
Held<T> coordinates(const SparseMatrix& A) {
  Held<T> held = compressed<T>(A);
  for (int i = 0; i < A.pattern.n_rows; ++i) {
    held.rows.insert(held.rows.end(), static_cast<std::size_t>(A.pattern.length(i)), i);
  }
  return held;
}

template <class T>
Held<T> slices(const SparseMatrix& A) {
  Held<T> held{.starts = {0}};
  const SparsePattern& pattern = A.pattern;
  for (int first = 0; first < pattern.n_rows; first += slice) {
    int width = 0;
    const int last = std::min(first + slice, pattern.n_rows);
    for (int i = first; i < last; ++i) width = std::max(width, pattern.length(i));
    const std::size_t begin = held.columns.size(), size = static_cast<std::size_t>(width) * slice;
    held.columns.resize(begin + size, -1);
    held.values.resize(begin + size, T(0));
    for (int i = first; i < last; ++i) {
      for (int k = 0; k < pattern.length(i); ++k) {
        const std::size_t place = begin + static_cast<std::size_t>(k) * slice + (i - first);
        const auto entry = static_cast<std::size_t>(pattern.start(i) + k);
        held.columns[place] = pattern.columns[entry];
        held.values[place] = static_cast<T>(A.values[entry]);
      }
    }
    held.starts.push_back(static_cast<int>(held.columns.size()));
  }
  return held;
}

template <class T>
Held<T> blocks(const SparseMatrix& A, int b) {
  const SparseStorage storage = b == 2   ? SparseStorage::blocks_2
                                : b == 3 ? SparseStorage::blocks_3
                                         : SparseStorage::blocks_4;
  const RowLayout layout = row_layout(A.pattern, storage);
  if (!layout.longer.rows.empty()) throw std::runtime_error("rows are long: not tried");
  if (layout.stored_values() > 8 * A.pattern.entries()) {
    throw std::runtime_error("blocks are mostly filled up: not tried");
  }
  Held<T> held;
  held.starts.assign(layout.starts.begin(), layout.starts.end());
  held.columns = layout.columns;
  held.values.resize(layout.entries.size(), T(0));
  for (std::size_t k = 0; k < layout.entries.size(); ++k) {
    if (layout.entries[k] == no_entry) continue;
    held.values[k] = static_cast<T>(A.values[static_cast<std::size_t>(layout.entries[k])]);
  }
  return held;
}

}  // namespace

std::string_view to_string(CusparseFormat format) {
  switch (format) {
    case CusparseFormat::csr:
      return "CSR";
    case CusparseFormat::csr_1:
      return "CSR, algorithm 1";
    case CusparseFormat::csr_2:
      return "CSR, algorithm 2";
    case CusparseFormat::coo_1:
      return "COO, algorithm 1";
    case CusparseFormat::coo_2:
      return "COO, algorithm 2";
    case CusparseFormat::sell:
      return "SELL";
    case CusparseFormat::bsr_2:
      return "BSR, blocks of 2";
    case CusparseFormat::bsr_3:
      return "BSR, blocks of 3";
    case CusparseFormat::bsr_4:
      return "BSR, blocks of 4";
  }
  return "";
}

const std::vector<CusparseFormat>& cusparse_formats() {
  using enum CusparseFormat;
  static const std::vector<CusparseFormat> all{csr,  csr_1, csr_2, coo_1, coo_2,
                                               sell, bsr_2, bsr_3, bsr_4};
  return all;
}

template <class T>
struct CusparseMatrix<T>::State {
  Cuda on;
  CusparseFormat format;
  int rows, columns_of_x;  ///< what vectors have
  Array<Cuda, int> starts, row_numbers, columns;
  Array<Cuda, T> values;
  Array<Cuda, char> buffer;
  cusparseHandle_t handle{};
  cusparseSpMatDescr_t matrix{};
  T one = T(1), zero = T(0);

  State(const Cuda& backend, const SparseMatrix& A, CusparseFormat kind)
      : on(backend), format(kind) {
    const int b = block_of(format);
    const int n = A.pattern.n_rows, columns_of_A = A.pattern.n_columns;
    rows = (n + b - 1) / b * b;
    columns_of_x = (columns_of_A + b - 1) / b * b;
    Held<T> held;
    switch (format) {
      case CusparseFormat::coo_1:
      case CusparseFormat::coo_2:
        held = coordinates<T>(A);
        break;
      case CusparseFormat::sell:
        held = slices<T>(A);
        break;
      default:
        held = b > 1 ? blocks<T>(A, b) : compressed<T>(A);
    }
    starts = Array<Cuda, int>(on, held.starts);
    row_numbers = Array<Cuda, int>(on, held.rows);
    columns = Array<Cuda, int>(on, held.columns);
    values = Array<Cuda, T>(on, held.values);
    check(cusparseCreate(&handle), "cusparseCreate");
    check(cusparseSetStream(handle, stream_of(on)), "cusparseSetStream");
    const auto stored = static_cast<std::int64_t>(held.values.size());
    constexpr auto index = CUSPARSE_INDEX_32I;
    constexpr auto base = CUSPARSE_INDEX_BASE_ZERO;
    switch (format) {
      case CusparseFormat::coo_1:
      case CusparseFormat::coo_2:
        check(cusparseCreateCoo(&matrix, n, columns_of_A, stored, row_numbers.data(),
                                columns.data(), values.data(), index, base, value_type<T>),
              "cusparseCreateCoo");
        break;
      case CusparseFormat::sell:
        check(cusparseCreateSlicedEll(&matrix, n, columns_of_A, A.pattern.entries(), stored, slice,
                                      starts.data(), columns.data(), values.data(), index, index,
                                      base, value_type<T>),
              "cusparseCreateSlicedEll");
        break;
      case CusparseFormat::bsr_2:
      case CusparseFormat::bsr_3:
      case CusparseFormat::bsr_4:
        check(cusparseCreateBsr(&matrix, rows / b, columns_of_x / b, stored / (b * b), b, b,
                                starts.data(), columns.data(), values.data(), index, index, base,
                                value_type<T>, CUSPARSE_ORDER_ROW),
              "cusparseCreateBsr");
        break;
      default:
        check(cusparseCreateCsr(&matrix, n, columns_of_A, stored, starts.data(), columns.data(),
                                values.data(), index, index, base, value_type<T>),
              "cusparseCreateCsr");
    }
    const Array<Cuda, T> x(on, static_cast<std::size_t>(columns_of_x)),
        y(on, static_cast<std::size_t>(rows));
    with_vectors(x.data(), y.data(), [&](cusparseDnVecDescr_t from, cusparseDnVecDescr_t to) {
      std::size_t bytes = 0;
      check(cusparseSpMV_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, from,
                                    &zero, to, value_type<T>, algorithm_of(format), &bytes),
            "cusparseSpMV_bufferSize");
      buffer = Array<Cuda, char>(on, std::max<std::size_t>(bytes, 16));
      check(cusparseSpMV_preprocess(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, from,
                                    &zero, to, value_type<T>, algorithm_of(format), buffer.data()),
            "cusparseSpMV_preprocess");
    });
    on.wait();
  }
  ~State() {
    if (matrix != nullptr) cusparseDestroySpMat(matrix);
    if (handle != nullptr) cusparseDestroy(handle);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  template <class Use>
  void with_vectors(const T* x, T* y, const Use& use) const {
    cusparseDnVecDescr_t from{}, to{};
    check(cusparseCreateDnVec(&from, columns_of_x, const_cast<T*>(x), value_type<T>),
          "cusparseCreateDnVec");
    check(cusparseCreateDnVec(&to, rows, y, value_type<T>), "cusparseCreateDnVec");
    use(from, to);
    cusparseDestroyDnVec(from);
    cusparseDestroyDnVec(to);
  }
};

template <class T>
CusparseMatrix<T>::CusparseMatrix(const Cuda& on, const SparseMatrix& A, CusparseFormat format)
    : state_(std::make_shared<State>(on, A, format)) {}

template <class T>
void CusparseMatrix<T>::product(const T* x, T* y) const {
  const State& s = *state_;
  s.with_vectors(x, y, [&](cusparseDnVecDescr_t from, cusparseDnVecDescr_t to) {
    check(cusparseSpMV(s.handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &s.one, s.matrix, from, &s.zero,
                       to, value_type<T>, algorithm_of(s.format), s.buffer.data()),
          "cusparseSpMV");
  });
}

template <class T>
int CusparseMatrix<T>::padded_rows() const {
  return state_->rows;
}

template class CusparseMatrix<float>;
template class CusparseMatrix<double>;

}  // namespace ninefold
