import Glibc
import LinuxSystem

/// A credential that is there and says nothing.
package struct CredentialError: Error, Sendable, Equatable, CustomStringConvertible {
  /// Its name.
  package let name: String

  /// A line for people, without anything of what it holds.
  package var description: String { "the credential \(name) cannot be read, or is empty" }
}

extension ServiceManager {
  /// The first word of a credential that the service manager hands over (`LoadCredential=`).
  ///
  /// - Parameter name: The credential's name.
  /// - Returns: The word; `nil` if there is no such credential.
  /// - Throws: ``CredentialError`` if it is there and has no word.
  package static func credential(_ name: String) throws(CredentialError) -> String? {
    guard let directory = variable("CREDENTIALS_DIRECTORY") else { return nil }
    let path = directory + "/" + name
    guard unsafe access(path, F_OK) == 0 else { return nil }
    guard let text = readTextFile(path), let word = text.split(whereSeparator: \.isWhitespace).first
    else { throw CredentialError(name: name) }
    return String(word)
  }
}
