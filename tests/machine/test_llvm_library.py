"""LLVM's library used directly gives what llvmlite's modules give."""

import subprocess
import sys

import llvmlite
import pytest

from graphwright.compile.llvm import boundary
from graphwright.machine import codegen, large_arrays, llvm_library, targets
from graphwright.machine.llvm_library import KNOWN, MachineOptions

TEXTS = {
    "small": "define i64 @f(i64 %x) {\n  %y = mul i64 %x, %x\n  ret i64 %y\n}\n",
    "vectors": (
        "define void @f(ptr %a) {\n  %x = load <8 x double>, ptr %a\n"
        "  %y = fmul <8 x double> %x, %x\n  store <8 x double> %y, ptr %a\n  ret void\n}\n"
    ),
    "allocator": large_arrays.TEXT,
    "boundary": boundary.text(),
}

pytestmark = pytest.mark.skipif(
    llvm_library.llvm_library() is None, reason="this release of llvmlite is used by its modules"
)


def test_the_release_that_is_tested_is_known():
    assert llvmlite.__version__.rpartition(".")[0] in KNOWN


@pytest.mark.parametrize("is_quick", [True, False])
@pytest.mark.parametrize("name", TEXTS)
def test_code_is_that_of_llvmlites_modules(name, is_quick, monkeypatch):
    direct = codegen.generate(TEXTS[name], is_quick)
    monkeypatch.setattr(codegen, "llvm_library", lambda: None)
    assert direct == codegen.generate(TEXTS[name], is_quick)


def test_the_description_is_that_of_llvmlites_modules(monkeypatch):
    direct = targets.described()
    monkeypatch.setattr(targets, "llvm_library", lambda: None)
    assert direct == targets.described()


def test_a_text_that_llvm_does_not_read_is_refused_with_its_words():
    with pytest.raises(RuntimeError, match=r"does not read a text: .*expected"):
        codegen.generate("define nothing")


def test_a_target_that_is_unknown_is_refused():
    library = llvm_library.llvm_library()
    with pytest.raises(RuntimeError, match="no such target"):
        library.object_file(TEXTS["small"], MachineOptions("pdp11-dec-unix", "", "", 0))


def test_another_release_is_used_by_its_modules(monkeypatch):
    monkeypatch.setattr(llvmlite, "__version__", "9.9.0")
    assert llvm_library.llvm_library.__wrapped__() is None


def test_a_process_that_generates_code_does_not_import_llvmlites_modules(tmp_path):
    program = (
        "import sys, graphwright as tf\n"
        "f = tf.function(lambda x: x * 2 + 1, jit_compile=True)\n"
        "print(f(tf.ones([3])).numpy().tolist(), 'llvmlite' in sys.modules,\n"
        "      [m for m in sys.modules if m.startswith(('llvmlite.binding', 'llvmlite.ir'))])\n"
    )
    environment = {"GRAPHWRIGHT_CACHE_DIR": str(tmp_path), "PYTHONPATH": ":".join(sys.path)}
    result = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    assert result.stdout.split("\n")[0] == "[3.0, 3.0, 3.0] True []", result.stderr
