#include "app/output/frame_output.hpp"

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "app/output/finite_values.hpp"
#include "app/output/frame_files.hpp"
#include "app/output/frame_list.hpp"
#include "app/simulation/simulation.hpp"
#include "kernels/backend/device_error.hpp"
#include "kernels/backend/device_wait.hpp"
#include "meshes/atomic_file.hpp"

namespace cardiowarp {
namespace {

namespace fs = std::filesystem;
using Lock = std::unique_lock<std::mutex>;

enum class Progress {
  taken,    ///< nobody has begun with it
  awaited,  ///< a thread waits for its values
  arrived,  ///< a thread writes it
  written,
  failed
};

struct FrameUnderWay {
  std::unique_ptr<Frame> frame;
  Real time_ms = 0;
  std::size_t number = 0;
  Progress progress = Progress::taken;
  bool has_values = false;           ///< on the host: whatever becomes of the GPU, it is not asked for them again
  std::vector<FileMark> marks = {};  ///< once it is written

  void write(const fs::path& directory) { marks = frame->write(directory); }
};

void remove_regular(const fs::path& file) {
  std::error_code ignored;
  if (fs::is_regular_file(fs::symlink_status(file, ignored))) fs::remove(file, ignored);
}

}  // namespace

struct FrameOutput::State {
  std::unique_ptr<FrameWriter> writer;
  fs::path directory;
  std::size_t most_threads;
  FrameList list;  ///< held until go_on_after(): until then the file is the earlier run's

  mutable std::mutex mutex = {};         ///< of all that follows, and of `list` where nobody is_listing
  std::condition_variable work = {};     ///< for threads: a frame was taken, or all ends
  std::condition_variable changed = {};  ///< for callers: a thread has done something
  std::deque<FrameUnderWay> under_way = {}, dropped = {};
  std::vector<std::unique_ptr<Frame>> spare = {};
  std::vector<std::thread> threads = {};
  std::size_t idle = 0;    ///< of the threads
  std::size_t listed = 0;  ///< frames
  bool is_listing = false, is_mending = false, is_ending = false;
  std::exception_ptr failure = {};  ///< the first; no frame is begun until a caller has seen it

  FrameUnderWay* next() {
    const auto found = std::ranges::find(under_way, Progress::taken, &FrameUnderWay::progress);
    return failure || found == under_way.end() ? nullptr : &*found;
  }

  /// Where a GPU was given up, a thread that waits for it never comes back.
  bool is_at_work(const FrameUnderWay& frame) const {
    return frame.progress == Progress::arrived || (frame.progress == Progress::awaited && !DeviceWait::is_given_up());
  }
  bool is_quiet() const {
    return !is_listing && std::ranges::none_of(under_way, [&](const auto& frame) { return is_at_work(frame); });
  }
  /// Whether a thread waits for ever for the oldest frame, or for one that it drops.
  bool is_stuck() const {
    return DeviceWait::is_given_up() && (under_way.empty() || under_way.front().progress == Progress::awaited);
  }

  /// What a thread does.
  void write_frames() {
    Lock lock(mutex);
    while (true) {
      ++idle;
      work.wait(lock, [&] { return is_ending || next() != nullptr; });
      --idle;
      if (is_ending) return;
      FrameUnderWay& mine = *next();  // stays where it is in the deque
      mine.progress = Progress::awaited;
      changed.notify_all();
      try {
        lock.unlock();
        mine.frame->await();
        lock.lock();
        mine.progress = Progress::arrived;
        mine.has_values = true;
        lock.unlock();
        mine.write(directory);
        lock.lock();
        mine.progress = Progress::written;
      } catch (...) {
        if (!lock.owns_lock()) lock.lock();
        mine.progress = Progress::failed;
        if (!failure) failure = std::current_exception();
      }
      list_written(lock);
      changed.notify_all();
    }
  }

  /// Lists the oldest frames, as far as they are written, also where a later one has failed. The file is renewed
  /// without the lock.
  void list_written(Lock& lock) {
    if (is_listing) return;  // whoever does so goes on with these
    is_listing = true;
    std::exception_ptr error;
    while (!error && !under_way.empty() && under_way.front().progress == Progress::written) {
      const FrameUnderWay& oldest = under_way.front();  // stays where it is in the deque
      lock.unlock();
      try {
        list.add(oldest.time_ms, oldest.marks);
      } catch (...) {
        error = std::current_exception();
      }
      lock.lock();
      if (!error) drop_oldest();
    }
    if (!failure) failure = error;
    is_listing = false;
  }

  void drop_oldest() {
    spare.push_back(std::move(under_way.front().frame));  // which has room
    under_way.pop_front();
    ++listed;
  }

  /// Writes and lists all under way in turn, where no thread is at work. One that fails ends that with its exception,
  /// and nothing is under way any more.
  void write_in_turn(Lock& lock) {
    try {
      while (!under_way.empty()) {
        FrameUnderWay& oldest = under_way.front();
        if (!oldest.has_values) await(oldest, lock);
        oldest.write(directory);
        list.add(oldest.time_ms, oldest.marks);
        drop_oldest();
      }
    } catch (...) {
      if (!lock.owns_lock()) lock.lock();
      if (!DeviceWait::is_given_up())
        drop_all(lock);
      else if (!is_stuck())  // else a thread that waits for it still has its frame
        under_way.front().progress = Progress::failed;
      throw;
    }
  }

  void await(FrameUnderWay& oldest, Lock& lock) {
    if (DeviceWait::is_given_up()) throw DeviceError("the GPU has not given the values of a frame");
    oldest.progress = Progress::awaited;
    lock.unlock();  // as whoever gives up a GPU calls finish() meanwhile
    oldest.frame->await();
    lock.lock();
    oldest.progress = Progress::arrived;
    oldest.has_values = true;
  }

  /// Without the lock, as a frame waits for what is on its way to it.
  void drop_all(Lock& lock) {
    dropped.swap(under_way);
    lock.unlock();
    dropped.clear();
    lock.lock();
  }

  /// After a failure of a thread: it may have been for want of room that later frames took. One caller does so, and
  /// another one, which can only be the one that gives up a GPU, waits for it as long as that gets on.
  void mend(Lock& lock) {
    changed.wait(lock, [&] { return !is_mending || is_stuck(); });
    if (is_mending || !failure) return;
    is_mending = true;
    const MendingEnds ends{*this};
    changed.wait(lock, [&] { return is_quiet(); });
    if (!list.is_held()) remove_unlisted();
    write_in_turn(lock);
  }

  /// The files of frames that are to be written again. Not where the frames on disk are an earlier run's, which this
  /// one can only go on with as long as they are there: each of these stays until it is replaced.
  void remove_unlisted() {
    for (const FrameUnderWay& frame : under_way) {
      if (frame.progress != Progress::written && frame.progress != Progress::failed) continue;
      for (const std::string& name : writer->layout().files_of(frame.number)) remove_regular(directory / name);
    }
  }

  /// Until then no thread begins with a frame.
  struct MendingEnds {
    State& state;
    ~MendingEnds() {
      state.failure = nullptr;
      state.is_mending = false;
      state.changed.notify_all();
    }
  };

  std::unique_ptr<Frame> spare_frame() {
    spare.reserve(under_way.size() + spare.size() + 2);
    if (spare.empty()) return writer->make_frame();
    std::unique_ptr<Frame> frame = std::move(spare.back());
    spare.pop_back();
    return frame;
  }

  /// Whether threads do the work. One more is begun where all are busy, the system has one and it is allowed.
  bool has_thread() {
    try {
      threads.reserve(most_threads);
      if (idle == 0 && threads.size() < most_threads) threads.emplace_back([this] { write_frames(); });
    } catch (const std::exception&) {  // std::system_error, std::bad_alloc
    }
    return !threads.empty();
  }
};

FrameOutput::FrameOutput(std::unique_ptr<FrameWriter> writer, fs::path directory, int threads, bool goes_on) {
  const FrameLayout& layout = writer->layout();
  FrameList list(directory, layout, goes_on);
  state_.reset(new State{.writer = std::move(writer),
                         .directory = std::move(directory),
                         .most_threads = static_cast<std::size_t>(threads),
                         .list = std::move(list)});
}

FrameOutput::~FrameOutput() {
  try {
    finish();  // a run that wants to know has called it; another error has ended this one
  } catch (...) {
  }
  {
    const Lock lock(state_->mutex);
    state_->is_ending = true;
  }
  state_->work.notify_all();
  for (std::thread& thread : state_->threads) thread.join();
}

bool FrameOutput::needs_first_frame_anew(const WrittenFrames& earlier) {
  const std::vector<std::string> files = files_written_with(state_->writer->layout(), 0);
  return state_->writer->needs_first_frame_anew(state_->directory, [&](const std::string& name) {
    const std::size_t file = std::ranges::find(files, name) - files.begin();
    return file < earlier.marks.size() && why_changed(state_->directory / name, earlier.marks[file]).empty();
  });
}

void FrameOutput::write_frame(Real time_ms, Simulation& simulation) {
  State& state = *state_;
  require_finite<Real>("time", {&time_ms, 1});
  Lock lock(state.mutex);
  state.changed.wait(
      lock, [&] { return state.failure || state.under_way.empty() || state.under_way.size() < state.most_threads; });
  state.mend(lock);
  FrameUnderWay next{state.spare_frame(), time_ms, state.listed + state.under_way.size()};
  lock.unlock();
  next.frame->take(simulation, next.number, time_ms);
  lock.lock();
  state.under_way.push_back(std::move(next));
  if (!state.has_thread()) {
    state.write_in_turn(lock);
    return;
  }
  lock.unlock();
  state.work.notify_one();
}

void FrameOutput::list_complete_frames() {
  Lock lock(state_->mutex);
  state_->mend(lock);
  if (!state_->is_listing) state_->list.write_if_late();
}

void FrameOutput::finish() {
  State& state = *state_;
  Lock lock(state.mutex);
  if (DeviceWait::is_given_up()) state.changed.notify_all();  // there is less to wait for
  state.changed.wait(lock, [&] {
    return state.failure || state.under_way.empty() || state.is_stuck() ||
           state.under_way.front().progress == Progress::failed;  // which was written again in vain
  });
  state.mend(lock);
  state.changed.wait(lock, [&] { return !state.is_listing; });
  state.list.write_all();
}

void FrameOutput::go_on_after(WrittenFrames earlier) {
  State& state = *state_;
  finish();
  const std::size_t count = earlier.times_ms.size();
  require_frames(state.directory, state.writer->layout(), count);
  // A first frame that was written anew may be compressed by another library.
  const std::vector<FileMark>& anew = state.list.written().marks;
  std::copy_n(anew.begin(), std::min(anew.size(), earlier.marks.size()), earlier.marks.begin());
  remove_file(state.directory / "maps.vtu");
  state.list.go_on_after(std::move(earlier));
  state.listed = count;
  remove_frames_from(state.directory, state.writer->layout(), count);
}

int FrameOutput::frames() const {
  const Lock lock(state_->mutex);
  return static_cast<int>(state_->listed);
}

WrittenFrames FrameOutput::written() const {
  const Lock lock(state_->mutex);
  return state_->list.written();
}

}  // namespace cardiowarp
