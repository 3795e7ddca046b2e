/// The limits in force, the same for all parts; a reload replaces them.
final class CurrentLimits {
  private var limits: Limits

  init(_ limits: Limits) { self.limits = limits }

  /// What is allowed now.
  var value: Limits { limits }

  /// Takes other limits into force.
  func set(_ limits: Limits) { self.limits = limits }
}
