import CheckoutClient
import Glibc
import Testing

/// The programs of `SeedPages`, which are written from the pages of `provideBanksComponent` and of
/// `provide`, in either language.
///
/// ``EndToEndTests`` runs them.
@Suite struct SeedPageTests {
  private static let folder = Files.root + "/Tests/SeedPages/"
  private static let canCompile =
    Files.exists(Toolchain.modules + "/CheckoutClient.swiftmodule") && Files.exists(folder)
    && ChildProcess.succeeds(["swiftc", "--version"])

  @Test(
    .enabled(if: canCompile, "no swiftc, no sources, or no module beside the tests"),
    arguments: ["BanksScreen", "AchScreen", "Shop", "MainActorScreen"], ["5", "6"])
  func `code written from the pages compiles`(screen: String, language: String) throws {
    let names = screen == "Shop" ? ["Shop", "AchScreen"] : [screen]
    let result = try ChildProcess.run(
      ["swiftc", "-typecheck", "-warnings-as-errors", "-swift-version", language]
        + Toolchain.importOptions + names.map { "\(Self.folder)\($0).swift" })
    #expect(result.status == 0, "\(result.output)")
  }
}
