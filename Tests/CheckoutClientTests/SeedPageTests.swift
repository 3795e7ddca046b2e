import CheckoutClient
import Glibc
import Testing

@Suite struct SeedPageTests {
  private static let modules = Files.buildDirectory + "/Modules"
  private static let canCompile =
    Files.exists(modules + "/CheckoutClient.swiftmodule")
    && ChildProcess.run(["swiftc", "--version"])?.status == 0

  private func compile(_ program: String, _ options: String...) throws {
    let directory = try Files.makeDirectory()
    let path = "\(directory)/Program.swift"
    defer {
      _ = unsafe unlink(path)
      _ = unsafe rmdir(directory)
    }
    try Files.write(program, to: path)
    // What the package manager tells the compiler about the C targets below the library.
    let maps = ["CLinux", "CSimdJSON"].flatMap {
      ["-Xcc", "-fmodule-map-file=\(Files.buildDirectory)/\($0).build/module.modulemap"]
    }
    let result = try #require(
      ChildProcess.run(
        ["swiftc", "-typecheck", "-I", Self.modules] + maps + options + [path]))
    #expect(result.status == 0, "\(result.output)")
  }

  @Test(
    .enabled(if: canCompile, "no swiftc, or no module beside the tests"),
    arguments: [SeedPage.banks, .ach, .checkout], ["5", "6"])
  func `code written from the pages compiles`(page: SeedPage, language: String) throws {
    try compile(page.program, "-swift-version", language)
  }

  @Test(.enabled(if: canCompile, "no swiftc, or no module beside the tests"))
  func `a screen of the main actor can be a delegate`() throws {
    try compile(SeedPage.mainActor.program, "-swift-version", "6")
  }
}
