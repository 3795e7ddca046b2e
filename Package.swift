// swift-tools-version: 6.3
import PackageDescription

/// What every Swift target is compiled with: today's language, tomorrow's defaults, no warnings.
let strict: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InferIsolatedConformances"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("ImmutableWeakCaptures"),
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
]

/// A Swift target and everything it may import, beside the standard library and Glibc.
func module(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

/// The tests of one module.
func tests(of name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .testTarget(
    name: "\(name)Tests", dependencies: [.init(stringLiteral: name)] + dependencies,
    swiftSettings: strict)
}

let package = Package(
  name: "checkoutd",
  products: [
    .library(name: "CheckoutClient", targets: ["CheckoutClient"]),
    .executable(name: "checkoutd", targets: ["checkoutd"]),
    .executable(name: "checkoutd-egress", targets: ["checkoutd-egress"]),
    .executable(name: "checkoutctl", targets: ["checkoutctl"]),
  ],
  targets: [
    // Level 0: the libraries of the system, and the tree that everything speaks.
    .systemLibrary(
      name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(
      name: "CLibUUID", pkgConfig: "uuid", providers: [.apt(["uuid-dev"])]),
    .systemLibrary(
      name: "CQREncode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"])]),
    .target(name: "CLinux", cSettings: [.define("_GNU_SOURCE")]),
    .target(name: "CCurl", cSettings: [.define("_GNU_SOURCE")]),
    .target(
      name: "CSimdJSON",
      linkerSettings: [.linkedLibrary("simdjson"), .linkedLibrary("stdc++")]),
    module("ValueTree"),

    // Level 1: the functional core, and what knows no checkout.
    module("Checkout", ["ValueTree"]),
    module("JSON", ["CSimdJSON", "ValueTree"]),
    module("LinuxSystem", ["CLinux"]),
    module("Upstream"),

    // Level 2: the loop, the protocol.
    module("Systemd", ["CSystemd", "LinuxSystem"]),
    module("JSONRPC", ["JSON", "ValueTree"]),
    module("Terminal", ["CQREncode", "CLinux", "LinuxSystem"]),
    module("CheckoutProtocol", ["JSONRPC", "JSON", "Checkout", "ValueTree"]),

    // Level 3: what keeps, and what calls out.
    module("CheckoutStore", ["CSQLite", "LinuxSystem", "Checkout", "ValueTree"]),
    module(
      "PrimerAPI",
      ["CCurl", "Systemd", "LinuxSystem", "Upstream", "Checkout", "JSON", "ValueTree"]),
    module("Egress", ["Systemd", "LinuxSystem", "Upstream"]),

    // Level 4: the two ends of the socket.
    module(
      "CheckoutServer",
      [
        "CLibUUID", "CheckoutProtocol", "CheckoutStore", "PrimerAPI", "Systemd", "LinuxSystem",
        "Upstream", "JSONRPC", "JSON", "Checkout", "ValueTree",
      ]),
    module(
      "CheckoutClient",
      ["CheckoutProtocol", "JSONRPC", "JSON", "LinuxSystem", "Checkout", "ValueTree"]),

    module(
      "Pay",
      ["CheckoutClient", "Terminal", "JSONRPC", "JSON", "LinuxSystem", "ValueTree"]),

    // Level 5: the commands.
    .executableTarget(
      name: "checkoutd",
      dependencies: [
        "CheckoutServer", "CheckoutProtocol", "CheckoutStore", "PrimerAPI", "Systemd",
        "LinuxSystem", "Upstream",
      ],
      swiftSettings: strict),
    .executableTarget(
      name: "checkoutd-egress", dependencies: ["Egress", "Systemd", "LinuxSystem", "Upstream"],
      swiftSettings: strict),
    .executableTarget(
      name: "checkoutctl",
      dependencies: [
        "CheckoutClient", "CheckoutProtocol", "Pay", "Terminal", "JSONRPC", "JSON",
        "LinuxSystem", "ValueTree",
      ],
      swiftSettings: strict),

    // An app's code as it is written for iOS, in the language that most of it is written in.
    .target(
      name: "SeedPages", dependencies: ["CheckoutClient"], path: "Tests/SeedPages",
      swiftSettings: [.swiftLanguageMode(.v5), .treatAllWarnings(as: .error)]),

    // What makes the client library go through Tests/clients/transcripts.
    .executableTarget(
      name: "TranscriptDriver", dependencies: ["CheckoutClient", "JSON", "JSONRPC", "ValueTree"],
      path: "Tests/clients/TranscriptDriver", swiftSettings: strict),

    tests(of: "Checkout", ["ValueTree"]),
    tests(of: "JSON", ["ValueTree"]),
    tests(of: "JSONRPC", ["JSON", "ValueTree"]),
    tests(of: "LinuxSystem"),
    tests(of: "Systemd", ["LinuxSystem"]),
    tests(of: "Terminal"),
    tests(of: "CheckoutProtocol", ["JSONRPC", "JSON", "Checkout", "ValueTree"]),
    tests(of: "CheckoutStore", ["Checkout", "ValueTree"]),
    tests(of: "Upstream"),
    tests(
      of: "PrimerAPI", ["Systemd", "LinuxSystem", "Upstream", "Checkout", "JSON", "ValueTree"]),
    tests(of: "Egress", ["LinuxSystem", "Upstream"]),
    tests(
      of: "CheckoutServer",
      [
        "CheckoutProtocol", "CheckoutStore", "PrimerAPI", "Systemd", "LinuxSystem", "Upstream",
        "JSONRPC", "JSON", "Checkout", "ValueTree",
      ]),
    tests(of: "CheckoutClient", ["SeedPages", "JSON", "JSONRPC", "LinuxSystem", "ValueTree"]),
  ],
  swiftLanguageModes: [.v6],
  cxxLanguageStandard: .cxx17
)

// The fuzzers, which Tests/fuzz/run links with one of LLVM's libraries.
if Context.environment["CHECKOUTD_FUZZ"] != nil {
  func fuzzer(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
      name: name, dependencies: ["FuzzSupport", "Checkout", "ValueTree"] + dependencies,
      path: "Tests/fuzz/Targets/\(name)", swiftSettings: strict)
  }
  // What tests make a server with is here a library's, and not a test's.
  package.targets.removeAll { $0.type == .test }
  package.targets += [
    .target(name: "CFuzzer", path: "Tests/fuzz/Targets/CFuzzer"),
    .target(
      name: "Bench",
      dependencies: [
        "CheckoutServer", "CheckoutProtocol", "CheckoutStore", "PrimerAPI", "Systemd",
        "LinuxSystem", "Upstream", "JSON", "Checkout", "ValueTree",
      ],
      path: "Tests/CheckoutServerTests/Bench", swiftSettings: strict),
    .target(
      name: "FuzzServer",
      dependencies: [
        "Bench", "FuzzSupport", "CheckoutProtocol", "Checkout", "JSON", "JSONRPC", "ValueTree",
      ],
      path: "Tests/fuzz/Targets/FuzzServer", swiftSettings: strict),
    .target(
      name: "FuzzSupport",
      dependencies: ["CFuzzer", "Checkout", "JSON", "JSONRPC", "ValueTree"],
      path: "Tests/fuzz/Targets/FuzzSupport", swiftSettings: strict),
    fuzzer("FuzzLines", ["CheckoutProtocol", "JSON", "JSONRPC"]),
    fuzzer("FuzzParameters", ["CheckoutProtocol", "JSON", "JSONRPC"]),
    fuzzer("FuzzAnswers", ["FuzzServer", "PrimerAPI", "Upstream", "JSON"]),
    fuzzer("FuzzRows", ["FuzzServer", "CheckoutStore"]),
    fuzzer("FuzzSocks", ["Egress", "Upstream"]),
  ]
}

// The explorer of the core's states, where Tests/model/run asks for it.
if Context.environment["CHECKOUTD_MODEL"] != nil {
  package.targets.append(
    .executableTarget(
      name: "CheckoutModel", dependencies: ["Checkout", "ValueTree"], path: "Tests/model",
      exclude: ["run", "faults"], swiftSettings: strict))
}
