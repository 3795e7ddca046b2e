/// Which release of checkoutd this is.
package enum Release {
  /// The version of the programs and of what they say, by semantic versioning.
  package static let version = "0.1.0"
}
