#pragma once
#include <vtkLogger.h>
#include <vtkNew.h>
#include <vtkObjectFactory.h>
#include <vtkOutputWindow.h>
#include <vtkSmartPointer.h>

#include <string>
#include <string_view>

namespace cardiowarp {

// Keeps VTK from printing, and keeps its first error for ours. VTK does not throw where a file is damaged: it prints
// through one object of the whole process (vtkOutputWindow). While a VtkMessages lives, that object is replaced and
// VTK's log to standard error is off; afterwards both are as before. The code that reads and writes meshes with VTK
// makes one and puts first() into its InputError. VTK tells the object apart what is an error and what a warning. After
// a warning of one of its objects it has read all that it knows, say all but the keys of a module that is not there.
// Warnings of no object come from functions that may have given up: "Error reading ascii data".

/// Keeps what VTK would print; used through VtkMessages.
class VtkMessageWindow : public vtkOutputWindow {
 public:
  static VtkMessageWindow* New() { VTK_STANDARD_NEW_BODY(VtkMessageWindow); }
  void DisplayText(const char* /*text*/) override {}
  void DisplayErrorText(const char* text) override { keep(text); }
  void DisplayWarningText(const char* /*text*/) override {}
  void DisplayGenericWarningText(const char* text) override {
    if (std::string_view(text).find("rror") != std::string_view::npos) keep(text);
  }
  void DisplayDebugText(const char* /*text*/) override {}
  std::string first;

 private:
  void keep(const char* text) {
    if (first.empty()) first = text;
  }
};

/// Catches VTK's error texts for its lifetime, as VTK reports damaged files in no other way; warnings are passed over.
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

  /// The first error without the place in VTK's source; empty when there was none. VTK's form is
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
