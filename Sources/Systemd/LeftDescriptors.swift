import Glibc
import LinuxSystem

/// Descriptors that one run of a program leaves to the next, and bytes that say what they are.
///
/// The service manager keeps two descriptors for it, however many there are. They are of use once, and
/// only if both are there and belong together: what was left in parts is let go.
package struct LeftDescriptors: Sendable, Equatable {
  /// The descriptors; whoever makes a `FileDescriptor` of one owns it.
  package let numbers: [Int32]
  /// What says what they are.
  package let description: [UInt8]

  fileprivate static let numbersName = "connections"
  fileprivate static let descriptionName = "handover"

  /// What things are left under, by every program and version: under another name nothing was left.
  static let names = [numbersName, descriptionName]
}

extension ServiceManager {
  /// Leaves descriptors to the next run, which gets copies.
  ///
  /// - Parameters:
  ///   - numbers: The descriptors, at least one; they stay the caller's.
  ///   - description: What says what they are.
  /// - Returns: Whether the service manager keeps them.
  package func leave(_ numbers: [Int32], describedBy description: [UInt8]) -> Bool {
    guard storeCapacity >= 2, !numbers.isEmpty else { return false }
    let label = Random.uint64()
    let head = unsafe withUnsafeBytes(of: label) { unsafe Array($0) }
    do throws(Errno) {
      let carrier = try DescriptorCarrier.pack(numbers, label: label)
      let file = try SealedFile.make(named: "handover", holding: head + description)
      // The file last: with it what came before is whole.
      if store([carrier.rawValue], named: LeftDescriptors.numbersName),
        store([file.rawValue], named: LeftDescriptors.descriptionName), synchronize()
      {
        return true
      }
    } catch {}
    removeStored(named: LeftDescriptors.numbersName)
    removeStored(named: LeftDescriptors.descriptionName)
    return false
  }

  /// Takes over what an earlier run has left, and has the service manager forget it.
  ///
  /// - Parameter stored: What the service manager has handed back.
  /// - Returns: What was left; nil if nothing was, or if it does not belong together and is let go.
  package func takeLeft(_ stored: [StoredDescriptor]) -> LeftDescriptors? {
    guard !stored.isEmpty else { return nil }
    for name in Set(stored.map(\.name)) { removeStored(named: name) }
    _ = synchronize()
    var carried: (descriptors: [Int32], label: UInt64)?
    var file: [UInt8]?
    for entry in stored {
      let descriptor = FileDescriptor(owning: entry.rawValue)
      switch entry.name {
      case LeftDescriptors.numbersName where carried == nil:
        carried = DescriptorCarrier.unpack(descriptor)
      case LeftDescriptors.descriptionName where file == nil: file = SealedFile.read(descriptor)
      default: descriptor.shutDown()
      }
    }
    guard let carried else { return nil }
    let head = unsafe withUnsafeBytes(of: carried.label) { unsafe Array($0) }
    guard let file, file.starts(with: head) else {
      for number in carried.descriptors { FileDescriptor(owning: number).shutDown() }
      return nil
    }
    return LeftDescriptors(
      numbers: carried.descriptors, description: Array(file.dropFirst(head.count)))
  }
}
