// XRT's classes for host programs of NPUs, on the simulator: C++17, this header and the command `aiec` (or what
// the variable AIEC names) are all they need. A run is simulated when it is started, on an array that was just
// configured. What a program can't do here is no member, so that it doesn't compile.
#pragma once
#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

enum xclBOSyncDirection { XCL_BO_SYNC_BO_TO_DEVICE, XCL_BO_SYNC_BO_FROM_DEVICE };

enum ert_cmd_state {
  ERT_CMD_STATE_NEW = 1,
  ERT_CMD_STATE_QUEUED = 2,
  ERT_CMD_STATE_RUNNING = 3,
  ERT_CMD_STATE_COMPLETED = 4,
  ERT_CMD_STATE_ERROR = 5,
  ERT_CMD_STATE_ABORT = 6,
  ERT_CMD_STATE_SUBMITTED = 7,
  ERT_CMD_STATE_TIMEOUT = 8,
};

#define XCL_BO_FLAGS_NONE 0
#define XCL_BO_FLAGS_CACHEABLE (1U << 24)
#define XRT_BO_FLAGS_CACHEABLE XCL_BO_FLAGS_CACHEABLE
#define XRT_BO_FLAGS_HOST_ONLY (1U << 29)
#define XRT_BO_FLAGS_NONE 0
#define XCL_BO_FLAGS_HOST_ONLY XRT_BO_FLAGS_HOST_ONLY

namespace xrt {

namespace detail {

// How the names of kernels begin that hold the simulator's programs, and aiecc's name of a kernel.
inline const std::string model_kernel = "AIEC_MODEL_ONLY", usual_kernel = "MLIR_AIE";

inline std::string host_name(const std::string &name) {
  if (name.rfind(model_kernel, 0) != 0)
    return name;
  const std::string rest = name.substr(model_kernel.size());
  return rest.empty() ? usual_kernel : rest.substr(1);
}

inline std::vector<char> bytes_of(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw std::runtime_error("can't read " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void write(const std::filesystem::path &path, const char *data, size_t size) {
  std::ofstream file(path, std::ios::binary);
  file.write(data, std::streamsize(size));
  if (!file)
    throw std::runtime_error("can't write " + path.string());
}

// A word of a shell.
inline std::string quoted(const std::string &text) {
  std::string word = "'";
  for (char c : text)
    word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

// Libraries of functions that were compiled with a file, which stand beside it: "name": "path" in lines.
inline std::string libraries(const std::string &path) {
  std::ifstream file(path + ".kernels.json");
  std::string line, options;
  while (std::getline(file, line)) {
    std::array<size_t, 4> at{};
    size_t from = 0;
    for (size_t &quote : at) {
      quote = line.find('"', from);
      from = quote == std::string::npos ? quote : quote + 1;
    }
    if (at[3] != std::string::npos)
      options += " --kernel " + quoted(line.substr(at[0] + 1, at[1] - at[0] - 1) + "=" +
                                       line.substr(at[2] + 1, at[3] - at[2] - 1));
  }
  return options;
}

// A folder of its own, gone at the end.
struct folder {
  std::filesystem::path path;
  folder() {
    std::string name = (std::filesystem::temp_directory_path() / "aiec-XXXXXX").string();
    if (!mkdtemp(name.data()))
      throw std::runtime_error("can't make a folder for a run");
    path = name;
  }
  folder(const folder &) = delete;
  ~folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
};

} // namespace detail

class uuid {
  std::string text_;

public:
  uuid() = default;
  explicit uuid(std::string text) : text_(std::move(text)) {}
  std::string to_string() const { return text_; }
  bool operator==(const uuid &other) const { return text_ == other.text_; }
  bool operator<(const uuid &other) const { return text_ < other.text_; }
};

class xclbin {
  std::string path_;
  std::vector<std::string> names_;

public:
  class kernel {
    std::string name_;

  public:
    explicit kernel(std::string name = {}) : name_(std::move(name)) {}
    std::string get_name() const { return name_; }
  };

  xclbin() = default;
  explicit xclbin(const std::string &path)
      : path_(std::filesystem::absolute(path).string()) {
    // The metadata is text in the file.
    const auto bytes = detail::bytes_of(path);
    const std::string text(bytes.begin(), bytes.end()), tag = "<kernel name=\"";
    if (text.rfind("xclbin2", 0) != 0)
      throw std::runtime_error(path + " is no xclbin");
    for (size_t at = text.find(tag); at != std::string::npos; at = text.find(tag, at + 1)) {
      const size_t begin = at + tag.size();
      names_.push_back(text.substr(begin, text.find('"', begin) - begin));
    }
  }
  explicit xclbin(const char *path) : xclbin(std::string(path)) {}

  std::vector<kernel> get_kernels() const {
    std::vector<kernel> kernels;
    for (const auto &name : names_)
      kernels.emplace_back(detail::host_name(name));
    return kernels;
  }
  kernel get_kernel(const std::string &name) const {
    file_name(name);
    return kernel(name);
  }
  uuid get_uuid() const { return uuid(path_); }

  // What the file calls a kernel that hosts call so.
  std::string file_name(const std::string &name) const {
    const std::string base = name.substr(0, name.find(':'));
    for (const auto &found : names_)
      if (found == base || detail::host_name(found) == base)
        return found;
    throw std::runtime_error("No such kernel '" + name + "' in " + path_);
  }
};

namespace info {
enum class device { bdf, interface_uuid, max_clock_frequency_mhz, name };
} // namespace info

class device {
  static std::map<uuid, xclbin> &registered() {
    static std::map<uuid, xclbin> all;
    return all;
  }

public:
  device() = default;
  explicit device(unsigned int) {}
  explicit device(const std::string &) {}
  uuid register_xclbin(const xclbin &file) {
    registered()[file.get_uuid()] = file;
    return file.get_uuid();
  }
  uuid load_xclbin(const xclbin &file) { return register_xclbin(file); }
  uuid load_xclbin(const std::string &path) { return register_xclbin(xclbin(path)); }
  template <info::device key> std::string get_info() const {
    return key == info::device::name ? "NPU (simulated by aiec)" : "NA";
  }

  static const xclbin &find(const uuid &id) {
    const auto found = registered().find(id);
    if (found == registered().end())
      throw std::runtime_error("no xclbin " + id.to_string() + " is registered");
    return found->second;
  }
};

class elf {
  std::string path_;

public:
  elf() = default;
  explicit elf(const std::string &path) : path_(std::filesystem::absolute(path).string()) {
    detail::bytes_of(path);
  }
  const std::string &path() const { return path_; }
};

class hw_context {
  std::shared_ptr<xclbin> xclbin_;
  std::string elf_;

public:
  enum class access_mode { exclusive, shared };
  using cfg_param_type = std::map<std::string, uint32_t>;
  hw_context() = default;
  hw_context(const device &, const uuid &id) : xclbin_(std::make_shared<xclbin>(device::find(id))) {}
  hw_context(const device &owner, const uuid &id, access_mode) : hw_context(owner, id) {}
  hw_context(const device &owner, const uuid &id, const cfg_param_type &) : hw_context(owner, id) {}
  hw_context(const device &, const elf &file) : elf_(file.path()) {}
  hw_context(const device &owner, const elf &file, const cfg_param_type &, access_mode)
      : hw_context(owner, file) {}
  const xclbin *get_xclbin_file() const { return xclbin_.get(); }
  const std::string &get_elf_path() const { return elf_; }
};

class module {
  std::string path_;

public:
  module() = default;
  explicit module(const elf &file) : path_(file.path()) {}
  module(const module &parent, const hw_context &) : module(parent) {}
  const std::string &path() const { return path_; }
};

class bo {
  std::shared_ptr<std::vector<char>> all_;
  size_t offset_ = 0, size_ = 0;

public:
  enum class flags : uint32_t {
    normal = 0,
    cacheable = 1U << 24,
    device_only = 1U << 28,
    host_only = 1U << 29,
    p2p = 1U << 30,
    svm = 1U << 27,
  };
  bo() = default;
  explicit bo(size_t size) : all_(std::make_shared<std::vector<char>>(size)), size_(size) {}
  bo(const device &, size_t size, flags, uint32_t) : bo(size) {}
  bo(const device &, size_t size, uint32_t, uint32_t) : bo(size) {}
  bo(const device &, size_t size, uint32_t) : bo(size) {}
  bo(const hw_context &, size_t size, flags, uint32_t) : bo(size) {}
  bo(const hw_context &, size_t size, uint32_t) : bo(size) {}
  bo(const bo &parent, size_t size, size_t offset)
      : all_(parent.all_), offset_(parent.offset_ + offset), size_(size) {
    if (size + offset > parent.size_)
      throw std::runtime_error("the sub-buffer goes past the end of its buffer");
  }
  explicit operator bool() const { return all_ != nullptr; }

  size_t size() const { return size_; }
  uint64_t address() const { return reinterpret_cast<uint64_t>(data()); }
  char *data() const { return all_->data() + offset_; }
  void *map() { return data(); }
  template <typename Pointer> Pointer map() { return reinterpret_cast<Pointer>(data()); }
  // Host and device see the same bytes.
  void sync(xclBOSyncDirection, size_t = 0, size_t = 0) {}
  void write(const void *from, size_t size, size_t seek) { std::memcpy(part(size, seek), from, size); }
  void write(const void *from) { write(from, size_, 0); }
  void read(void *to, size_t size, size_t skip) { std::memcpy(to, part(size, skip), size); }
  void read(void *to) { read(to, size_, 0); }

private:
  char *part(size_t size, size_t offset) const {
    if (size + offset > size_)
      throw std::runtime_error("attempting to access past buffer size");
    return data() + offset;
  }
};

class kernel {
  hw_context context_;
  module module_;
  std::string name_;

public:
  enum class cu_access_mode { exclusive, shared, none };
  kernel() = default;
  kernel(const hw_context &context, const std::string &name) : context_(context), name_(name) {
    if (const auto *file = context.get_xclbin_file())
      file->file_name(name);
  }
  kernel(const hw_context &context, const module &program, const std::string &name)
      : kernel(context, name) {
    module_ = program;
  }
  kernel(const device &owner, const uuid &id, const std::string &name,
         cu_access_mode = cu_access_mode::shared)
      : kernel(hw_context(owner, id), name) {}
  int group_id(int argument) const { return argument; }
  const hw_context &context() const { return context_; }
  const module &program() const { return module_; }
  const std::string &get_name() const { return name_; }
  template <typename... Arguments> class run operator()(Arguments &&...arguments);
};

class run {
  kernel kernel_;
  std::map<int, bo> buffers_;
  std::map<int, uint64_t> numbers_;
  ert_cmd_state state_ = ERT_CMD_STATE_NEW;
  bo scratchpad_;

public:
  run() = default;
  explicit run(const kernel &of) : kernel_(of) {}

  void set_arg(int index, const bo &buffer) { buffers_[index] = buffer; }
  template <typename Number, typename = std::enable_if_t<std::is_arithmetic_v<std::decay_t<Number>>>>
  void set_arg(int index, Number &&value) {
    numbers_[index] = uint64_t(value);
  }
  void set_arg(int index, std::nullptr_t) { numbers_[index] = 0; }

  // The table of parameters that the program reads: as many words as the firmware has of them.
  bo get_ctrl_scratchpad_bo() {
    constexpr size_t words = 32;
    if (!scratchpad_)
      scratchpad_ = bo(words * sizeof(uint32_t));
    return scratchpad_;
  }

  // Simulates it to its end.
  void start() {
    constexpr int transaction = 3, host_arguments = 3, size_at = 12, least = 16;
    const detail::folder folder;
    const auto *file = kernel_.context().get_xclbin_file();
    const char *tool = std::getenv("AIEC");
    std::string command = detail::quoted(tool ? tool : "aiec") + " sim ";
    int first = 0;
    if (file) {
      first = host_arguments;
      if (numbers_.count(0) && numbers_[0] != transaction)
        throw std::runtime_error("opcode " + std::to_string(numbers_[0]) + " is not simulated, only 3");
      const std::string path = file->get_uuid().to_string();
      auto program = folder.path / "insts.bin";
      if (kernel_.program().path().empty()) {
        const auto code = buffers_.find(1);
        if (code == buffers_.end() || code->second.size() < least)
          throw std::runtime_error("argument 1 of the kernel is no buffer of instructions");
        uint32_t size;
        std::memcpy(&size, code->second.data() + size_at, sizeof size);
        detail::write(program, code->second.data(), std::min<size_t>(size, code->second.size()));
      } else {
        program = kernel_.program().path();
      }
      command += detail::quoted(path) + " --insts " + detail::quoted(program.string()) + " --kernel-name " +
                 detail::quoted(file->file_name(kernel_.get_name())) + detail::libraries(path);
    } else {
      const auto &path = kernel_.context().get_elf_path();
      command += detail::quoted(path) + " --kernel-name " + detail::quoted(elf_kernel(path)) +
                 detail::libraries(path);
    }
    if (scratchpad_) {
      const auto table = folder.path / "scratchpad";
      detail::write(table, scratchpad_.data(), scratchpad_.size());
      command += " --scratchpad " + detail::quoted(table.string());
    }
    for (auto &[index, buffer] : buffers_) {
      if (index < first)
        continue;
      const auto number = std::to_string(index - first);
      const auto in = folder.path / ("in" + number), out = folder.path / ("out" + number);
      detail::write(in, buffer.data(), buffer.size());
      command += " --arg " + number + "=" + detail::quoted(in.string()) + " --out " + number + "=" +
                 detail::quoted(out.string());
    }
    std::cout.flush();
    const int ended = std::system((command + " >&2").c_str());
    bool wrote = true;
    for (auto &[index, buffer] : buffers_) {
      if (index < first)
        continue;
      const auto number = std::to_string(index - first);
      const auto out = folder.path / ("out" + number);
      if (!std::filesystem::exists(out)) {
        wrote = false;
        continue;
      }
      // Buffers that overlap get only what the run wrote.
      const auto before = detail::bytes_of((folder.path / ("in" + number)).string());
      const auto after = detail::bytes_of(out.string());
      for (size_t i = 0; i < std::min(before.size(), after.size()); i++)
        if (before[i] != after[i])
          buffer.data()[i] = after[i];
    }
    state_ = ended == 0 && wrote ? ERT_CMD_STATE_COMPLETED : ERT_CMD_STATE_TIMEOUT;
  }

  ert_cmd_state wait(std::chrono::milliseconds = {}) const { return state_; }
  ert_cmd_state wait(unsigned int) const { return state_; }
  void wait2() const {
    if (state_ != ERT_CMD_STATE_COMPLETED)
      throw std::runtime_error("the run ended in state " + std::to_string(state_));
  }
  std::cv_status wait2(std::chrono::milliseconds) const {
    wait2();
    return std::cv_status::no_timeout;
  }
  ert_cmd_state state() const { return state_; }

private:
  // The kernel of an ELF: with the simulator's programs it has another name.
  std::string elf_kernel(const std::string &path) const {
    const auto bytes = detail::bytes_of(path);
    const std::string text(bytes.begin(), bytes.end());
    const auto &name = kernel_.get_name();
    return text.find(detail::model_kernel) == std::string::npos ? name : detail::model_kernel + "_" + name;
  }
};

template <typename... Arguments> run kernel::operator()(Arguments &&...arguments) {
  run started(*this);
  int index = 0;
  (started.set_arg(index++, std::forward<Arguments>(arguments)), ...);
  started.start();
  return started;
}

class runlist {
  std::vector<run> runs_;

public:
  runlist() = default;
  explicit runlist(const hw_context &) {}
  void add(const run &item) { runs_.push_back(item); }
  void add(run &&item) { runs_.push_back(std::move(item)); }
  void execute() {
    for (auto &item : runs_)
      item.start();
  }
  void wait() const {
    for (const auto &item : runs_)
      if (item.state() != ERT_CMD_STATE_COMPLETED)
        throw std::runtime_error("a run of the list did not complete");
  }
  void wait(std::chrono::milliseconds) const { wait(); }
  void reset() { runs_.clear(); }
};

namespace ext {
class bo : public xrt::bo {
public:
  enum class access_mode : uint64_t { none = 0, read = 1, write = 2, read_write = 3 };
  bo() = default;
  bo(const device &, size_t size) : xrt::bo(size) {}
  bo(const device &, size_t size, access_mode) : xrt::bo(size) {}
  bo(const hw_context &, size_t size) : xrt::bo(size) {}
  bo(const hw_context &, size_t size, access_mode) : xrt::bo(size) {}
};
class kernel : public xrt::kernel {
public:
  using xrt::kernel::kernel;
};
} // namespace ext

} // namespace xrt
