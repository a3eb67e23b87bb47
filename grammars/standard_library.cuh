// Classes and functions of the standard library that device code is full of, as libcu++ lays them
// out: members, and the methods whose meaning the kernels around them depend on. Read in place of
// headers that were not found. Nothing here is compiled; references stand for what they refer to.
// An algorithm with a policy in front is one that each thread runs for itself (thrust::seq).
// Not here: spans of a fixed extent (the pointer alone), comparisons, exceptions.

template <class T, class Extent = void>
struct span {
  using element_type = T;
  using value_type = T;
  using size_type = unsigned long;
  using difference_type = long;
  using pointer = T *;
  using iterator = T *;
  using reference = T &;

  T *data_;
  unsigned long size_;

  __device__ span() : data_(nullptr), size_(0) {}
  __device__ span(T *first, T *last) : data_(first), size_(last - first) {}
  __device__ span(T *first, unsigned long count) : data_(first), size_(count) {}
  template <class Other>
  __device__ span(Other &other) : data_(other.data()), size_(other.size()) {}

  __device__ T *data() const { return data_; }
  __device__ T *begin() const { return data_; }
  __device__ T *end() const { return data_ + size_; }
  __device__ unsigned long size() const { return size_; }
  __device__ unsigned long size_bytes() const { return size_ * sizeof(T); }
  __device__ bool empty() const { return size_ == 0; }
  __device__ T &operator[](unsigned long index) const { return data_[index]; }
  __device__ T &front() const { return data_[0]; }
  __device__ T &back() const { return data_[size_ - 1]; }
  __device__ std::span<T> first(unsigned long count) const { return std::span<T>(data_, count); }
  __device__ std::span<T> last(unsigned long count) const
  {
    return std::span<T>(data_ + (size_ - count), count);
  }
  __device__ std::span<T> subspan(unsigned long offset) const
  {
    return std::span<T>(data_ + offset, size_ - offset);
  }
  __device__ std::span<T> subspan(unsigned long offset, unsigned long count) const
  {
    const unsigned long held = count == 18446744073709551615ul ? size_ - offset : count;
    return std::span<T>(data_ + offset, held);
  }
};

template <class T, T... I>
struct integer_sequence {
  using value_type = T;

  __device__ static constexpr unsigned long size() { return sizeof...(I); }
};

template <unsigned long... I>
struct index_sequence {
  using value_type = unsigned long;

  __device__ static constexpr unsigned long size() { return sizeof...(I); }
};

template <class T>
struct optional {
  using value_type = T;

  T value_;
  bool engaged_;

  __device__ optional() : engaged_(false) {}
  __device__ optional(T value) : value_(value), engaged_(true) {}

  __device__ bool has_value() const { return engaged_; }
  __device__ operator bool() const { return engaged_; }
  __device__ T &value() { return value_; }
  __device__ T &operator*() { return value_; }
  __device__ T *operator->() { return &value_; }
  __device__ T value_or(T other) const { return engaged_ ? value_ : other; }
  __device__ void reset() { engaged_ = false; }
};

template <class First, class Second>
struct pair {
  using first_type = First;
  using second_type = Second;

  First first;
  Second second;
};

template <class First, class Second>
__device__ std::pair<First, Second> make_pair(First first, Second second)
{
  return std::pair<First, Second>{first, second};
}

template <class Iterator>
__device__ auto distance(Iterator first, Iterator last)
{
  return last - first;
}

template <class Iterator>
__device__ Iterator next(Iterator from, long steps = 1)
{
  return from + steps;
}

template <class Iterator>
__device__ Iterator prev(Iterator from, long steps = 1)
{
  return from - steps;
}

template <class T>
__device__ void swap(T &left, T &right)
{
  T held = left;
  left = right;
  right = held;
}

template <class T, class U>
__device__ T exchange(T &place, U value)
{
  T held = place;
  place = value;
  return held;
}

template <class T>
__device__ T *addressof(T &place)
{
  return &place;
}

template <class T>
struct Uninitialized {  // of CUB
  T held_;

  __device__ T &Alias() { return held_; }
};

template <class Iterator>
struct reverse_iterator {
  Iterator current;

  __device__ reverse_iterator(Iterator from) : current(from) {}

  __device__ Iterator base() const { return current; }
  __device__ auto &operator*() const { return *(current - 1); }
  __device__ auto &operator[](long index) const { return *(current - 1 - index); }
  __device__ auto &operator++()
  {
    --current;
    return *this;
  }
  __device__ auto &operator--()
  {
    ++current;
    return *this;
  }
  __device__ auto operator+(long steps) const
  {
    return std::reverse_iterator<Iterator>(current - steps);
  }
  __device__ auto operator-(long steps) const
  {
    return std::reverse_iterator<Iterator>(current + steps);
  }
  __device__ bool operator==(std::reverse_iterator<Iterator> other) const
  {
    return current == other.current;
  }
  __device__ bool operator!=(std::reverse_iterator<Iterator> other) const
  {
    return current != other.current;
  }
};

template <class Iterator>
__device__ std::reverse_iterator<Iterator> make_reverse_iterator(Iterator from)
{
  return std::reverse_iterator<Iterator>(from);
}

template <class Iterator, class Test>
__device__ Iterator find_if(Iterator first, Iterator last, Test test)
{
  for (; first != last; ++first) {
    if (test(*first)) return first;
  }
  return last;
}

template <class Policy, class Iterator, class Test>
__device__ Iterator find_if(const Policy &policy, Iterator first, Iterator last, Test test)
{
  return std::find_if(first, last, test);
}

template <class Iterator, class Test>
__device__ Iterator find_if_not(Iterator first, Iterator last, Test test)
{
  for (; first != last; ++first) {
    if (!test(*first)) return first;
  }
  return last;
}

template <class Policy, class Iterator, class Test>
__device__ Iterator find_if_not(const Policy &policy, Iterator first, Iterator last, Test test)
{
  return std::find_if_not(first, last, test);
}

template <class Iterator, class T>
__device__ Iterator find(Iterator first, Iterator last, T value)
{
  for (; first != last; ++first) {
    if (*first == value) return first;
  }
  return last;
}

template <class Policy, class Iterator, class T>
__device__ Iterator find(const Policy &policy, Iterator first, Iterator last, T value)
{
  return std::find(first, last, value);
}

template <class Iterator, class Test>
__device__ long count_if(Iterator first, Iterator last, Test test)
{
  long found = 0;
  for (; first != last; ++first) {
    if (test(*first)) ++found;
  }
  return found;
}

template <class Policy, class Iterator, class Test>
__device__ long count_if(const Policy &policy, Iterator first, Iterator last, Test test)
{
  return std::count_if(first, last, test);
}

template <class Iterator, class T>
__device__ long count(Iterator first, Iterator last, T value)
{
  long found = 0;
  for (; first != last; ++first) {
    if (*first == value) ++found;
  }
  return found;
}

template <class Policy, class Iterator, class T>
__device__ long count(const Policy &policy, Iterator first, Iterator last, T value)
{
  return std::count(first, last, value);
}

template <class Iterator, class Test>
__device__ bool any_of(Iterator first, Iterator last, Test test)
{
  for (; first != last; ++first) {
    if (test(*first)) return true;
  }
  return false;
}

template <class Policy, class Iterator, class Test>
__device__ bool any_of(const Policy &policy, Iterator first, Iterator last, Test test)
{
  return std::any_of(first, last, test);
}

template <class Iterator, class Test>
__device__ bool all_of(Iterator first, Iterator last, Test test)
{
  for (; first != last; ++first) {
    if (!test(*first)) return false;
  }
  return true;
}

template <class Policy, class Iterator, class Test>
__device__ bool all_of(const Policy &policy, Iterator first, Iterator last, Test test)
{
  return std::all_of(first, last, test);
}

template <class Iterator, class Test>
__device__ bool none_of(Iterator first, Iterator last, Test test)
{
  for (; first != last; ++first) {
    if (test(*first)) return false;
  }
  return true;
}

template <class Policy, class Iterator, class Test>
__device__ bool none_of(const Policy &policy, Iterator first, Iterator last, Test test)
{
  return std::none_of(first, last, test);
}

template <class Iterator, class Function>
__device__ void for_each(Iterator first, Iterator last, Function apply)
{
  for (; first != last; ++first) {
    apply(*first);
  }
}

template <class Policy, class Iterator, class Function>
__device__ void for_each(const Policy &policy, Iterator first, Iterator last, Function apply)
{
  std::for_each(first, last, apply);
}

template <class Iterator, class T>
__device__ void fill(Iterator first, Iterator last, T value)
{
  for (; first != last; ++first) {
    *first = value;
  }
}

template <class Policy, class Iterator, class T>
__device__ void fill(const Policy &policy, Iterator first, Iterator last, T value)
{
  std::fill(first, last, value);
}

template <class Iterator, class Target>
__device__ Target copy(Iterator first, Iterator last, Target target)
{
  for (; first != last; ++first) {
    *target = *first;
    ++target;
  }
  return target;
}

template <class Policy, class Iterator, class Target>
__device__ Target copy(const Policy &policy, Iterator first, Iterator last, Target target)
{
  return std::copy(first, last, target);
}

template <class T, class U>
__device__ T *lower_bound(T *first, T *last, U value)
{
  long count = last - first;
  while (count > 0) {
    long half = count / 2;
    if (first[half] < value) {
      first += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return first;
}

template <class Policy, class T, class U>
__device__ T *lower_bound(const Policy &policy, T *first, T *last, U value)
{
  long count = last - first;
  while (count > 0) {
    long half = count / 2;
    if (first[half] < value) {
      first += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return first;
}

template <class T, class U>
__device__ T *upper_bound(T *first, T *last, U value)
{
  long count = last - first;
  while (count > 0) {
    long half = count / 2;
    if (!(value < first[half])) {
      first += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return first;
}

template <class Policy, class T, class U>
__device__ T *upper_bound(const Policy &policy, T *first, T *last, U value)
{
  long count = last - first;
  while (count > 0) {
    long half = count / 2;
    if (!(value < first[half])) {
      first += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return first;
}

template <class T>
__device__ T reduce(T *first, T *last)
{
  T sum = 0;
  for (; first != last; ++first) {
    sum += *first;
  }
  return sum;
}

template <class Policy, class T>
__device__ T reduce(const Policy &policy, T *first, T *last)
{
  return std::reduce(first, last);
}

template <class T, class U>
__device__ U reduce(T *first, T *last, U sum)
{
  for (; first != last; ++first) {
    sum += *first;
  }
  return sum;
}

template <class Policy, class T, class U>
__device__ U reduce(const Policy &policy, T *first, T *last, U sum)
{
  return std::reduce(first, last, sum);
}

// <cuComplex.h>, which lies in no namespace.

__device__ float cuCrealf(cuFloatComplex x) { return x.x; }
__device__ float cuCimagf(cuFloatComplex x) { return x.y; }
__device__ cuFloatComplex make_cuFloatComplex(float r, float i)
{
  cuFloatComplex made;
  made.x = r;
  made.y = i;
  return made;
}
__device__ cuFloatComplex cuConjf(cuFloatComplex x) { return make_cuFloatComplex(x.x, -x.y); }
__device__ cuFloatComplex cuCaddf(cuFloatComplex x, cuFloatComplex y)
{
  return make_cuFloatComplex(x.x + y.x, x.y + y.y);
}
__device__ cuFloatComplex cuCsubf(cuFloatComplex x, cuFloatComplex y)
{
  return make_cuFloatComplex(x.x - y.x, x.y - y.y);
}
__device__ cuFloatComplex cuCmulf(cuFloatComplex x, cuFloatComplex y)
{
  return make_cuFloatComplex(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x);
}
__device__ cuFloatComplex cuCfmaf(cuFloatComplex x, cuFloatComplex y, cuFloatComplex d)
{
  const float real = x.x * y.x + d.x;
  const float imaginary = x.x * y.y + d.y;
  return make_cuFloatComplex(real - x.y * y.y, imaginary + x.y * y.x);
}
__device__ cuFloatComplex cuCdivf(cuFloatComplex x, cuFloatComplex y)
{
  const float scale = 1.0f / (fabsf(y.x) + fabsf(y.y));
  const float a = x.x * scale, b = x.y * scale, c = y.x * scale, d = y.y * scale;
  const float norm = 1.0f / (c * c + d * d);
  return make_cuFloatComplex((a * c + b * d) * norm, (b * c - a * d) * norm);
}
__device__ float cuCabsf(cuFloatComplex x)
{
  const float a = fabsf(x.x), b = fabsf(x.y);
  const float more = fmaxf(a, b), less = fminf(a, b);
  const float part = less / more;
  return more == 0.0f ? less : more * sqrtf(1.0f + part * part);
}

__device__ double cuCreal(cuDoubleComplex x) { return x.x; }
__device__ double cuCimag(cuDoubleComplex x) { return x.y; }
__device__ cuDoubleComplex make_cuDoubleComplex(double r, double i)
{
  cuDoubleComplex made;
  made.x = r;
  made.y = i;
  return made;
}
__device__ cuDoubleComplex cuConj(cuDoubleComplex x) { return make_cuDoubleComplex(x.x, -x.y); }
__device__ cuDoubleComplex cuCadd(cuDoubleComplex x, cuDoubleComplex y)
{
  return make_cuDoubleComplex(x.x + y.x, x.y + y.y);
}
__device__ cuDoubleComplex cuCsub(cuDoubleComplex x, cuDoubleComplex y)
{
  return make_cuDoubleComplex(x.x - y.x, x.y - y.y);
}
__device__ cuDoubleComplex cuCmul(cuDoubleComplex x, cuDoubleComplex y)
{
  return make_cuDoubleComplex(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x);
}
__device__ cuDoubleComplex cuCfma(cuDoubleComplex x, cuDoubleComplex y, cuDoubleComplex d)
{
  const double real = x.x * y.x + d.x;
  const double imaginary = x.x * y.y + d.y;
  return make_cuDoubleComplex(real - x.y * y.y, imaginary + x.y * y.x);
}
__device__ cuDoubleComplex cuCdiv(cuDoubleComplex x, cuDoubleComplex y)
{
  const double scale = 1.0 / (fabs(y.x) + fabs(y.y));
  const double a = x.x * scale, b = x.y * scale, c = y.x * scale, d = y.y * scale;
  const double norm = 1.0 / (c * c + d * d);
  return make_cuDoubleComplex((a * c + b * d) * norm, (b * c - a * d) * norm);
}
__device__ double cuCabs(cuDoubleComplex x)
{
  const double a = fabs(x.x), b = fabs(x.y);
  const double more = fmax(a, b), less = fmin(a, b);
  const double part = less / more;
  return more == 0.0 ? less : more * sqrt(1.0 + part * part);
}

__device__ cuComplex make_cuComplex(float x, float y) { return make_cuFloatComplex(x, y); }
__device__ cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex c)
{
  return make_cuDoubleComplex(c.x, c.y);
}
__device__ cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex c)
{
  return make_cuFloatComplex(float(c.x), float(c.y));
}
