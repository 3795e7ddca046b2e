/// What the tests ask of the compiler's programs.
enum Toolchain {
  /// Where the build puts modules.
  static let modules = Files.buildDirectory + "/Modules"

  /// Finds the library's module, and what the package manager tells the compiler about the C targets
  /// below it.
  static let importOptions =
    ["-I", modules]
    + ["CLinux", "CSimdJSON"].flatMap {
      ["-Xcc", "-fmodule-map-file=\(Files.buildDirectory)/\($0).build/module.modulemap"]
    }
}
