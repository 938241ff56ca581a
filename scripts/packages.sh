# The Debian 12 packages that varimesh needs, by purpose. Sourced by scripts/setup.
packages_build=(
  g++ cmake ninja-build pkg-config
  libeigen3-dev libsuitesparse-dev libopenblas-pthread-dev libmetis-dev libgmsh-dev libnetcdf-dev
  libboost-dev libmuparser-dev libtomlplusplus-dev libcli11-dev libfmt-dev nlohmann-json3-dev libcpp-httplib-dev librandom123-dev
  libgtest-dev libgmock-dev libbenchmark-dev
  python3-dev python3-venv
)
packages_node=(nodejs npm)  # only where node and npm did not come from elsewhere: Debian's npm would be in their way
packages_lint=(clang-19 clang-tidy-19 clang-format-19 libclang-rt-19-dev libomp-19-dev chromium
  python3-netcdf4 python3-xarray python3-meshio python3-scipy python3-pytest)
