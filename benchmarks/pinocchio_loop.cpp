// Pinocchio in a C++ loop: what its algorithms cost without Python.
//
// Its headers come with the wheel `pin`; Eigen 3.4 must be installed.  `make bench` does not run it.
// With P the folder cmeel.prefix in site-packages:
//
//   g++ -std=c++17 -O3 -DNDEBUG -DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS -DBOOST_MPL_LIMIT_LIST_SIZE=40
//       -DBOOST_MPL_LIMIT_VECTOR_SIZE=40 -DBOOST_FUSION_INVOKE_MAX_ARITY=10 -I$P/include
//       -I/usr/include/eigen3 pinocchio_loop.cpp -o pinocchio_loop -L$P/lib -lboost_serialization
//       -lboost_filesystem -Wl,-rpath,$P/lib

#include <pinocchio/multibody.hpp>

#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/rnea.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>

using namespace pinocchio;
using Eigen::Vector3d;
using Eigen::VectorXd;

// The mechanism rigid_chain of lissom.library.
Model rigid_chain(int n) {
  Model model;
  JointIndex last = 0;
  const SE3 place(Eigen::Matrix3d::Identity(), Vector3d(0.1, 0.2, 0.3));
  const Eigen::Matrix3d inertia = Vector3d(0.1, 0.2, 0.25).asDiagonal().toDenseMatrix();
  for (int i = 0; i < n; ++i) {
    const std::string name = "link" + std::to_string(i);
    if (i % 3 == 0) last = model.addJoint(last, JointModelRX(), place, name);
    if (i % 3 == 1) last = model.addJoint(last, JointModelRY(), place, name);
    if (i % 3 == 2) last = model.addJoint(last, JointModelRZ(), place, name);
    const Inertia body(1 + 0.1 * (i % 10), Vector3d(0.05, 0.1, 0.15), inertia);
    model.appendBodyToJoint(last, body, SE3::Identity());
  }
  return model;
}

// Microseconds of one call, the smallest of many visits.
template <class Call>
double best(Call call, int repeats) {
  double smallest = 1e9;
  for (int visit = 0; visit < 40; ++visit) {
    const auto start = std::chrono::steady_clock::now();
    for (int k = 0; k < repeats; ++k) call();
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    smallest = std::min(smallest, 1e6 * elapsed.count() / repeats);
  }
  return smallest;
}

int main() {
  std::printf("joints, aba local, aba world, rnea, crba local, crba world [us]\n");
  for (int n : {7, 30, 100, 300}) {
    const Model model = rigid_chain(n);
    Data data(model);
    const VectorXd q = VectorXd::Random(n), v = VectorXd::Random(n), x = VectorXd::Random(n);
    const int repeats = std::max(1, 5000 / n);
    std::printf("%d %.2f %.2f %.2f %.2f %.2f\n", n,
                best([&] { aba(model, data, q, v, x, Convention::LOCAL); }, repeats),
                best([&] { aba(model, data, q, v, x, Convention::WORLD); }, repeats),
                best([&] { rnea(model, data, q, v, x); }, repeats),
                best([&] { crba(model, data, q, Convention::LOCAL); }, repeats),
                best([&] { crba(model, data, q, Convention::WORLD); }, repeats));
  }
}
