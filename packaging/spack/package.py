# SPDX-License-Identifier: BSD-3-Clause
"""Spack's recipe of weft: docs/packages.md says how to use it."""
import os

from spack_repo.builtin.build_systems.cmake import CMakePackage, generator

from spack.package import *


class Weft(CMakePackage):
    """Overlap of MPI communication with computation, with a measurement of the overlap: a library for
    C++20, C and Fortran, and programs built on it."""

    # Until a repository is public, give Spack a local one: spack develop --path DIRECTORY weft@main
    homepage = "https://weft.invalid/"
    git = "https://weft.invalid/weft.git"

    license("BSD-3-Clause", checked_by="the weft developers")

    test_requires_compiler = True

    version("main", branch="main")
    version("0.1.0", tag="v0.1.0")

    variant("shared", default=True, description="Build shared libraries instead of static ones")
    variant("fortran", default=True, description="Compile the Fortran module weft")
    # The other programs need robin-map and pocketfft, for which Spack has no packages.
    variant("flow", default=False, description="Build weft flow and weft box, blood flow and particles on lattices")

    generator("ninja")
    depends_on("cxx", type="build")
    depends_on("c", type="build")  # CMake's search for libraries of the programs
    depends_on("fortran", type="build", when="+fortran")
    depends_on("cmake@3.25:", type=("build", "test"))
    depends_on("mpi@3.1:")
    with default_args(type="test"):
        depends_on("googletest")
    with when("+flow"):
        depends_on("pkgconfig", type="build")
        depends_on("boost")
        depends_on("cairo+png")
        depends_on("cli11")
        depends_on("embree@3")
        depends_on("fmt")
        depends_on("hdf5")
        depends_on("libjpeg-turbo")
        depends_on("metis@5:")
        depends_on("nlohmann-json")
        depends_on("pugixml")
        depends_on("tomlplusplus")
        depends_on("zlib-api")
    conflicts("%gcc@:11", msg="weft needs C++20: gcc 12 or later")

    def cmake_args(self):
        return [
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define_from_variant("WEFT_FORTRAN", "fortran"),
            self.define("WEFT_BUILD", "flow" if self.spec.satisfies("+flow") else "core"),
            self.define("WEFT_TESTS", self.run_tests),
            # Not what the machine happens to have: FFTW is under the GPL, ccache would be outside of the specification.
            self.define("WEFT_FFTW", "off"),
            self.define("CCACHE", ""),
            self.define("MPI_CXX_COMPILER", self.spec["mpi"].mpicxx),
        ]

    @run_after("install")
    def keep_example(self):
        cache_extra_test_sources(self, [os.path.join("examples", "consumer")])

    def test_consumer(self):
        """a project that finds the installed library builds, and runs on two ranks"""
        source = os.path.join(self.test_suite.current_test_cache_dir, "examples", "consumer")
        cmake = which(self.spec["cmake"].prefix.bin.cmake, required=True)
        cmake("-S", source, "-B", "consumer", f"-DCMAKE_PREFIX_PATH={self.prefix}", f"-DCMAKE_CXX_COMPILER={os.environ['CXX']}")
        cmake("--build", "consumer")
        mpiexec = which(self.spec["mpi"].prefix.bin.mpiexec, required=True)
        mpiexec("-n", "2", os.path.join("consumer", "consumer"))
