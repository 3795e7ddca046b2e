import Testing

@Suite struct DocumentationTests {
  private static let catalogue = Files.root + "/Sources/CheckoutClient/CheckoutClient.docc"
  private static let canBuild =
    Files.exists(Toolchain.modules + "/CheckoutClient.swiftmodule") && Files.exists(catalogue)
    && ChildProcess.succeeds(["docc", "--help"])

  @Test(.enabled(if: canBuild, "no docc, no catalogue, or no module beside the tests"))
  func `the documentation builds without a warning`() throws {
    let directory = try Files.makeDirectory()
    defer { Files.remove(directory) }
    let extracted = try ChildProcess.run(
      [
        "swift-symbolgraph-extract", "-module-name", "CheckoutClient", "-target", Self.target,
        "-minimum-access-level", "public", "-output-dir", directory,
      ] + Toolchain.importOptions)
    #expect(extracted.status == 0, "\(extracted.output)")
    let built = try ChildProcess.run([
      "docc", "convert", Self.catalogue, "--additional-symbol-graph-dir", directory,
      "--output-dir", "\(directory)/out", "--warnings-as-errors",
    ])
    #expect(built.status == 0, "\(built.output)")
    #expect(Files.exists("\(directory)/out/data/documentation/checkoutclient/checkout.json"))
  }

  @Test(
    .enabled(if: canBuild, "no docc, no catalogue, or no module beside the tests"),
    arguments: ["CheckoutClient", "FromIOS"])
  func `the examples compile`(page: String) throws {
    let directory = try Files.makeDirectory()
    defer { Files.remove(directory) }
    let text = try #require(Files.text("\(Self.catalogue)/\(page).md"))
    let examples = text.split(separator: "```swift\n").dropFirst().compactMap {
      $0.split(separator: "```").first
    }
    try #require(!examples.isEmpty)
    // What they leave to the program.
    let program = """
      let token = ""
      func show(_ anything: Any) {}
      func showProgress() {}

      """
    try Files.write(program + examples.joined(), to: "\(directory)/main.swift")
    let result = try ChildProcess.run(
      ["swiftc", "-typecheck", "-warnings-as-errors", "-swift-version", "6"]
        + Toolchain.importOptions + ["\(directory)/main.swift"])
    #expect(result.status == 0, "\(result.output)")
  }

  /// What this test is compiled for.
  private static let target: String = {
    #if arch(arm64)
      "aarch64-unknown-linux-gnu"
    #else
      "x86_64-unknown-linux-gnu"
    #endif
  }()
}
