import CLinux

/// A pipe: what goes into one end comes out of the other.
///
/// No program that is run gets an end by chance.
package struct Pipe: ~Copyable {
  package let reading: FileDescriptor
  package let writing: FileDescriptor

  /// Opens a pipe.
  ///
  /// - Throws: ``Errno`` of `pipe2`.
  package init() throws(Errno) {
    var ends: [Int32] = [-1, -1]
    _ = try checkNegated(unsafe clinux_pipe(&ends), "pipe2")
    reading = FileDescriptor(owning: ends[0])
    writing = FileDescriptor(owning: ends[1])
  }

  /// Closes the writing end.
  ///
  /// - Returns: The reading end, which comes to its end when nobody else has the other.
  package consuming func closeWriting() -> FileDescriptor { reading }

  /// Closes the reading end.
  ///
  /// - Returns: The writing end.
  package consuming func closeReading() -> FileDescriptor { writing }
}
