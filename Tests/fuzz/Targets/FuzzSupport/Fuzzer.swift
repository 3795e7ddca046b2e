internal import CFuzzer
internal import Glibc

/// libFuzzer, with what it is to try inputs on.
package enum Fuzzer {
  // Set once, before the only thread begins to fuzz.
  nonisolated(unsafe) private static var target: ([UInt8]) -> Void = { _ in }

  /// Fuzzes as the arguments of the process say.
  ///
  /// - Parameter body: Takes one input; it ends the process when something is not as it must be.
  package static func run(_ body: @escaping ([UInt8]) -> Void) -> Never {
    unsafe target = body
    var count = CommandLine.argc
    var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? =
      unsafe CommandLine
      .unsafeArgv
    let status = unsafe LLVMFuzzerRunDriver(&count, &arguments) { data, size in
      unsafe Fuzzer.target(Array(UnsafeBufferPointer(start: data, count: size)))
      return 0
    }
    exit(status)
  }
}

/// Ends the process unless something holds that must hold for every input.
package func require(_ holds: Bool, _ claim: @autoclosure () -> String) {
  guard !holds else { return }
  fatalError("does not hold: \(claim())")
}
