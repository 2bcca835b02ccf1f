#pragma once
#include <vtkLogger.h>
#include <vtkNew.h>
#include <vtkObjectFactory.h>
#include <vtkOutputWindow.h>
#include <vtkSmartPointer.h>

#include <string>

namespace cardiowarp {

// Keeps VTK from printing, and keeps its first message for ours. VTK does not throw where a file is damaged: it prints
// through one object of the whole process (vtkOutputWindow). While a VtkMessages lives, that object is replaced and
// VTK's log to standard error is off; afterwards both are as before. The code that reads and writes meshes with VTK
// makes one and puts first() into its InputError.

/// Keeps what VTK would print; used through VtkMessages.
class VtkMessageWindow : public vtkOutputWindow {
 public:
  static VtkMessageWindow* New() { VTK_STANDARD_NEW_BODY(VtkMessageWindow); }
  void DisplayText(const char* text) override {
    if (first.empty()) first = text;
  }
  std::string first;
};

/// Catches VTK's error and warning texts for its lifetime; VTK reports damaged files in no other way.
class VtkMessages {
 public:
  VtkMessages() : former_(vtkOutputWindow::GetInstance()), former_verbosity_(vtkLogger::GetCurrentVerbosityCutoff()) {
    vtkOutputWindow::SetInstance(window_);
    vtkLogger::SetStderrVerbosity(vtkLogger::VERBOSITY_OFF);
  }
  ~VtkMessages() {
    vtkOutputWindow::SetInstance(former_);
    vtkLogger::SetStderrVerbosity(former_verbosity_);
  }
  VtkMessages(const VtkMessages&) = delete;
  VtkMessages& operator=(const VtkMessages&) = delete;

  /// The first message without the place in VTK's source; empty when there was none. VTK's form is
  /// "ERROR: In file, line n\nclass (address): message\n", in generic warnings without class and address.
  std::string first() const {
    std::string text = window_->first;
    if (text.find("In ") < text.find('\n')) text.erase(0, text.find('\n') + 1);
    if (const auto object_end = text.find("): "); object_end < text.find('\n')) text.erase(0, object_end + 3);
    return text.substr(0, text.find('\n'));
  }

 private:
  vtkNew<VtkMessageWindow> window_;
  vtkSmartPointer<vtkOutputWindow> former_;
  vtkLogger::Verbosity former_verbosity_;
};

}  // namespace cardiowarp
